"""Batches: many calls in one request. A faulty item has a problem of its own and spoils no other."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from service.calls import Answer, Call
from service.problems import invalid_request_text, problem_text
from service.questions import Fault, InvalidRequest
from service.records import Given
from service.schemas import shown

MOST_ITEMS: Final = 1000
MOST_ID_CHARACTERS: Final = 128

_log = logging.getLogger(__name__)
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


class BatchAnswer(NamedTuple):
    """The JSON text of the answer, the verdicts in it, and how many items were answered with a problem."""

    text: str
    given: list[Given]
    faulty: int


def answer_batch(value: object, calls: Mapping[str, Call], request_id: str, pause: Callable[[], None]) -> BatchAnswer:
    """Answer each item as the call that it names would, in the order given; after each, `pause` lets others in.

    Raises `InvalidRequest` for a value that is no batch.
    """
    answered = _Answered(calls, request_id)
    texts = []
    for item in _items(value):
        texts.append(answered.item(item))
        pause()
    return BatchAnswer(f'{{"items":[{",".join(texts)}]}}', answered.given, answered.faulty)


def _items(value: object) -> list[object]:
    if not isinstance(value, dict):
        raise InvalidRequest([Fault((), "WRONG_TYPE", "The body must be a JSON object.")])
    faults = [Fault((key,), "UNKNOWN_FIELD", "No such field.") for key in value if key != "items"]
    items = value.get("items")
    if "items" not in value:
        faults.append(Fault(("items",), "MISSING_FIELD", "Must be given."))
    elif not isinstance(items, list):
        faults.append(Fault(("items",), "WRONG_TYPE", "Must be a list of items."))
    elif len(items) > MOST_ITEMS:
        faults.append(Fault(("items",), "TOO_MANY_ITEMS", f"Must have at most {MOST_ITEMS} items, not {len(items)}."))
    if faults or not isinstance(items, list):
        raise InvalidRequest(faults)
    return items


class _Answered:
    """What has been answered so far."""

    def __init__(self, calls: Mapping[str, Call], request_id: str) -> None:
        self.given: list[Given] = []
        self.faulty = 0
        self._calls = calls
        self._request_id = request_id
        self._ids: set[str] = set()

    def item(self, item: object) -> str:
        """The text of the answer to one item."""
        name = item.get("id") if isinstance(item, dict) else None
        status, body = 200, ""
        try:
            answer = self._answer(item)
            self.given += answer.given
            body = answer.text
        except InvalidRequest as error:
            status, body = 422, invalid_request_text(error.faults, self._request_id)
        except Exception:  # noqa: BLE001 (it is this item's alone)
            _log.exception("an item of batch %s failed", self._request_id)
            status, body = 500, problem_text(500, self._request_id)
        self.faulty += status != 200
        return f'{{"id":{_encode(name if isinstance(name, str) else None)},"status":{status},"body":{body}}}'

    def _answer(self, item: object) -> Answer:
        if not isinstance(item, dict):
            raise InvalidRequest([Fault((), "WRONG_TYPE", "An item must be a JSON object.")])
        faults = [*self._id_faults(item), *self._op_faults(item)]
        asked = {key: value for key, value in item.items() if key not in {"id", "op"}}
        op = item.get("op")
        call = self._calls.get(op) if isinstance(op, str) else None
        if call is None:
            raise InvalidRequest(faults)
        try:
            answer = call(asked)
        except InvalidRequest as error:
            faults += error.faults
        if faults:
            raise InvalidRequest(faults)
        return answer

    def _id_faults(self, item: dict[str, Any]) -> Iterator[Fault]:
        given = item.get("id")
        if "id" not in item:
            yield Fault(("id",), "MISSING_FIELD", "Must be given.")
        elif not isinstance(given, str) or not 0 < len(given) <= MOST_ID_CHARACTERS:
            yield Fault(("id",), "WRONG_TYPE", f"Must be a text of 1 to {MOST_ID_CHARACTERS} characters.")
        elif given in self._ids:
            yield Fault(("id",), "REPEATED_ID", f"{shown(given)} is the id of an earlier item.")
        else:
            self._ids.add(given)

    def _op_faults(self, item: dict[str, Any]) -> Iterator[Fault]:
        op = item.get("op")
        if "op" not in item:
            yield Fault(("op",), "MISSING_FIELD", "Must be given.")
        elif not isinstance(op, str):
            yield Fault(("op",), "WRONG_TYPE", "Must be the name of a call.")
        elif op not in self._calls:
            yield Fault(("op",), "UNKNOWN_OP", f"{shown(op)} is not one of {', '.join(self._calls)}.")
