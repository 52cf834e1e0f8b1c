"""Laws: what must hold for every hand, whatever the right answer is."""

import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from service.game.arrangement import Arrangement
from service.game.cards import JOKER, Card, Suit, natural_card
from service.game.rule_file import parse_rule_set
from service.game.rules import RuleSet
from service.game.verdict import Operation, Question, Verdict, judge_show, score_hand
from tests.strategies import FIXED, RULE_SET_TEXTS, RULE_SETS, Deal, deals, edit_text, laid_out_deals

LaidOut = tuple[Deal, list[tuple[Card, ...]]]
WITH_JOKERS = [name for name, rules in RULE_SETS.items() if rules.joker_makes_aces_wild]


def question(laid_out: LaidOut, rules: RuleSet | None = None) -> Question:
    deal, groups = laid_out
    return Question(rules or deal.rules, deal.turned_up, deal.hand, tuple(groups))


def answer(verdict: Verdict, asked: Question) -> Verdict:
    """The verdict as if `asked` had been the question: two answers are compared, not two questions."""
    return verdict._replace(question=asked)


def outcome(verdict: Verdict) -> tuple[object, ...]:
    """Points and verdict, of the answer and of both arrangements."""

    def worth(arrangement: Arrangement | None) -> tuple[bool, int] | None:
        return None if arrangement is None else (arrangement.declarable, arrangement.points)

    return (verdict.valid, verdict.points, verdict.deal, worth(verdict.submitted), worth(verdict.best))


@settings(FIXED, max_examples=200)
@given(laid_out_deals(), st.randoms(use_true_random=False))
def test_the_order_of_the_cards_changes_nothing(laid_out: LaidOut, rng: random.Random) -> None:
    """ "The same cards in any order give the same bytes"; "the order of cards inside a group carries no meaning"
    (spec, sections 4 and 2).
    """
    asked = question(laid_out)
    assert asked.groups is not None
    hand = tuple(rng.sample(asked.hand, 13))
    groups = tuple(tuple(rng.sample(group, len(group))) for group in asked.groups)
    again = asked._replace(hand=hand, groups=groups)
    assert answer(judge_show(again), asked) == judge_show(asked)
    assert answer(score_hand(again), asked) == score_hand(asked)


@settings(FIXED, max_examples=150)
@given(laid_out_deals(), st.sampled_from(list(permutations(Suit))))
def test_suits_are_alike(laid_out: LaidOut, suits: tuple[Suit, ...]) -> None:
    """No suit ranks above another in any of the texts."""

    def relabel(cards: Sequence[Card]) -> tuple[Card, ...]:
        return tuple(
            card if card.rank is None or card.suit is None else natural_card(card.rank, suits[card.suit])
            for card in cards
        )

    asked = question(laid_out)
    assert asked.groups is not None
    again = asked._replace(hand=relabel(asked.hand), groups=tuple(map(relabel, asked.groups)))
    assert outcome(judge_show(again)) == outcome(judge_show(asked))


@settings(FIXED, max_examples=250)
@given(laid_out_deals(rule_sets=WITH_JOKERS), st.integers(0, 12))
def test_a_wild_card_is_worth_a_printed_joker(laid_out: LaidOut, choice: int) -> None:
    """A wild-rank card can do all that a printed joker can, and be itself besides; left over, both are free.

    As laid out and at best alike; `joker_turned_up = "IMPOSSIBLE"` goes with no printed joker, so that rule set has
    no such law.
    """
    deal, groups = laid_out
    wild_cards = [card for card in deal.hand if card.rank is not None and card.rank is deal.wild]
    room = deal.hand.count(JOKER) < deal.rules.deck(deal.players).printed_jokers
    assume(wild_cards and room)
    wild_card = wild_cards[choice % len(wild_cards)]

    def swap(cards: Sequence[Card]) -> tuple[Card, ...]:
        place = cards.index(wild_card)
        return (*cards[:place], JOKER, *cards[place + 1 :])

    holder = next((i for i, group in enumerate(groups) if wild_card in group), None)
    swapped = tuple(swap(group) if i == holder else group for i, group in enumerate(groups))
    before = score_hand(question(laid_out))
    after = score_hand(Question(deal.rules, deal.turned_up, swap(deal.hand), swapped))
    assert after.points >= before.points
    assert after.best.points >= before.best.points
    assert before.best.declarable or not after.best.declarable
    assert before.valid or not after.valid


# Rule sets that each allow more, or charge less, than the one they are made from.
RELAXED: dict[str, tuple[str, dict[str, object]]] = {
    "a first life of three": ("rulebook-13", {"first_life.min": 3, "loser.first_life_min": 3}),
    "a loser's first life of three": ("rulebook-13", {"loser.first_life_min": 3}),
    "long first lives": ("two-row-duel", {"first_life.max": 13}),
    "long second lives": ("two-row-duel", {"second_life.max": 13}),
    "wild cards in the first life": ("two-row-duel", {"first_life.wild_cards_allowed": True}),
    "ungrouped cards count": ("online-13", {"loser.first_life_only": "UNGROUPED_COUNT"}),
    "no second life": ("online-13", {"loser.first_life_only": "UNGROUPED_COUNT", "second_life.asked": False}),
    "a lower cap": ("family-13", {"loser.cap": 60}),
    "a cap": ("face-value-duel", {"loser.cap": 80}),
    "a first life of three to show": ("face-value-duel", {"first_life.min": 3}),
    "wild cards are free": ("face-value-duel", {"wild_left_over": "ZERO"}),
    "cheap kings": ("face-value-duel", {"values.K": 1}),
}


@pytest.mark.parametrize(("name", "changes"), RELAXED.values(), ids=RELAXED)
def test_a_rule_set_that_allows_more_never_charges_more(name: str, changes: dict[str, object]) -> None:
    relaxed = parse_rule_set(edit_text(RULE_SET_TEXTS[name], changes))
    strict = RULE_SETS[name]

    @settings(FIXED, max_examples=60)
    @given(laid_out_deals(rule_sets=[name]))
    def run(laid_out: LaidOut) -> None:
        before, after = score_hand(question(laid_out, strict)), score_hand(question(laid_out, relaxed))
        assert after.points <= before.points
        assert after.best.points <= before.best.points
        assert after.valid or not before.valid
        assert after.best.declarable or not before.best.declarable

    run()


@settings(FIXED, max_examples=200)
@given(laid_out_deals())
def test_best_is_never_worse_than_submitted(laid_out: LaidOut) -> None:
    verdict = score_hand(question(laid_out))
    assert verdict.submitted is not None
    assert verdict.best.points <= verdict.submitted.points
    assert verdict.best.declarable or not verdict.submitted.declarable


@settings(FIXED, max_examples=150)
@given(laid_out_deals())
def test_a_show_and_a_score_differ_in_the_charge_alone(laid_out: LaidOut) -> None:
    """ "In `/score` the judged arrangement's; in `/validate` 0 for a valid show, else what the rule set charges"."""
    asked = question(laid_out)
    shown, scored = judge_show(asked), score_hand(asked)
    assert (scored.wrong_show, scored.deal) == (None, None)
    assert shown._replace(operation=Operation.SCORE, points=scored.points, deal=None) == scored
    assert shown.wrong_show is not shown.valid
    charge = asked.rules.wrong_show_charge
    assert shown.points == (0 if shown.valid else scored.points if charge is None else charge)
    assert shown.deal == ("ENDS" if shown.valid or asked.rules.wrong_show_ends_deal else "CONTINUES")


@settings(FIXED, max_examples=100)
@given(deals())
def test_without_groups_the_best_arrangement_is_judged(deal: Deal) -> None:
    """ "`judged`: `SUBMITTED` when `groups` was given, else `BEST`" (spec, section 4)."""
    verdict = score_hand(Question(deal.rules, deal.turned_up, deal.hand))
    assert (verdict.judged, verdict.submitted) == ("BEST", None)
    assert (verdict.valid, verdict.points) == (verdict.best.declarable, verdict.best.points)
    assert verdict.reasons == verdict.best.reasons
    groups = tuple(group.cards for group in verdict.best.groups)
    laid_out = score_hand(Question(deal.rules, deal.turned_up, deal.hand, groups))
    assert (laid_out.judged, laid_out.submitted) == ("SUBMITTED", verdict.best)


@settings(FIXED, max_examples=50)
@given(deals())
def test_the_solver_is_an_argument(deal: Deal) -> None:
    """ "`verdict` takes the solve function as an argument, so that the cached one can be passed in" (section 5): it is
    asked once, for the sorted hand.
    """
    asked: list[tuple[Card, ...]] = []
    best = score_hand(Question(deal.rules, deal.turned_up, deal.hand)).best

    def solve(hand: tuple[Card, ...], wild: object, rules: RuleSet) -> Arrangement:
        asked.append(hand)
        assert (wild, rules) == (deal.wild, deal.rules)
        return best

    assert score_hand(Question(deal.rules, deal.turned_up, deal.hand), solve).best is best
    assert asked == [tuple(sorted(deal.hand, key=lambda card: card.order))]
