"""Calls: what the API can be asked, from a JSON value to the text of an answer. HTTP and batches share them."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from service.answers import write_verdict
from service.questions import read_question
from service.records import Given
from service.rules import RuleSet
from service.verdict import Question, Solve, Verdict, judge_show, score_hand


class Answer(NamedTuple):
    """The JSON text of an answer, and the verdicts that were given in it."""

    text: str
    given: tuple[Given, ...]


# A call raises `InvalidRequest` for a value that asks nothing.
Call = Callable[[object], Answer]


def create_calls(rule_sets: Mapping[str, RuleSet], solve: Solve) -> Mapping[str, Call]:
    """The calls by name, over these rule sets; `solve` finds the best of a hand."""

    def judging(judge: Callable[[Question, Solve], Verdict]) -> Call:
        def call(value: object) -> Answer:
            verdict = judge(read_question(value, rule_sets), solve)
            return Answer(write_verdict(verdict), (_given(verdict),))

        return call

    return {"validate": judging(judge_show), "score": judging(score_hand)}


def _given(verdict: Verdict) -> Given:
    outcome = "SCORED" if verdict.wrong_show is None else "WRONG_SHOW" if verdict.wrong_show else "VALID_SHOW"
    return Given(verdict.question.rules.name, outcome, tuple(reason.code for reason in verdict.reasons))
