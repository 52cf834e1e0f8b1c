"""Settlement: what a deal costs each player at the table, who won it, and the totals of a match of several deals."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from service.game.cards import TurnedUp
from service.game.rules import MatchFormat, RuleSet
from service.game.verdict import DealState, Question, Solve, Verdict, best_arrangement, judge_show, score_hand


class Drop(StrEnum):
    """How a player leaves a deal before it ends: by a drop, or by a wrong show after which the others play on."""

    FIRST = "FIRST"
    MIDDLE = "MIDDLE"
    WRONG_SHOW = "WRONG_SHOW"


class Outcome(StrEnum):
    """How a deal ended for a player. PLAYING: another player made a wrong show, and this one is not charged."""

    WON = "WON"
    LOST = "LOST"
    WRONG_SHOW = "WRONG_SHOW"
    DROPPED = "DROPPED"
    PLAYING = "PLAYING"


@dataclass(frozen=True)
class Player:
    """A player of the deal: in it, or `dropped`. `question` is the hand, if it is known."""

    id: str
    question: Question | None
    dropped: Drop | None


@dataclass(frozen=True)
class Match:
    """A match before the deal that is settled: `deals_left` counts this deal, `totals` do not.

    `limit` is None for a format without one, `deals_left` for one without a fixed number of deals.
    """

    format: MatchFormat
    limit: int | None
    deals_left: int | None
    totals: Mapping[str, int]


@dataclass(frozen=True)
class Table:
    """A deal to be settled. Without a `declarer` all players but one have left it.

    With `losers_at_best` losers are charged for the best grouping of their hands, whatever they laid out.
    """

    rules: RuleSet
    turned_up: TurnedUp
    players: tuple[Player, ...]
    declarer: str | None
    losers_at_best: bool
    match: Match | None


@dataclass(frozen=True)
class Result:
    """What the deal is for one player. Where the hand was judged, the points are those of `verdict`."""

    id: str
    outcome: Outcome
    points: int
    verdict: Verdict | None


@dataclass(frozen=True)
class Standing:
    """A match after the deal: the players out at the limit, whether the match is over, and its winners if it is."""

    match: Match
    out: tuple[str, ...]
    over: bool
    winners: tuple[str, ...]


@dataclass(frozen=True)
class Settlement:
    """The settled deal, its results in the order of the table."""

    table: Table
    deal: DealState
    winner: str | None
    results: tuple[Result, ...]
    standing: Standing | None


def drop_points(rules: RuleSet, drop: Drop) -> int | None:
    """The points of a player who left the deal in that way; None where the rule set knows no such way."""
    if drop is Drop.FIRST:
        return rules.first_drop
    if drop is Drop.MIDDLE:
        return rules.middle_drop
    goes_on_without = rules.wrong_show_puts_out and not rules.wrong_show_ends_deal
    return rules.wrong_show_charge if goes_on_without else None


def settle(table: Table, solve: Solve = best_arrangement) -> Settlement:
    """Settle a deal. The table has to be one that can be: see `Table`, and `drop_points` for those who left."""
    show = _show(table, solve)
    others = [player.id for player in table.players if player.dropped is None and player.id != table.declarer]
    if show is not None and show.valid:
        winner, ends = table.declarer, True
    else:
        # Without a show the last one in has won, and so has a single opponent where a wrong show ends the deal.
        ends = show is None or table.rules.wrong_show_ends_deal or not others
        winner = others[0] if ends and len(others) == 1 else None
    results = tuple([_result(player, table, show, winner, solve) for player in table.players])
    standing = None if table.match is None else _standing(table.match, results, ends)
    return Settlement(table, DealState.ENDS if ends else DealState.CONTINUES, winner, results, standing)


def _show(table: Table, solve: Solve) -> Verdict | None:
    for player in table.players:
        if player.id == table.declarer and player.question is not None:
            return judge_show(player.question, solve)
    return None


def _result(player: Player, table: Table, show: Verdict | None, winner: str | None, solve: Solve) -> Result:
    if player.dropped is not None:
        points = drop_points(table.rules, player.dropped)
        assert points is not None
        outcome = Outcome.WRONG_SHOW if player.dropped is Drop.WRONG_SHOW else Outcome.DROPPED
        return Result(player.id, outcome, points, None)
    if show is not None and player.id == table.declarer:
        return Result(player.id, Outcome.WON if show.valid else Outcome.WRONG_SHOW, show.points, show)
    if player.id == winner:
        return Result(player.id, Outcome.WON, 0, None)
    if show is not None and show.valid and player.question is not None:
        question = player.question._replace(groups=None) if table.losers_at_best else player.question
        score = score_hand(question, solve)
        return Result(player.id, Outcome.LOST, score.points, score)
    return Result(player.id, Outcome.PLAYING, 0, None)


def _standing(match: Match, results: tuple[Result, ...], ends: bool) -> Standing:
    """The match with the points of the deal in it; a deal that goes on after a wrong show is not played yet."""
    points = {result.id: result.points for result in results}
    totals = {id_: total + points.get(id_, 0) for id_, total in match.totals.items()}
    deals_left = match.deals_left - 1 if match.deals_left is not None and ends else match.deals_left
    out = [id_ for id_, total in totals.items() if match.limit is not None and total >= match.limit]
    staying = [id_ for id_ in totals if id_ not in out]
    if match.format is MatchFormat.POOL:
        over = len(staying) <= 1
        winners = staying
    elif match.format is MatchFormat.RACE:
        over = ends and bool(out)
        winners = staying
    else:
        over = deals_left == 0
        winners = [id_ for id_, total in totals.items() if total == min(totals.values())]
    after = Match(match.format, match.limit, deals_left, totals)
    return Standing(after, tuple(out), over, tuple(winners) if over else ())
