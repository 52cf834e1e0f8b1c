"""Whole tables against the oracle: outcome, points, winner and match, and the verdicts that go with them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from service.game.settlement import Settlement, Table, settle
from service.game.verdict import judge_show, score_hand
from tests import table_oracle
from tests.strategies import FIXED, RULE_SETS, derive, tables

# A table costs the oracle as much as all its hands.
EXAMPLES = {"family-13": 40, "rulebook-13": 25, "online-13": 25, "face-value-duel": 25, "two-row-duel": 40}
assert EXAMPLES.keys() == RULE_SETS.keys()


def check_table(table: Table) -> None:
    """The settlement is that of the oracle."""
    settlement = settle(table)
    made = table_oracle.sheet(table)
    assert {result.id: (result.outcome, result.points) for result in settlement.results} == made.rows
    assert [result.id for result in settlement.results] == [player.id for player in table.players]
    assert (settlement.winner, settlement.deal) == (made.winner, "CONTINUES" if made.goes_on else "ENDS")
    check_verdicts(settlement)
    assert (settlement.standing is None) == (table.match is None)
    if table.match is not None and settlement.standing is not None:
        standing, score = settlement.standing, table_oracle.score(table.match, made)
        found = (standing.match.totals, list(standing.out), standing.match.deals_left)
        assert found == (score.totals, score.out, score.deals_left)
        assert (standing.over, list(standing.winners)) == (score.over, score.winners)
        assert (standing.match.format, standing.match.limit) == (table.match.format, table.match.limit)
        assert list(standing.match.totals) == list(table.match.totals)


def check_verdicts(settlement: Settlement) -> None:
    """A verdict is what the hand would get by itself, and none is given where nothing is charged for a hand."""
    table = settlement.table
    for player, result in zip(table.players, settlement.results, strict=True):
        judged = result.outcome == "LOST" or (player.id == table.declarer and player.question is not None)
        assert (result.verdict is not None) == judged
        if result.verdict is not None:
            assert player.question is not None
            at_best = table.losers_at_best and result.outcome == "LOST"
            asked = player.question._replace(groups=None) if at_best else player.question
            assert result.verdict == (judge_show if player.id == table.declarer else score_hand)(asked)
            assert result.points == result.verdict.points


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_table_is_settled_as_the_oracle_settles_it(name: str) -> None:
    @settings(FIXED, max_examples=EXAMPLES[name])
    @given(tables(rule_sets=[name]))
    def run(table: Table) -> None:
        check_table(table)

    run()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("online-13", {"wrong_show.deal": "CONTINUES", "wrong_show.charge": 40}),
        ("family-13", {"wrong_show.deal": "ENDS", "wrong_show.charge": "AS_LOSER", "drops.first": "NONE"}),
        ("family-13", {"wrong_show.charge": 60, "loser.cap": "NONE"}),
        ("two-row-duel", {"wrong_show.charge": 150, "wrong_show.declarer": "OUT"}),
    ],
)
def test_a_new_rule_set_needs_no_code(name: str, changes: dict[str, object]) -> None:
    """ "Rule sets are data: a new one is a new file, no branch in code" (spec, section 3)."""
    rules = derive(name, changes)

    @settings(FIXED, max_examples=15)
    @given(tables(rule_sets=[name]))
    def run(table: Table) -> None:
        players = tuple(
            replace(player, question=player.question and player.question._replace(rules=rules))
            for player in table.players
        )
        if not any(player.dropped in ("FIRST", "WRONG_SHOW") for player in players):
            check_table(replace(table, rules=rules, players=players))

    run()
