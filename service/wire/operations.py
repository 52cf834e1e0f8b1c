"""Operations: from the JSON value of a request to the text of its answer. HTTP, batches and files share them."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from service.game.rules import RuleSet
from service.game.settlement import settle
from service.game.verdict import JUDGES, Operation, Question, Solve, Verdict
from service.telemetry.events import VerdictSummary
from service.wire.deal_request import read_table
from service.wire.hand_request import read_question
from service.wire.verdict_json import write_settlement


class Answer(NamedTuple):
    """The JSON text of an answer, the rule set and the outcome as the log names them, and the verdicts in it."""

    text: str
    rule_set: str
    outcome: str
    verdicts: tuple[VerdictSummary, ...]


# An operation raises `InvalidRequest` for a value that it cannot answer.
Operate = Callable[[object], Answer]


def create_operations(
    rule_sets: Mapping[str, RuleSet], solve: Solve, write: Callable[[Verdict], str]
) -> Mapping[str, Operate]:
    """The operations by their names: `solve` finds the best of a hand, `write` gives the text of a verdict."""

    def judging(judge: Callable[[Question, Solve], Verdict]) -> Operate:
        def operate(value: object) -> Answer:
            verdict = judge(read_question(value, rule_sets), solve)
            summary = _summary(verdict)
            return Answer(write(verdict), summary.rule_set, summary.outcome, (summary,))

        return operate

    def settling(value: object) -> Answer:
        table = read_table(value, rule_sets)
        settlement = settle(table, solve)
        summaries = {result.id: _summary(result.verdict) for result in settlement.results if result.verdict is not None}
        outcome = "NO_SHOW" if table.declarer is None else summaries[table.declarer].outcome
        text = write_settlement(settlement, write)
        return Answer(text, table.rules.name, outcome, tuple(summaries.values()))

    operations: dict[str, Operate] = {operation: judging(judge) for operation, judge in JUDGES.items()}
    operations[Operation.SETTLE] = settling
    return operations


def _summary(verdict: Verdict) -> VerdictSummary:
    outcome = "SCORED" if verdict.wrong_show is None else "WRONG_SHOW" if verdict.wrong_show else "VALID_SHOW"
    return VerdictSummary(verdict.question.rules.name, outcome, tuple(reason.code for reason in verdict.reasons))
