"""Settlement: what a deal costs each player at the table, who has won it, and how a match of several deals stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from service.game.cards import Rank
from service.game.rules import RuleSet
from service.game.verdict import Question, Solve, Verdict, best_arrangement, judge_show, score_hand

# How a player leaves a deal before it ends: by a drop, or by a wrong show after which the others play on.
WAYS_OUT: Final = ("FIRST", "MIDDLE", "WRONG_SHOW")


@dataclass(frozen=True)
class Player:
    """A player of the deal.

    `way_out` is one of `WAYS_OUT`, None for who is still in; `question` is the hand, where it is known.
    """

    id: str
    question: Question | None
    way_out: str | None


@dataclass(frozen=True)
class Match:
    """A match before the deal that is settled: `deals_left` counts this deal, `totals` do not.

    `limit` is None for a format without one, `deals_left` for one without a fixed number of deals.
    """

    format: str
    limit: int | None
    deals_left: int | None
    totals: Mapping[str, int]


@dataclass(frozen=True)
class Table:
    """A deal to be settled. Without a `declarer` all players but one have left it; `turned_up` as in a `Question`.

    With `losers_at_best` losers are charged for the best grouping of their hands, whatever they laid out.
    """

    rules: RuleSet
    turned_up: Rank | str | None
    players: tuple[Player, ...]
    declarer: str | None
    losers_at_best: bool
    match: Match | None


@dataclass(frozen=True)
class Result:
    """What the deal is for one player: WON, LOST, WRONG_SHOW, DROPPED, or PLAYING for who was in and is not charged.

    Where the hand was judged, the points are those of `verdict`.
    """

    id: str
    outcome: str
    points: int
    verdict: Verdict | None


@dataclass(frozen=True)
class Standing:
    """A match after the deal: who is out at the limit, whether it is over, and all who have won it then."""

    match: Match
    out: tuple[str, ...]
    over: bool
    winners: tuple[str, ...]


@dataclass(frozen=True)
class Settlement:
    """The settled deal, its results in the order of the table."""

    table: Table
    ends: bool
    winner: str | None
    results: tuple[Result, ...]
    standing: Standing | None


def cost_of_leaving(rules: RuleSet, way_out: str) -> int | None:
    """The points of a player who left the deal in that way; None where the rule set knows no such way."""
    if way_out == "FIRST":
        return rules.first_drop
    if way_out == "MIDDLE":
        return rules.middle_drop
    goes_on_without = rules.wrong_show_puts_out and not rules.wrong_show_ends_deal
    return rules.wrong_show_charge if goes_on_without else None


def settle(table: Table, solve: Solve = best_arrangement) -> Settlement:
    """Settle a deal. The table has to be one that can be: see `Table`, and `cost_of_leaving` for those who left."""
    show = _show(table, solve)
    others = [player.id for player in table.players if player.way_out is None and player.id != table.declarer]
    if show is not None and show.valid:
        winner, ends = table.declarer, True
    else:
        # Without a show the last one in has won, and so has a single opponent where a wrong show ends the deal.
        ends = show is None or table.rules.wrong_show_ends_deal or not others
        winner = others[0] if ends and len(others) == 1 else None
    results = tuple([_result(player, table, show, winner, solve) for player in table.players])
    standing = None if table.match is None else _standing(table.match, results, ends)
    return Settlement(table, ends, winner, results, standing)


def _show(table: Table, solve: Solve) -> Verdict | None:
    for player in table.players:
        if player.id == table.declarer and player.question is not None:
            return judge_show(player.question, solve)
    return None


def _result(player: Player, table: Table, show: Verdict | None, winner: str | None, solve: Solve) -> Result:
    if player.way_out is not None:
        points = cost_of_leaving(table.rules, player.way_out)
        assert points is not None
        return Result(player.id, "WRONG_SHOW" if player.way_out == "WRONG_SHOW" else "DROPPED", points, None)
    if show is not None and player.id == table.declarer:
        return Result(player.id, "WON" if show.valid else "WRONG_SHOW", show.points, show)
    if player.id == winner:
        return Result(player.id, "WON", 0, None)
    if show is not None and show.valid and player.question is not None:
        question = player.question._replace(groups=None) if table.losers_at_best else player.question
        score = score_hand(question, solve)
        return Result(player.id, "LOST", score.points, score)
    return Result(player.id, "PLAYING", 0, None)


def _standing(match: Match, results: tuple[Result, ...], ends: bool) -> Standing:
    """The match with the points of the deal in it; a deal that goes on after a wrong show is not played yet."""
    points = {result.id: result.points for result in results}
    totals = {id_: total + points.get(id_, 0) for id_, total in match.totals.items()}
    deals_left = match.deals_left - 1 if match.deals_left is not None and ends else match.deals_left
    out = [id_ for id_, total in totals.items() if match.limit is not None and total >= match.limit]
    staying = [id_ for id_ in totals if id_ not in out]
    if match.format == "POOL":
        over = len(staying) <= 1
        winners = staying
    elif match.format == "RACE":
        over = ends and bool(out)
        winners = staying
    else:
        over = deals_left == 0
        winners = [id_ for id_, total in totals.items() if total == min(totals.values())]
    after = Match(match.format, match.limit, deals_left, totals)
    return Standing(after, tuple(out), over, tuple(winners) if over else ())
