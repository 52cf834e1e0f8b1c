"""Settlement, clause by clause: each test quotes the sentence of a rule text that it proves."""

from collections.abc import Mapping

import pytest

from service.game.cards import NOTHING_TURNED_UP
from service.game.rules import MatchFormat
from service.game.settlement import Drop, Match, Player, Settlement, Table, settle
from service.game.verdict import Question
from tests.game.table import ask
from tests.strategies import RULE_SETS

# Four is enough for a first life everywhere, and no rule set has a wild rank in these tests.
GOOD = "2H 3H 4H 5H | 6S 7S 8S | 9S 9H 9D | JS JH JD"
# All in groups, and nothing pure among them that could be a first life.
WRONG = "2C 2D 2S | 6C 6D 6H | 8C 8D 8H | QC QD QH QS"
LOSER = "3C 4C 5C 6C | TD JD QD"
LOOSE = "KS KH AD 4S 7D 8C"


def hand(rule_set: str, groups: str, loose: str = "") -> Question:
    return ask(rule_set, groups, None, loose)


def table(
    rule_set: str,
    *players: Question | str,
    declarer: str | None = "p1",
    at_best: bool = False,
    match: Match | None = None,
) -> Table:
    """A table of p1, p2 and so on: each a hand, or how the player left the deal; "" for a hand that is not shown."""
    seats = tuple(
        Player(f"p{number}", None, Drop(each) if each else None)
        if isinstance(each, str)
        else Player(f"p{number}", each, None)
        for number, each in enumerate(players, 1)
    )
    return Table(RULE_SETS[rule_set], NOTHING_TURNED_UP, seats, declarer, at_best, match)


def rows(settlement: Settlement) -> list[tuple[str, int]]:
    return [(result.outcome, result.points) for result in settlement.results]


def deal(settlement: Settlement) -> tuple[str, str | None]:
    return settlement.deal, settlement.winner


def pool(limit: int, totals: Mapping[str, int]) -> Match:
    return Match(MatchFormat.POOL, limit, None, totals)


class TestFamily13:
    """family-13.txt"""

    def test_the_winner_scores_zero(self) -> None:
        """ "The winner scores zero; everyone else collects penalty points for the cards they haven't grouped." """
        settled = settle(
            table("family-13", hand("family-13", GOOD), hand("family-13", LOSER, LOOSE), hand("family-13", WRONG))
        )
        assert rows(settled) == [("WON", 0), ("LOST", 10 + 10 + 10 + 4 + 7 + 8), ("LOST", 80)]
        assert deal(settled) == ("ENDS", "p1")

    def test_the_other_players_then_group_their_own_cards(self) -> None:
        """ "The other players then group their own cards to reduce their penalty points before the scores are
        counted."
        """
        badly = hand("family-13", "3C 4C 5C", "6C TD JD QD KS KH AD 4S 7D 8C")
        asked = table("family-13", hand("family-13", GOOD), badly)
        assert rows(settle(asked))[1] == ("LOST", 80)
        at_best = settle(table("family-13", hand("family-13", GOOD), badly, at_best=True))
        assert rows(at_best)[1] == ("LOST", 10 + 10 + 10 + 4 + 7 + 8)
        verdict = at_best.results[1].verdict
        assert verdict is not None
        assert (verdict.judged, verdict.submitted) == ("BEST", None)

    def test_a_first_drop_costs_20_and_a_middle_drop_40(self) -> None:
        """ "A first drop, before you draw any card, usually costs 20 points. A middle drop, after you've drawn, usually
        costs 40 points."
        """
        settled = settle(table("family-13", hand("family-13", GOOD), "FIRST", "MIDDLE"))
        assert rows(settled) == [("WON", 0), ("DROPPED", 20), ("DROPPED", 40)]

    def test_a_wrong_declaration_costs_80(self) -> None:
        """ "A wrong declaration (claiming a finish that isn't valid) usually costs the full 80 points, and play
        continues for the others." Their hands are not judged.
        """
        others = [hand("family-13", LOSER, LOOSE)] * 2
        settled = settle(table("family-13", hand("family-13", WRONG), *others, "FIRST"))
        assert rows(settled) == [("WRONG_SHOW", 80), ("PLAYING", 0), ("PLAYING", 0), ("DROPPED", 20)]
        assert deal(settled) == ("CONTINUES", None)
        assert [result.verdict is not None for result in settled.results] == [True, False, False, False]

    def test_the_last_one_after_a_wrong_declaration_wins(self) -> None:
        """The same clause: play continues, and there is nobody to play against."""
        other = hand("family-13", LOSER, LOOSE)
        settled = settle(table("family-13", hand("family-13", WRONG), other, "FIRST"))
        assert rows(settled) == [("WRONG_SHOW", 80), ("PLAYING", 0), ("DROPPED", 20)]
        assert deal(settled) == ("CONTINUES", None)
        settled = settle(table("family-13", "WRONG_SHOW", other, "FIRST", declarer=None))
        assert rows(settled) == [("WRONG_SHOW", 80), ("WON", 0), ("DROPPED", 20)]
        assert deal(settled) == ("ENDS", "p2")

    def test_a_wrong_declaration_is_charged_at_the_end(self) -> None:
        """The same clause, seen from the end: the others played on, and one of them won."""
        settled = settle(
            table("family-13", "WRONG_SHOW", hand("family-13", GOOD), hand("family-13", WRONG), declarer="p2")
        )
        assert rows(settled) == [("WRONG_SHOW", 80), ("WON", 0), ("LOST", 80)]

    def test_a_wrong_show_of_the_last_one_leaves_nobody(self) -> None:
        """The texts are silent: the show is charged as any, and there is no one to win."""
        settled = settle(table("family-13", hand("family-13", WRONG), "FIRST"))
        assert (rows(settled), deal(settled)) == ([("WRONG_SHOW", 80), ("DROPPED", 20)], ("ENDS", None))

    @pytest.mark.parametrize(("limit", "out"), [(101, ("p2",)), (201, ())])
    def test_players_are_knocked_out_on_reaching_a_limit(self, limit: int, out: tuple[str, ...]) -> None:
        """ "players keep a running total and are knocked out on reaching a limit, commonly 101 or 201" """
        match = pool(limit, {"p1": 100, "p2": 81, "p3": 60})
        settled = settle(table("family-13", hand("family-13", GOOD), "FIRST", "MIDDLE", match=match))
        standing = settled.standing
        assert standing is not None
        assert standing.match.totals == {"p1": 100, "p2": 101, "p3": 100}
        assert (standing.out, standing.over, standing.winners) == (out, False, ())

    def test_the_last_player_left_wins_the_pool(self) -> None:
        """ "The last player left wins." """
        match = pool(101, {"gone": 140, "p1": 100, "p2": 81})
        standing = settle(table("family-13", hand("family-13", GOOD), "FIRST", match=match)).standing
        assert standing is not None
        assert (standing.out, standing.over, standing.winners) == (("gone", "p2"), True, ("p1",))

    def test_a_wrong_show_can_knock_out_of_the_pool(self) -> None:
        """ "knocked out on reaching a limit": at once, and the pool goes on with the deal."""
        match = pool(101, {"p1": 30, "p2": 100, "p3": 100})
        others = [hand("family-13", LOSER, LOOSE)] * 2
        settled = settle(table("family-13", hand("family-13", WRONG), *others, match=match))
        assert settled.standing is not None
        assert settled.standing.match.totals == {"p1": 110, "p2": 100, "p3": 100}
        assert (settled.standing.out, settled.standing.over) == (("p1",), False)

    def test_the_lowest_total_wins_after_all_deals(self) -> None:
        """ "Deals Rummy: a fixed number of deals; the lowest total at the end wins." """
        totals = {"p1": 60, "p2": 20, "p3": 55}
        asked = table(
            "family-13", hand("family-13", GOOD), "MIDDLE", "FIRST", match=Match(MatchFormat.DEALS, None, 2, totals)
        )
        standing = settle(asked).standing
        assert standing is not None
        assert (standing.match.deals_left, standing.over, standing.winners) == (1, False, ())
        last = table(
            "family-13", hand("family-13", GOOD), "MIDDLE", "FIRST", match=Match(MatchFormat.DEALS, None, 1, totals)
        )
        standing = settle(last).standing
        assert standing is not None
        assert (standing.match.deals_left, standing.over, standing.winners) == (0, True, ("p1", "p2"))

    def test_a_deal_that_goes_on_is_not_played_yet(self) -> None:
        """ "a fixed number of deals": the one in which play continues is not over."""
        match = Match(MatchFormat.DEALS, None, 1, {"p1": 0, "p2": 0, "p3": 0})
        others = [hand("family-13", LOSER, LOOSE)] * 2
        standing = settle(table("family-13", hand("family-13", WRONG), *others, match=match)).standing
        assert standing is not None
        assert standing.match.totals == {"p1": 80, "p2": 0, "p3": 0}
        assert (standing.match.deals_left, standing.over, standing.winners) == (1, False, ())


class TestOnline13:
    """online-13.txt"""

    def test_the_remaining_player_wins(self) -> None:
        """ "If every other player drops, the remaining player wins the deal." """
        settled = settle(table("online-13", "FIRST", "", "MIDDLE", declarer=None))
        assert rows(settled) == [("DROPPED", 20), ("WON", 0), ("DROPPED", 40)]
        assert deal(settled) == ("ENDS", "p2")
        assert all(result.verdict is None for result in settled.results)

    def test_a_wrong_show_costs_80_and_ends_the_deal(self) -> None:
        """ "An invalid declaration is called a wrong show and costs 80 points, ending the deal." """
        other = hand("online-13", LOSER, LOOSE)
        assert rows(settle(table("online-13", hand("online-13", WRONG), other))) == [("WRONG_SHOW", 80), ("WON", 0)]
        settled = settle(table("online-13", hand("online-13", WRONG), other, other))
        assert rows(settled) == [("WRONG_SHOW", 80), ("PLAYING", 0), ("PLAYING", 0)]
        assert deal(settled) == ("ENDS", None)

    def test_running_points_are_carried_forward(self) -> None:
        """ "Each deal is scored separately, with running points carried forward when you choose Next deal." """
        match = Match(MatchFormat.POINTS, None, None, {"p2": 900, "p1": 23})
        standing = settle(table("online-13", hand("online-13", GOOD), "MIDDLE", match=match)).standing
        assert standing is not None
        assert list(standing.match.totals.items()) == [("p2", 940), ("p1", 23)]
        assert (standing.out, standing.over, standing.winners) == ((), False, ())


class TestRulebook13:
    """rulebook-13.txt"""

    def test_opponents_are_scored_on_ungrouped_cards(self) -> None:
        """ "If your hand is valid, you score zero and the opponents are scored on their ungrouped cards." """
        settled = settle(table("rulebook-13", hand("rulebook-13", GOOD), hand("rulebook-13", LOSER, LOOSE)))
        assert rows(settled) == [("WON", 0), ("LOST", 10 + 10 + 10 + 4 + 7 + 8)]

    def test_the_round_continues_for_the_remaining_players(self) -> None:
        """ "you take the full 80-point penalty instead, and the round continues for the remaining players" """
        others = [hand("rulebook-13", LOSER, LOOSE)] * 2
        settled = settle(table("rulebook-13", hand("rulebook-13", WRONG), *others))
        assert rows(settled) == [("WRONG_SHOW", 80), ("PLAYING", 0), ("PLAYING", 0)]
        assert deal(settled) == ("CONTINUES", None)


class TestFaceValueDuel:
    """face-value-duel.txt"""

    def test_the_loser_pays_the_cards_held(self) -> None:
        """ "The winner gets 0 points. Points for the loser are calculated based on the cards held at the end" """
        settled = settle(table("face-value-duel", hand("face-value-duel", GOOD), hand("face-value-duel", LOSER, LOOSE)))
        assert rows(settled) == [("WON", 0), ("LOST", 13 + 13 + 1 + 4 + 7 + 8)]

    def test_if_not_the_opponent_is_declared_the_winner(self) -> None:
        """ "If the player's hand meets the objective, he is declared the winner. If not, the opponent is declared the
        winner"
        """
        settled = settle(
            table("face-value-duel", hand("face-value-duel", LOSER, LOOSE), hand("face-value-duel", WRONG))
        )
        assert rows(settled) == [("WRONG_SHOW", 13 + 13 + 1 + 4 + 7 + 8), ("WON", 0)]
        assert deal(settled) == ("ENDS", "p2")


class TestTwoRowDuel:
    """two-row-duel.txt"""

    def test_a_show_that_is_not_valid_is_refused(self) -> None:
        """ "You may declare only when your entire hand is valid" """
        match = Match(MatchFormat.RACE, 100, None, {"p1": 99, "p2": 99})
        other = hand("two-row-duel", LOSER, LOOSE)
        settled = settle(table("two-row-duel", hand("two-row-duel", WRONG), other, match=match))
        assert (rows(settled), deal(settled)) == ([("WRONG_SHOW", 0), ("PLAYING", 0)], ("CONTINUES", None))
        assert settled.standing is not None
        assert (settled.standing.match, settled.standing.over) == (match, False)

    @pytest.mark.parametrize(("before", "over"), [(50, False), (51, True), (99, True)])
    def test_a_match_is_a_race_to_100(self, before: int, over: bool) -> None:
        """ "A full match is a race to 100 penalty points. The player who reaches or passes that total first loses the
        match."
        """
        match = Match(MatchFormat.RACE, 100, None, {"p1": 99, "p2": before})
        other = hand("two-row-duel", LOSER, LOOSE)
        settled = settle(table("two-row-duel", hand("two-row-duel", GOOD), other, match=match))
        standing = settled.standing
        assert rows(settled) == [("WON", 0), ("LOST", 49)]
        assert standing is not None
        assert (standing.out, standing.over) == (("p2",) if over else (), over)
        assert standing.winners == (("p1",) if over else ())
