"""Solver: the best grouping of a hand, tier by tier as a loser is charged."""

from collections.abc import Sequence

from service.game.cards import Card, Rank
from service.game.held import POINT, Held
from service.game.layout import Solution, lay_out
from service.game.melds import SMALLEST_MELD
from service.game.rules import Lengths, RuleSet
from service.game.search import Search

_NO_POINTS = (0,) * 13


def solve(hand: Sequence[Card], wild: Rank | None, rules: RuleSet) -> Solution:
    """The best grouping of a hand: declarable if any is, then fewest points for a loser, then most cards grouped.

    `hand` are the cards in any order (13, or more as long as no card is held more than three times), `wild` the wild
    rank. Ties keep the first one in the order of the search; the order of `hand` changes nothing.
    """
    found = HandSearches(Held(hand, wild), wild, rules).run()
    return lay_out(min(found, key=_loss), wild, rules.wild_in_first_life)


def _loss(search: Search) -> int:
    return search.loss


class HandSearches:
    """The searches for the best grouping of one hand, one for each tier in which a loser can be charged.

    Without a first life all cards count. Where the rule set asks a loser for a second life too, all cards but the first
    life count without it. Else the ungrouped cards count. At the cap no grouping costs less than another.
    """

    def __init__(self, held: Held, wild: Rank | None, rules: RuleSet) -> None:
        self.held = held
        self.rules = rules
        self.wild_points = rules.values[wild] if wild is not None and rules.wild_left_over_counts else 0

    def run(self) -> list[Search]:
        """The searches of the tiers that are open to the hand; the first one with the least loss has the answer."""
        rules = self.rules
        lives = self.held.first_lives(rules.loser_first_life, rules.wild_in_first_life)
        if not lives:
            return [self._most_cards(self.held.points(rules.values, self.wild_points), [0])]
        found = self._with_first_life(lives)
        points = min([search.loss for search in found]) // POINT
        if rules.cap is not None and points >= rules.cap:
            found.append(self._most_cards(points, [0]))
        return found

    def _with_first_life(self, lives: list[int]) -> list[Search]:
        """The searches for groupings with one of the first `lives`."""
        rules = self.rules
        second = rules.second_life if rules.loser_needs_second_life else None
        saving = self._fewest_points(second, _short(lives, rules.loser_first_life))
        if saving.loss:
            return [saving] if second is None else [saving, self._first_life_only(lives)]
        if second is rules.second_life and rules.loser_first_life == rules.first_life:
            return [saving]
        # All cards are grouped, but a show asks for more.
        lives = self.held.first_lives(rules.first_life, rules.wild_in_first_life)
        return [self._fewest_points(rules.second_life, _short(lives, rules.first_life)), saving]

    def _first_life_only(self, lives: list[int]) -> Search:
        """The grouping of most cards where all count but the pure sequence that saves most."""
        values, wild_points = self.rules.values, self.wild_points
        saved = [self.held.life_points(life, values, wild_points) for life in lives]
        most = max(saved)
        tried = [life for life, points in zip(lives, saved, strict=True) if points == most]
        return self._most_cards(self.held.points(values, wild_points) - most, tried)

    def _fewest_points(self, second: Lengths | None, lives: list[int]) -> Search:
        return _run(Search(self.held, self.rules.values, self.wild_points, second, 0), lives)

    def _most_cards(self, points: int, lives: list[int]) -> Search:
        """The grouping of most cards, where it changes nothing about the `points`."""
        return _run(Search(self.held, _NO_POINTS, 0, None, points), lives)


def _run(search: Search, lives: list[int]) -> Search:
    for life in lives:
        search.run(life)
    return search


def _short(lives: list[int], lengths: Lengths) -> list[int]:
    """The first lives that need to be tried: a longer one splits into the shortest and another sequence."""
    return [life for life in lives if life.bit_count() < lengths.min + SMALLEST_MELD]
