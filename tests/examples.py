"""Requests that the tests start from."""

from typing import Any

HAND = ["AH", "2H", "3H", "5D", "JOKER", "7D", "9C", "9S", "9D", "KS", "KH", "KD", "2C"]
GROUPS = [HAND[0:3], HAND[3:6], HAND[6:9], HAND[9:12]]
# Four sequences and nothing left over.
SHOW_HAND = ["AH", "2H", "3H", "4H", "5D", "6D", "7D", "9C", "TC", "JC", "JS", "QS", "KS"]


def question(**changes: Any) -> dict[str, Any]:
    """A good request with some fields changed; a field changed to `...` is left out."""
    asked: dict[str, Any] = {"rule_set": "online-13", "wild_rank": "7", "hand": HAND, "groups": GROUPS}
    return {name: value for name, value in (asked | changes).items() if value is not ...}


# A hand without a first life under any rule set, and one that shares no card with it.
LOSING_HAND = ["2S", "4S", "6S", "8H", "TH", "QH", "AD", "3D", "JD", "4C", "6C", "8C", "KC"]


def deal(**changes: Any) -> dict[str, Any]:
    """A good deal with some fields changed; a field changed to `...` is left out."""
    asked: dict[str, Any] = {
        "rule_set": "family-13",
        "wild_rank": "7",
        "players": [player("p1", SHOW_HAND), player("p2", LOSING_HAND), {"id": "p3", "dropped": "FIRST"}],
        "declarer": "p1",
    }
    return {name: value for name, value in (asked | changes).items() if value is not ...}


def player(id_: str, hand: list[str], **more: Any) -> dict[str, Any]:
    """A player of a deal who has these cards."""
    return {"id": id_, "hand": hand, **more}
