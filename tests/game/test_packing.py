"""Arrangements as a cache keeps them."""

import gc

from hypothesis import given

from service.game.cards import NATURAL_CARDS, sort_cards
from service.game.packing import pack, unpack
from service.game.verdict import best_arrangement
from tests.strategies import FIXED, RULE_SETS, Deal, deals


@FIXED
@given(deals())
def test_what_is_packed_is_what_was_solved(deal: Deal) -> None:
    solved = best_arrangement(tuple(sort_cards(deal.hand)), deal.wild, deal.rules)
    assert unpack(pack(solved)) == solved


def test_the_garbage_collector_skips_cached_hands() -> None:
    """Walking through the objects of a full cache would hold up all requests."""
    hands = [NATURAL_CARDS[start : start + 13] for start in range(40)]
    kept = [pack(best_arrangement(hand, None, RULE_SETS["online-13"])) for hand in hands]
    for _ in range(4):
        # Each pass finds one more layer of tuples that can be in no cycle.
        gc.collect()
    assert not any(map(gc.is_tracked, kept))
