"""The 36 hands of `tests/data/hands.json` under all five rule sets, as they are best and as they were laid out."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from service.game.cards import sort_cards
from service.game.verdict import Question, Verdict, score_hand
from tests import oracle
from tests.audit import faults
from tests.game.table import cards, turned_up
from tests.strategies import RULE_SETS, full_deck

HANDS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data/hands.json").read_text(encoding="utf-8"))
CASES = {f"{hand['id']}-{name}": (hand, name) for hand in HANDS for name in hand["expect"]}
POSSIBLE = {key: (hand, name) for key, (hand, name) in CASES.items() if "impossible_hand" not in hand["expect"][name]}
IMPOSSIBLE = {key: case for key, case in CASES.items() if key not in POSSIBLE}
LAID_OUT = {key: case for key, case in POSSIBLE.items() if case[0]["groups"] is not None}


def judge(hand: dict[str, Any], name: str) -> Verdict:
    groups = hand["groups"] and tuple(cards(" ".join(group)) for group in hand["groups"])
    question = Question(RULE_SETS[name], turned_up(hand["wild_rank"]), cards(" ".join(hand["hand"])), groups)
    return score_hand(question)


def test_there_are_36_hands_under_five_rule_sets() -> None:
    assert len(HANDS) == 36
    assert len(CASES) == 36 * 5


@pytest.mark.parametrize(("hand", "name"), POSSIBLE.values(), ids=POSSIBLE)
def test_best(hand: dict[str, Any], name: str) -> None:
    verdict = judge(hand, name)
    found = {"points": verdict.best.points, "declarable": verdict.best.declarable}
    assert found == hand["expect"][name]["best"], hand["note"]
    assert faults(verdict.best, verdict.question.hand, verdict.question.wild, RULE_SETS[name]) == []


@pytest.mark.parametrize(("hand", "name"), LAID_OUT.values(), ids=LAID_OUT)
def test_submitted(hand: dict[str, Any], name: str) -> None:
    verdict = judge(hand, name)
    assert verdict.submitted is not None
    found = {"points": verdict.submitted.points, "declarable": verdict.submitted.declarable}
    assert found == hand["expect"][name]["submitted"], hand["note"]
    assert faults(verdict.submitted, verdict.question.hand, verdict.question.wild, RULE_SETS[name]) == []


@pytest.mark.parametrize(("hand", "name"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible(hand: dict[str, Any], name: str) -> None:
    """The packs do not hold the hand, or the printed joker that was turned up."""
    deck = Counter(full_deck(RULE_SETS[name], None))
    too_many = Counter(cards(" ".join(hand["hand"]))) - deck
    assert too_many or (hand["wild_rank"] == "JOKER" and not RULE_SETS[name].joker_makes_aces_wild)


@pytest.mark.parametrize(("hand", "name"), POSSIBLE.values(), ids=POSSIBLE)
def test_the_oracle_agrees_with_the_hands(hand: dict[str, Any], name: str) -> None:
    """Who checks the oracle? These hands, which were worked out by hand."""
    rules, expected = RULE_SETS[name], hand["expect"][name]
    wild, held = rules.wild_rank(turned_up(hand["wild_rank"])), cards(" ".join(hand["hand"]))
    best = oracle.best(sort_cards(held), wild, rules)
    assert {"points": best.points, "declarable": best.declarable} == expected["best"]
    if hand["groups"] is not None:
        worth = oracle.submitted(held, [cards(" ".join(group)) for group in hand["groups"]], wild, rules)
        assert {"points": worth.points, "declarable": worth.declarable} == expected["submitted"]
