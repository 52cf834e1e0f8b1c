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
