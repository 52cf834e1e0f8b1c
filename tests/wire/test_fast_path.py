"""What is read in one go is what the schema reads, and nothing that the schema finds a fault in."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError

from service.wire.fast_path import read_plain
from service.wire.schemas import REQUEST_SCHEMA
from tests.examples import GROUPS, HAND, question
from tests.strategies import FIXED

# Of the right kind or not, and what could pass for it.
_CARDS: Final[list[Any]] = ["AS", "10h", "10♥", "T♡", "joker", "JOKER", "ZZ", "", "A", "ASAS", 5, True, None, [], {}]
CARDS: Final = st.sampled_from(_CARDS)
LISTS: Final = st.lists(CARDS, max_size=3) | st.sampled_from([HAND, "ASAH", {"AS": 1}, ("AS",), 7, None])
VALUES: Final[dict[Any, st.SearchStrategy[Any]]] = {
    "rule_set": st.sampled_from(["online-13", "", 5, True, None, ["online-13"]]),
    "wild_rank": st.sampled_from(["7", "t", "10", "JOKER", "Joker", "1", "", 7, True, None, [], {}]),
    "hand": LISTS,
    "groups": st.lists(LISTS, max_size=3) | st.sampled_from([GROUPS, {"AS": ["AS"]}, "AS", None, [[]], [{}]]),
    "finish_card": CARDS,
    "players": st.sampled_from([2, 0, -1, 10**30, True, False, 2.0, 2.5, "2", None, []]),
    "unknown": st.sampled_from([None, 1]),
}


def by_schema(value: dict[str, Any]) -> object:
    try:
        return REQUEST_SCHEMA.load(value)
    except ValidationError:
        return None


@FIXED
@given(st.fixed_dictionaries({}, optional=VALUES), st.booleans())
def test_it_reads_as_the_schema_does_or_not_at_all(value: dict[str, Any], alone: bool) -> None:
    asked = value if alone else {**question(), **dict(list(value.items())[:2])}
    read = read_plain(asked)
    assert read is None or read == by_schema(asked)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"groups": ...},
        {"groups": None, "finish_card": None, "players": None, "wild_rank": None},
        {"groups": [], "finish_card": "10♥", "players": 2, "wild_rank": "Joker"},
        {"wild_rank": ...},
    ],
)
def test_a_request_without_a_fault_is_read(changes: dict[str, Any]) -> None:
    asked = question(**changes)
    assert read_plain(asked) == by_schema(asked) is not None
