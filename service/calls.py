"""Calls: what the API answers to a JSON value, without HTTP; each verdict in an answer is put down in the record."""

from collections.abc import Callable, Mapping

from service.answers import write_settlement
from service.deals import read_table
from service.records import Given, current_record, note
from service.rules import RuleSet
from service.settlement import settle
from service.verdict import Solve, Verdict


def settle_deal(value: object, rule_sets: Mapping[str, RuleSet], solve: Solve, write: Callable[[Verdict], str]) -> str:
    """The settlement of the deal that a JSON value describes, as JSON; raises `InvalidRequest` with every fault.

    `write` gives the text of each verdict in it.
    """
    table = read_table(value, rule_sets)
    note(rule_set=table.rules.name)
    settlement = settle(table, solve)
    outcome = "NO_SHOW"
    for result in settlement.results:
        if result.verdict is not None:
            given = put_down(result.verdict)
            if result.id == table.declarer:
                outcome = given
    note(outcome=outcome)
    return write_settlement(settlement, write)


def put_down(verdict: Verdict) -> str:
    """Put a verdict that is given down in the record of the request; its outcome is returned."""
    outcome = _outcome(verdict)
    codes = tuple(reason.code for reason in verdict.reasons)
    current_record().verdicts.append(Given(verdict.question.rules.name, outcome, codes))
    return outcome


def _outcome(verdict: Verdict) -> str:
    if verdict.wrong_show is None:
        return "SCORED"
    return "WRONG_SHOW" if verdict.wrong_show else "VALID_SHOW"
