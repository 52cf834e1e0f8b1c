"""Rare hands that random ones do not reach, against the oracle: second lives of jokers only, three equal cards."""

import pytest

from service.game.cards import Rank
from service.game.rule_file import parse_rule_set
from service.game.rules import RuleSet
from service.game.solver import solve
from service.game.verdict import best_arrangement
from tests import oracle
from tests.audit import faults, worth
from tests.game.table import cards
from tests.strategies import RULE_SET_TEXTS, derive

CASES = {
    "ten jokers beside a first life of three": (
        derive("family-13", {"loser.cap": "NONE"}),
        "AS 2S 3S 7S 7S 7H 7H 7D 7D 7C 7C JOKER JOKER",
    ),
    "the second life may have three cards only, so the rest is a group of its own": (
        derive("family-13", {"loser.cap": "NONE", "second_life.max": 3}),
        "AS 2S 3S 7S 7S 7H 7H 7D 7D 7C 7C JOKER JOKER",
    ),
    "jokers of a second life that has room for three cards come to no more than what was found": (
        derive("online-13", {"second_life.max": 3, "loser.cap": "NONE"}),
        "5S JS AH 7H 8H 8H JD QD KD 4C 6C QC JOKER",
    ),
    "a first life of eight, and a single wild card among five jokers": (
        derive("family-13", {"first_life.min": 8, "loser.first_life_min": 8}),
        "8S 9S TS JS QS KS AS 7S JOKER JOKER JOKER JOKER 7H",
    ),
    "five jokers where the second life takes four of them": (
        derive("family-13", {"first_life.min": 8, "loser.first_life_min": 8, "second_life.max": 4}),
        "2S 3S 4S 5S 6S AS 8S 7S JOKER JOKER JOKER JOKER 7H",
    ),
    "printed jokers alone are no second life": (
        derive("family-13", {"first_life.min": 8, "loser.first_life_min": 8}),
        "2S 3S 4S 5S 6S AS 8S 7S JOKER JOKER JOKER JOKER KH",
    ),
    "a second life of exactly four, where longer runs are no life": (
        derive("family-13", {"second_life.min": 4, "second_life.max": 4}),
        "2S 3S 4S 8D 9D TD JD QD KD 7H 7C JOKER 2H",
    ),
    "the same without a joker": (
        derive("family-13", {"second_life.min": 4, "second_life.max": 4}),
        "2S 3S 4S 8D 9D TD JD QD KD 2H 5H 9C KC",
    ),
    "a second life of four at least, and no joker that makes three cards four": (
        derive("family-13", {"second_life.min": 4}),
        "2S 3S 4S 8D 9D TD 4H 5H 6H QC QD QS AH",
    ),
    "three equal cards": (
        parse_rule_set(RULE_SET_TEXTS["family-13"].replace("packs = 2", "packs = 3")),
        "2S 3S 4S 4S 4S 5S 6S 8D 8D 8D 9D TH JOKER",
    ),
}


@pytest.mark.parametrize(("rules", "hand"), CASES.values(), ids=CASES)
def test_best_is_the_proven_optimum(rules: RuleSet, hand: str) -> None:
    held = cards(hand)
    arrangement = best_arrangement(held, Rank.SEVEN, rules)
    assert worth(arrangement) == oracle.best(held, Rank.SEVEN, rules)
    assert faults(arrangement, held, Rank.SEVEN, rules) == []


def test_more_jokers_than_a_sequence_holds_make_two() -> None:
    """Hands of 17 or 21 cards are solved as well, though no table plays them."""
    rules = parse_rule_set(RULE_SET_TEXTS["family-13"].replace("packs = 2", "packs = 3"))
    hand = cards("7S 7S 7S 7H 7H 7H 7D 7D 7D 7C 7C 7C JOKER JOKER JOKER JOKER")
    for held, groups in ((hand, (13, 3)), ((*hand, *cards("JOKER")), (13, 4)), (hand[:14], (11, 3))):
        solution = solve(held, Rank.SEVEN, rules)
        assert tuple(len(group.cards) for group in solution.groups) == groups
        assert all(oracle.classify(group.cards, Rank.SEVEN, rules).valid for group in solution.groups)
        assert not solution.ungrouped
