"""Hands made to measure have what was asked for, and long ones are answered right."""

from collections import Counter
from functools import cache
from random import Random

import pytest

from bench.corpora import Deal, rule_sets
from bench.growth import JOKERS, KINDS, PAIRS, SIZES, points, three_packs
from bench.hands import counted_deal, full_deck
from service.game.cards import JOKER, NOTHING_TURNED_UP, parse_card
from service.game.melds import Kind
from service.game.rules import HAND_SIZE
from service.game.verdict import best_arrangement
from tests import oracle
from tests.audit import faults, worth

LONG = "AS 2S 3S 4S 5H 6H 7H 8H 9D 9C 9S TS TH TC TD JC QC KC JOKER 4C 4D"


def wild_or_printed(deal: Deal) -> int:
    return sum(card is JOKER or card.rank is deal.wild for card in deal.hand)


@pytest.mark.parametrize("built", [False, True])
def test_a_counted_hand_has_so_many_jokers_and_pairs(built: bool) -> None:
    random, rules = Random(1), rule_sets()["family-13"]
    cases = [(jokers, 0) for jokers in JOKERS] + [(1, pairs) for pairs in PAIRS]
    for jokers, pairs in cases:
        deal = counted_deal(random, rules, jokers, pairs, built=built)
        others = Counter(card for card in deal.hand if card is not JOKER and card.rank is not deal.wild)
        assert len(deal.hand) == HAND_SIZE
        assert wild_or_printed(deal) == jokers
        assert sorted(others.values(), reverse=True)[:pairs] == [2] * pairs
        assert list(others.values()).count(2) == pairs


def check(deal: Deal) -> None:
    """The answer is the hand in valid groups, worth what it claims by the oracle's definitions."""
    best = best_arrangement(deal.hand, deal.wild, deal.rules)
    assert faults(best, deal.hand, deal.wild, deal.rules) == [], deal.line
    assert Kind.NONE not in [group.kind for group in best.groups], deal.line


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_a_long_hand_is_answered_right(kind: str, size: int) -> None:
    random, rules = Random(2), three_packs()
    for _ in range(5):
        deal = KINDS[kind](random, rules, size)
        assert len(deal.hand) == size
        assert Counter(deal.hand) <= Counter(full_deck(rules))
        check(deal)


@pytest.mark.parametrize("kind", KINDS)
def test_17_cards_are_answered_with_the_optimum(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle's own search, told that hands have 17 cards."""

    @cache
    def without(mask: int) -> int:
        masks = 1
        for i in range(17):
            if not mask >> i & 1:
                masks |= masks << (1 << i)
        return masks

    monkeypatch.setattr(oracle, "_without", without)
    random, rules = Random(3), three_packs()
    for _ in range(4):
        deal = KINDS[kind](random, rules, 17)
        best = best_arrangement(deal.hand, deal.wild, rules)
        assert worth(best) == oracle.best(deal.hand, deal.wild, rules), deal.line


def test_21_cards_that_lie_in_groups_can_be_shown() -> None:
    hand = tuple(parse_card(code) for code in LONG.split())
    best = best_arrangement(hand, rule_sets()["online-13"].wild_rank(NOTHING_TURNED_UP), three_packs())
    assert (best.declarable, best.points, best.ungrouped) == (True, 0, ())


def test_the_points_cover_every_axis() -> None:
    places = {(point.axis, point.at, point.kind) for point in points(1)}
    jokers = {("jokers", at, kind) for at in JOKERS for kind in ("built", "random")}
    pairs = {("pairs", at, kind) for at in PAIRS for kind in ("built", "random")}
    assert places == jokers | pairs | {("cards", at, kind) for at in SIZES for kind in KINDS}
