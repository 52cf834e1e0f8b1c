"""Arrangements as a cache keeps them."""

from hypothesis import given

from service.game.cards import sort_cards
from service.game.packing import pack, unpack
from service.game.verdict import best_arrangement
from tests.strategies import FIXED, Deal, deals


@FIXED
@given(deals())
def test_what_is_packed_is_what_was_solved(deal: Deal) -> None:
    solved = best_arrangement(tuple(sort_cards(deal.hand)), deal.wild, deal.rules)
    assert unpack(pack(solved)) == solved
