"""Verdicts: whether a show is valid, what it costs, and how the hand as laid out compares with the best it can be."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from service.game.arrangement import Arrangement, assess, assess_readings
from service.game.cards import Card, Rank, TurnedUp, sort_cards
from service.game.reasons import Reason
from service.game.rules import RuleSet
from service.game.solver import solve


class Operation(StrEnum):
    """What the service can be asked: to judge a show, to score a loser's hand, to settle a deal."""

    VALIDATE = "validate"
    SCORE = "score"
    SETTLE = "settle"


class Judged(StrEnum):
    """Which arrangement a verdict is on: the one that was laid out, or the best one."""

    SUBMITTED = "SUBMITTED"
    BEST = "BEST"


class DealState(StrEnum):
    """What becomes of the deal."""

    ENDS = "ENDS"
    CONTINUES = "CONTINUES"


class Question(NamedTuple):
    """What is asked: the 13 cards that are judged, and the groups in which the player laid them out, if any.

    The finish card and the number of players change no verdict, but they belong to the question.
    """

    rules: RuleSet
    turned_up: TurnedUp
    hand: tuple[Card, ...]
    groups: tuple[tuple[Card, ...], ...] | None = None
    finish_card: Card | None = None
    players: int | None = None

    @property
    def wild(self) -> Rank | None:
        return self.rules.wild_rank(self.turned_up)


class Verdict(NamedTuple):
    """The answer: `points` and `reasons` are of the judged arrangement; only a show has a `deal`."""

    operation: Operation
    question: Question
    judged: Judged
    valid: bool
    points: int
    reasons: tuple[Reason, ...]
    submitted: Arrangement | None
    best: Arrangement
    deal: DealState | None = None

    @property
    def wrong_show(self) -> bool | None:
        """Whether it is a wrong show; None where nobody showed."""
        return not self.valid if self.operation is Operation.VALIDATE else None


# The proven best arrangement of a sorted hand; `best_arrangement`, or the cached one.
Solve = Callable[[tuple[Card, ...], Rank | None, RuleSet], Arrangement]


def best_arrangement(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
    """The best that the hand can be: declarable if it can be, then fewest points, then most cards grouped."""
    solution = solve(hand, wild, rules)
    return assess_readings(solution.groups, solution.ungrouped, wild, rules)


def judge_show(question: Question, solve: Solve = best_arrangement) -> Verdict:
    """Judge a show: valid, or a wrong show that is charged as the rule set says."""
    judged, arrangement, submitted, best = _arrange(question, solve)
    valid = arrangement.declarable
    charge = question.rules.wrong_show_charge
    ends = valid or question.rules.wrong_show_ends_deal
    return Verdict(
        operation=Operation.VALIDATE,
        question=question,
        judged=judged,
        valid=valid,
        points=0 if valid else arrangement.points if charge is None else charge,
        reasons=arrangement.reasons,
        submitted=submitted,
        best=best,
        deal=DealState.ENDS if ends else DealState.CONTINUES,
    )


def score_hand(question: Question, solve: Solve = best_arrangement) -> Verdict:
    """Charge a player who did not show."""
    judged, arrangement, submitted, best = _arrange(question, solve)
    return Verdict(
        operation=Operation.SCORE,
        question=question,
        judged=judged,
        valid=arrangement.declarable,
        points=arrangement.points,
        reasons=arrangement.reasons,
        submitted=submitted,
        best=best,
    )


# How a question about one hand is judged.
JUDGES: Final[dict[Operation, Callable[[Question, Solve], Verdict]]] = {
    Operation.VALIDATE: judge_show,
    Operation.SCORE: score_hand,
}


def _arrange(question: Question, solve: Solve) -> tuple[Judged, Arrangement, Arrangement | None, Arrangement]:
    wild = question.wild
    best = solve(tuple(sort_cards(question.hand)), wild, question.rules)
    if question.groups is None:
        return Judged.BEST, best, None, best
    submitted = assess(question.groups, _left_over(question.hand, question.groups), wild, question.rules)
    return Judged.SUBMITTED, submitted, submitted, best


def _left_over(hand: Sequence[Card], groups: Sequence[Sequence[Card]]) -> tuple[Card, ...]:
    left = sort_cards(hand)
    for group in groups:
        for card in group:
            left.remove(card)
    return tuple(left)
