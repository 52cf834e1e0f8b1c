"""Faults: what is wrong with a request, each with the place of the value, a key and the details of its message."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from marshmallow import Schema, ValidationError

from service.limits import MAX_FAULTS
from service.wire.messages.faults import fault_message
from service.wire.messages.sentences import NO_DETAILS, Details

Path = tuple[str | int, ...]

# The fields of every request, in the order of the contract: faults are listed in it.
FIELD_ORDER: Final = (
    *("rule_set", "wild_rank", "id", "hand", "groups", "finish_card", "players", "dropped", "declarer", "arrange"),
    *("match", "format", "limit", "deals_left", "totals"),
)
_PLACES: Final = {name: place for place, name in enumerate(FIELD_ORDER)}


class Fault(NamedTuple):
    """One fault of a request: `path` leads to the value, as ("hand", 3)."""

    path: Path
    key: str
    details: Details = NO_DETAILS

    @property
    def code(self) -> str:
        """What the contract calls the fault; the key may go on with a variant of its message."""
        return self.key.partition(".")[0]

    @property
    def detail(self) -> str:
        """The sentence about the fault."""
        return fault_message(self.key, self.details)

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer (RFC 6901)."""
        return "".join(["/" + str(part).replace("~", "~0").replace("/", "~1") for part in self.path])


class InvalidRequest(ValueError):
    """The body is JSON but no good request; `faults` has all that is wrong, in the order of the fields."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = sorted(faults, key=_place)


def _place(fault: Fault) -> list[tuple[int, str]]:
    return [(part, "") if isinstance(part, int) else (_PLACES.get(part, len(_PLACES)), part) for part in fault.path]


class Faults:
    """What is found wrong with a request while it is read: `found` in the order of the checks."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(self, path: Path, key: str, details: Details = NO_DETAILS) -> None:
        # One more than are listed is enough to say that there are more.
        if len(self.found) <= MAX_FAULTS:
            self.found.append(Fault(path, key, details))


def require_object(value: object, key: str = "WRONG_TYPE.BODY") -> dict[str, Any]:
    """The value, if it is a JSON object; raises `InvalidRequest` with a fault of that key for any other."""
    if not isinstance(value, dict):
        raise InvalidRequest([Fault((), key)])
    return value


def load_fields(schema: Schema, given: dict[str, Any], faults: Faults) -> dict[str, Any]:
    """What the schema reads. What it finds faulty is added to `faults`, and is None in lists, else left out."""
    try:
        loaded: dict[str, Any] = schema.load(given)
    except ValidationError as error:
        faults.found.extend(_schema_faults((), error.messages))
        loaded = dict(error.valid_data or {})
    return loaded


def _schema_faults(path: Path, messages: dict[Any, Any] | list[Any]) -> Iterator[Fault]:
    """What marshmallow reports, nested by field and index: each a key, or a pair of a key and its details."""
    if isinstance(messages, dict):
        for name, inner in messages.items():
            yield from _schema_faults((*path, name), inner)
    else:
        for message in messages:
            yield Fault(path, message) if isinstance(message, str) else Fault(path, *message)
