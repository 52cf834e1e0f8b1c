"""The oracle for a whole table: a deal is told as a story, event by event, and then the points are written down.

Slow and obvious on purpose, on top of `tests.oracle` for the hands, and sharing no code with `service.game.settlement`.
"""

from dataclasses import dataclass

from service.game.rules import RuleSet
from service.game.settlement import Match, Table
from service.game.verdict import Question
from tests import oracle


@dataclass
class Sheet:
    """The score sheet of a deal: for each player the outcome and the points; who has won; does it go on?"""

    rows: dict[str, tuple[str, int]]
    winner: str | None = None
    goes_on: bool = False


@dataclass
class Score:
    """A match after the deal."""

    totals: dict[str, int]
    out: list[str]
    deals_left: int | None
    over: bool
    winners: list[str]


def _as_laid_out(question: Question) -> oracle.Worth:
    if question.groups is None:
        return oracle.best(question.hand, question.wild, question.rules)
    return oracle.submitted(question.hand, question.groups, question.wild, question.rules)


def _of_a_loser(question: Question, at_best: bool) -> int:
    if at_best:
        return oracle.best(question.hand, question.wild, question.rules).points
    return _as_laid_out(question).points


def _price(rules: RuleSet, drop: str) -> int:
    price = {"FIRST": rules.first_drop, "MIDDLE": rules.middle_drop, "WRONG_SHOW": rules.wrong_show_charge}[drop]
    assert price is not None
    return price


def sheet(table: Table) -> Sheet:
    """What happened at the table, in turn: some left, one showed or nobody did, and the rest is what follows."""
    rules = table.rules
    hands = {player.id: player.question for player in table.players}
    made = Sheet({})
    still_in = []
    for player in table.players:
        if player.dropped is None:
            still_in.append(player.id)
        else:
            word = "DROPPED" if player.dropped in ("FIRST", "MIDDLE") else "WRONG_SHOW"
            made.rows[player.id] = (word, _price(rules, player.dropped))
    if table.declarer is not None:
        shown = hands[table.declarer]
        assert shown is not None
        worth = _as_laid_out(shown)
        if worth.declarable:
            made.winner = table.declarer
            for id_ in still_in:
                hand = hands[id_]
                assert hand is not None
                won = id_ == table.declarer
                made.rows[id_] = ("WON", 0) if won else ("LOST", _of_a_loser(hand, table.losers_at_best))
            return made
        charge = worth.points if rules.wrong_show_charge is None else rules.wrong_show_charge
        made.rows[table.declarer] = ("WRONG_SHOW", charge)
        still_in.remove(table.declarer)
        made.goes_on = not rules.wrong_show_ends_deal and bool(still_in)
    if len(still_in) == 1 and not made.goes_on:
        made.winner = still_in[0]
        made.rows[still_in[0]] = ("WON", 0)
    for player in table.players:
        made.rows.setdefault(player.id, ("PLAYING", 0))
    return made


def score(match: Match, made: Sheet) -> Score:
    """The match once the sheet is added to it."""
    totals = {id_: before + made.rows.get(id_, ("", 0))[1] for id_, before in match.totals.items()}
    out = [id_ for id_ in totals if match.limit is not None and totals[id_] >= match.limit]
    deals_left = match.deals_left
    if deals_left is not None and not made.goes_on:
        deals_left -= 1
    staying = [id_ for id_ in totals if id_ not in out]
    if match.format == "POOL" and len(staying) < 2:
        return Score(totals, out, deals_left, over=True, winners=staying)
    if match.format == "RACE" and out and not made.goes_on:
        return Score(totals, out, deals_left, over=True, winners=staying)
    if match.format == "DEALS" and deals_left == 0:
        lowest = min(totals.values())
        return Score(totals, out, deals_left, over=True, winners=[id_ for id_ in totals if totals[id_] == lowest])
    return Score(totals, out, deals_left, over=False, winners=[])
