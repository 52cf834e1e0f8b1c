"""Thousands of answers against the exhaustive oracle: points, verdict, cards grouped, and the grouping itself."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from service.game.cards import Card, Rank, TurnedUp, sort_cards
from service.game.rules import RuleSet
from service.game.verdict import Question, best_arrangement, judge_show
from tests import oracle
from tests.audit import faults, worth
from tests.game.table import cards
from tests.strategies import FIXED, HANDS, RULE_SETS, Deal, deals, derive, laid_out_deals

# Rule sets that nobody plays, each with a combination that the five do not have: all of them are data to the core.
STRANGE_RULES = {
    "long lives": derive("online-13", {"first_life.min": 5, "second_life.min": 6, "loser.first_life_min": 4}),
    "a second life longer than the first": derive("online-13", {"first_life.max": 4, "second_life.min": 5}),
    "no wild card in a first life, wild cards count": derive(
        "family-13", {"first_life.wild_cards_allowed": False, "wild_left_over": "OWN_VALUE", "loser.cap": "NONE"}
    ),
    "loser's first life shorter": derive("rulebook-13", {"first_life.min": 6, "loser.first_life_min": 3}),
    "low cap": derive("two-row-duel", {"loser.cap": 20}),
    "one life, exactly four": derive("face-value-duel", {"first_life.max": 4, "loser.first_life_min": 4}),
    "ungrouped count": derive("two-row-duel", {"loser.first_life_only": "UNGROUPED_COUNT"}),
    "the second life is short": derive("online-13", {"second_life.max": 3, "loser.cap": "NONE"}),
}


def check_best(deal: Deal, rules: RuleSet) -> None:
    """The best arrangement of the hand is the optimum, and is worth what it claims."""
    arrangement = best_arrangement(tuple(sort_cards(deal.hand)), deal.wild, rules)
    assert worth(arrangement) == oracle.best(deal.hand, deal.wild, rules)
    assert faults(arrangement, deal.hand, deal.wild, rules) == []


def check_submitted(deal: Deal, groups: Sequence[tuple[Card, ...]], rules: RuleSet) -> None:
    """The groups are judged at their best readings, and come back in the order sent, with the cards sent."""
    verdict = judge_show(Question(rules, deal.turned_up, deal.hand, tuple(groups)))
    submitted = verdict.submitted
    assert submitted is not None
    assert worth(submitted) == oracle.submitted(deal.hand, groups, deal.wild, rules)
    assert faults(submitted, deal.hand, deal.wild, rules) == []
    assert [Counter(group.cards) for group in submitted.groups] == [Counter(group) for group in groups]


@pytest.mark.parametrize("kind", HANDS)
@pytest.mark.parametrize("name", RULE_SETS)
def test_best_is_the_proven_optimum(name: str, kind: str) -> None:
    """`best` is "declarable if any grouping is, then fewest points, then most cards grouped" (spec, section 4)."""

    @settings(FIXED, max_examples=42)
    @given(deals(kinds=[kind], rule_sets=[name]))
    def run(deal: Deal) -> None:
        check_best(deal, deal.rules)

    run()


@pytest.mark.parametrize("name", RULE_SETS)
def test_submitted_groups_are_judged_at_their_best_readings(name: str) -> None:
    """ "A valid show if any reading makes it one, otherwise fewest points" (spec, section 2)."""

    @settings(FIXED, max_examples=120)
    @given(laid_out_deals(rule_sets=[name]))
    def run(laid_out: tuple[Deal, list[tuple[Card, ...]]]) -> None:
        check_submitted(*laid_out, laid_out[0].rules)

    run()


@pytest.mark.parametrize("rules", STRANGE_RULES.values(), ids=STRANGE_RULES.keys())
def test_a_new_rule_set_needs_no_code(rules: RuleSet) -> None:
    """ "Rule sets are data: a new one is a new file, no branch in code" (spec, section 3)."""

    @settings(FIXED, max_examples=25)
    @given(laid_out_deals(rule_sets=[rules.name]))
    def run(laid_out: tuple[Deal, list[tuple[Card, ...]]]) -> None:
        deal, groups = laid_out
        check_best(deal, rules)
        check_submitted(deal, groups, rules)

    run()


def test_a_grouping_at_the_bound_is_no_better() -> None:
    """One hand in thousands gets so far in the search; it is pinned, as what is drawn at random may not reach it."""
    hand = cards("5S 8C 9C TC AS 4S 4H 4D 4C KD JOKER KH KS")
    check_best(Deal(RULE_SETS["two-row-duel"], 2, TurnedUp(Rank.KING), hand), RULE_SETS["two-row-duel"])


def test_a_free_wild_card_saves_nothing() -> None:
    """ "All but the pure sequence": the one that saves most (spec, section 3): 7-8-9, nines wild, saves 15."""
    rules = STRANGE_RULES["a second life longer than the first"]
    groups = [cards("7S 8S 9S"), cards("5H 6H 7H")]
    hand = (*groups[0], *groups[1], *cards("2C 4D KC QD JC 3D TC"))
    check_submitted(Deal(rules, 2, TurnedUp(Rank.NINE), hand), groups, rules)
    verdict = judge_show(Question(rules, TurnedUp(Rank.NINE), hand, tuple(groups)))
    assert verdict.submitted is not None
    assert [group.life for group in verdict.submitted.groups] == [None, "FIRST"]
