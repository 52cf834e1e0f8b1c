"""Batches: many operations in one request. A faulty item has a problem of its own and spoils no other."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from service.limits import MAX_ITEM_ID_CHARACTERS, MAX_ITEMS
from service.telemetry.events import VerdictSummary
from service.wire.faults import Fault, InvalidRequest, require_object
from service.wire.operations import Answer, Operate
from service.wire.problems import Problem, invalid_request, status_problem

_log = logging.getLogger(__name__)
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


class ItemAnswer(NamedTuple):
    """The JSON text of an item's answer, its status, and the verdicts in it."""

    text: str
    status: int
    verdicts: tuple[VerdictSummary, ...] = ()


class BatchAnswer(NamedTuple):
    """The JSON text of the answer, the verdicts in it, and how many items were answered with a problem."""

    text: str
    verdicts: list[VerdictSummary]
    faulty: int


def answer_batch(
    value: object, operations: Mapping[str, Operate], request_id: str, pause: Callable[[], None]
) -> BatchAnswer:
    """Answer each item as the operation that it names would, in the order given; after each, `pause` lets others in.

    Raises `InvalidRequest` for a value that is no batch.
    """
    ids: set[str] = set()
    answers = []
    for item in _items(value):
        answers.append(answer_item(item, operations, request_id, ids))
        pause()
    verdicts = [each for answer in answers for each in answer.verdicts]
    faulty = sum(answer.status != 200 for answer in answers)
    return BatchAnswer(f'{{"items":[{",".join(answer.text for answer in answers)}]}}', verdicts, faulty)


def answer_item(item: object, operations: Mapping[str, Operate], request_id: str, earlier: set[str]) -> ItemAnswer:
    """Answer one item, whatever it is. `earlier` has the ids of the items before it, and gets its own."""
    try:
        answer = _answer(item, operations, earlier)
    except InvalidRequest as error:
        return problem_item(item, invalid_request(error.faults), request_id)
    except Exception:  # noqa: BLE001 (it is this item's alone)
        _log.exception("an item of %s failed", request_id)
        return problem_item(item, status_problem(500), request_id)
    return ItemAnswer(_text(item, 200, answer.text), 200, answer.verdicts)


def problem_item(item: object, problem: Problem, request_id: str) -> ItemAnswer:
    """The answer to an item that has no other than this problem."""
    return ItemAnswer(_text(item, problem.status, problem.text(request_id)), problem.status)


def _text(item: object, status: int, body: str) -> str:
    given = item.get("id") if isinstance(item, dict) else None
    return f'{{"id":{_encode(given if isinstance(given, str) else None)},"status":{status},"body":{body}}}'


def _items(value: object) -> list[object]:
    body = require_object(value)
    faults = [Fault((key,), "UNKNOWN_FIELD") for key in body if key != "items"]
    items = body.get("items")
    if "items" not in body:
        faults.append(Fault(("items",), "MISSING_FIELD"))
    elif not isinstance(items, list):
        faults.append(Fault(("items",), "WRONG_TYPE.ITEMS"))
    elif len(items) > MAX_ITEMS:
        faults.append(Fault(("items",), "TOO_MANY_ITEMS", {"most": MAX_ITEMS, "count": len(items)}))
    if faults or not isinstance(items, list):
        raise InvalidRequest(faults)
    return items


def _answer(value: object, operations: Mapping[str, Operate], earlier: set[str]) -> Answer:
    item = require_object(value, "WRONG_TYPE.ITEM")
    faults = [*_id_faults(item, earlier), *_op_faults(item, operations)]
    op = item.get("op")
    operate = operations.get(op) if isinstance(op, str) else None
    if operate is None:
        raise InvalidRequest(faults)
    try:
        answer = operate({key: value for key, value in item.items() if key not in {"id", "op"}})
    except InvalidRequest as error:
        faults += error.faults
    if faults:
        raise InvalidRequest(faults)
    return answer


def _id_faults(item: dict[str, Any], earlier: set[str]) -> Iterator[Fault]:
    given = item.get("id")
    if "id" not in item:
        yield Fault(("id",), "MISSING_FIELD")
    elif not isinstance(given, str) or not 0 < len(given) <= MAX_ITEM_ID_CHARACTERS:
        yield Fault(("id",), "WRONG_TYPE.ITEM_ID", {"most": MAX_ITEM_ID_CHARACTERS})
    elif given in earlier:
        yield Fault(("id",), "REPEATED_ID.ITEM", {"id": given})
    else:
        earlier.add(given)


def _op_faults(item: dict[str, Any], operations: Mapping[str, Operate]) -> Iterator[Fault]:
    op = item.get("op")
    if "op" not in item:
        yield Fault(("op",), "MISSING_FIELD")
    elif not isinstance(op, str):
        yield Fault(("op",), "WRONG_TYPE.OP")
    elif op not in operations:
        yield Fault(("op",), "UNKNOWN_OP", {"op": op, "known": list(operations)})
