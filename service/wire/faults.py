"""Faults: what is wrong with a request, each with the place of the value and a code."""

import json
from dataclasses import dataclass
from typing import Any, Final

from marshmallow import ValidationError

from service.limits import MAX_QUOTED_CHARACTERS

Path = tuple[str | int, ...]

# The fields of every request, in the order of the contract: faults are listed in it.
FIELD_ORDER: Final = (
    *("rule_set", "wild_rank", "id", "hand", "groups", "finish_card", "players", "dropped", "declarer", "arrange"),
    *("match", "format", "limit", "deals_left", "totals"),
)
_PLACES: Final = {name: place for place, name in enumerate(FIELD_ORDER)}


@dataclass(frozen=True)
class Fault:
    """One fault of a request: `path` leads to the value, as ("hand", 3)."""

    path: Path
    code: str
    detail: str

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer (RFC 6901)."""
        return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in self.path)


class InvalidRequest(ValueError):
    """The body is JSON but no good request; `faults` has all that is wrong, in the order of the fields."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = sorted(faults, key=_place)


def _place(fault: Fault) -> list[tuple[int, str]]:
    return [(part, "") if isinstance(part, int) else (_PLACES.get(part, len(_PLACES)), part) for part in fault.path]


def require_object(value: object, what: str = "The body") -> dict[str, Any]:
    """The value, if it is a JSON object; raises `InvalidRequest` for any other."""
    if not isinstance(value, dict):
        raise InvalidRequest([Fault((), "WRONG_TYPE", f"{what} must be a JSON object.")])
    return value


def schema_faults(error: ValidationError) -> list[Fault]:
    """What a schema found, as faults."""
    return _schema_faults((), error.messages)


def _schema_faults(path: Path, messages: dict[Any, Any] | list[Any]) -> list[Fault]:
    """What marshmallow reports, nested by field and index, as faults."""
    if isinstance(messages, dict):
        return [fault for key, inner in messages.items() for fault in _schema_faults((*path, key), inner)]
    parts = (message.partition(": ") for message in messages)
    return [Fault(path, code, detail) for code, _, detail in parts]


def shown(text: str) -> str:
    """A faulty text as it stands in a message: quoted, and not more of it than helps."""
    kept = text if len(text) <= MAX_QUOTED_CHARACTERS else text[:MAX_QUOTED_CHARACTERS] + "…"
    return json.dumps(kept, ensure_ascii=False)
