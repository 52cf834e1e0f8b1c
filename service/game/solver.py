"""Solver: the best grouping of a hand, tier by tier as a loser is charged, laid out with real cards."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from service.game.cards import JOKER, Card, Rank, sort_cards
from service.game.melds import ACE_HIGH, LONGEST_SEQUENCE, SMALLEST_MELD
from service.game.rules import Lengths, RuleSet
from service.game.search import COUNT_ONLY, POINT, FoundMeld, Held, Search, cards_in


@dataclass(frozen=True)
class Solution:
    """The best grouping: its cards in no playing order, what a loser is charged, and the search nodes visited."""

    groups: tuple[tuple[Card, ...], ...]
    ungrouped: tuple[Card, ...]
    points: int
    declarable: bool
    nodes: int


def solve(hand: Sequence[Card], wild: Rank | None, rules: RuleSet) -> Solution:
    """The best grouping of a hand: declarable if any is, then fewest points for a loser, then most cards grouped.

    `hand` are the cards in any order (13, or more as long as no card is held more than three times), `wild` the wild
    rank. Of equals the answer is the first in the order of the search; the order of `hand` changes nothing.
    """
    held = Held(hand, wild)
    tiers = _Tiers(held, wild, rules)
    found = tiers.best()
    groups, ungrouped = _lay_out(found.search, held)
    points = found.points if rules.cap is None else min(found.points, rules.cap)
    return Solution(groups, ungrouped, points, found.declarable, tiers.nodes)


class _Found:
    """A search that holds the best of its kind; `points` are those of a loser, before the cap."""

    def __init__(self, search: Search, points: int, declarable: bool = False) -> None:
        self.search: Final = search
        self.points: Final = points
        self.declarable: Final = declarable


class _Tiers:
    """The searches for one hand, by the tiers in which a loser is charged."""

    def __init__(self, held: Held, wild: Rank | None, rules: RuleSet) -> None:
        self.held = held
        self.rules = rules
        self.wild_points = rules.values[wild] if wild is not None and rules.wild_left_over_counts else 0
        self.nodes = 0

    def best(self) -> _Found:
        """The best grouping in any tier."""
        rules = self.rules
        lives = self.held.first_lives(rules.loser_first_life, rules.wild_in_first_life)
        if not lives:
            return self._all_cards_count(self.held.points(rules.values, self.wild_points))
        best = self._with_first_life(lives)
        if rules.cap is not None and best.points >= rules.cap:
            capped = self._all_cards_count(best.points)
            if capped.search.loose < best.search.loose:
                return capped
        return best

    def _all_cards_count(self, points: int) -> _Found:
        """Where all cards count, or as many as the cap allows: the grouping of most cards."""
        return _Found(self._search(COUNT_ONLY, 0, None, [0]), points)

    def _with_first_life(self, lives: list[int]) -> _Found:
        """The best grouping that has one of the `lives`."""
        rules = self.rules
        second = rules.second_life if rules.loser_needs_second_life else None
        saving = self._search(rules.values, self.wild_points, second, _short(lives, rules.loser_first_life))
        if saving.best == saving.goal:
            return self._all_grouped(saving)
        points = (saving.goal - saving.best) // POINT
        if second is not None:
            first_only = self._first_life_only(lives)
            if saving.best < 0 or (first_only.points, first_only.search.loose) < (points, saving.loose):
                return first_only
        return _Found(saving, points)

    def _all_grouped(self, saving: Search) -> _Found:
        """The grouping of all cards in `saving`, or another that can be shown where that asks for more."""
        rules = self.rules
        asks_no_more = rules.loser_needs_second_life or rules.second_life is None
        if asks_no_more and rules.loser_first_life == rules.first_life:
            return _Found(saving, 0, declarable=True)
        lives = self.held.first_lives(rules.first_life, rules.wild_in_first_life)
        show = self._search(rules.values, self.wild_points, rules.second_life, _short(lives, rules.first_life))
        declarable = show.best == show.goal
        return _Found(show if declarable else saving, 0, declarable)

    def _first_life_only(self, lives: list[int]) -> _Found:
        """The grouping in which all cards count but the pure sequence that saves most."""
        saved = [self.held.life_points(life, self.rules.values, self.wild_points) for life in lives]
        most = max(saved)
        tried = [life for life, points in zip(lives, saved, strict=True) if points == most]
        return _Found(
            self._search(COUNT_ONLY, 0, None, tried), self.held.points(self.rules.values, self.wild_points) - most
        )

    def _search(self, points: tuple[int, ...], wild_points: int, second: Lengths | None, lives: list[int]) -> Search:
        search = Search(self.held, points, wild_points, second)
        for life in lives:
            search.run(life)
        self.nodes += search.nodes
        return search


def _short(lives: list[int], lengths: Lengths) -> list[int]:
    """The first lives that need to be tried: a longer one splits into the shortest and another sequence."""
    return [life for life in lives if life.bit_count() < lengths.min + SMALLEST_MELD]


def _lay_out(search: Search, held: Held) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    """The groups and the ungrouped cards: the first life, sequences (the purer first), sets, groups of jokers.

    A wild-rank card goes where it can be itself; the other jokers go to the groups in order, wild-rank cards first.
    """
    melds = sorted(search.melds, key=_listing_order)
    wild_cards = held.wild_cards(search.first)
    joker_groups, wanted = _share_jokers(search, melds, len(wild_cards))
    # A group of jokers only needs a wild-rank card, the one that is itself.
    reserved = [[wild_cards.pop()] for _ in joker_groups]
    groups = [cards_in(meld.cards) for meld in melds]
    sizes = [len(group) + jokers for group, jokers in zip(groups, wanted, strict=True)] + joker_groups
    if wild_cards:
        for meld, group, size in zip(melds, groups, sizes, strict=False):
            own = _own_place(meld.cards, size, wild_cards) if len(group) < size else None
            if own is not None:
                wild_cards.remove(own)
                group.append(own)
    supply = wild_cards + [JOKER] * search.held.printed
    groups += reserved
    for group, size in zip(groups, sizes, strict=True):
        missing = size - len(group)
        group.extend(supply[:missing])
        del supply[:missing]
    if search.first:
        groups.insert(0, cards_in(search.first))
    loose = held.cards_outside([search.first, *(meld.cards for meld in melds)])
    return tuple(map(tuple, groups)), tuple(sort_cards(loose + supply) if supply else loose)


def _listing_order(meld: FoundMeld) -> tuple[bool, bool, int]:
    return meld.is_set, meld.jokers > 0, meld.cards & -meld.cards


def _share_jokers(search: Search, melds: list[FoundMeld], wild: int) -> tuple[list[int], list[int]]:
    """The sizes of groups made of jokers only, and the number of jokers in each meld, those it could do without too.

    `wild` is the number of wild-rank cards that are not in the first life.
    """
    wanted = [meld.jokers for meld in melds]
    spare = wild + search.held.printed - sum(wanted)
    room = sum(meld.room for meld in melds)
    joker_groups = []
    if search.second_needed and not any(meld.second for meld in melds):
        size = min(spare, search.second_max)
        if spare - size > room and wild > 1 and spare - search.second_min >= SMALLEST_MELD:
            size = min(size, spare - SMALLEST_MELD)
        joker_groups.append(size)
        spare -= size
        wild -= 1
    while spare > room and spare >= SMALLEST_MELD and wild:
        # Hands of more than 13 cards can have too many for one sequence.
        size = spare if spare <= LONGEST_SEQUENCE else min(LONGEST_SEQUENCE, spare - SMALLEST_MELD)
        joker_groups.append(size)
        spare -= size
        wild -= 1
    for index, meld in enumerate(melds):
        extra = min(spare, meld.room)
        wanted[index] += extra
        spare -= extra
    return joker_groups, wanted


def _own_place(cards: int, size: int, wild_cards: list[Card]) -> Card | None:
    """The wild-rank card that can be itself in the sequence of so many cards with the natural `cards`, if any."""
    suit = (cards & -cards).bit_length() - 1 & ~15
    ranks = cards >> suit
    for card in wild_cards:
        if card.rank is not None and card.suit is not None and 16 * card.suit == suit and ranks < 1 << 13:
            own = 1 << card.rank
            for places in (ranks | own, _ace_high(ranks) | own, ranks | _ace_high(own)):
                if places.bit_length() - (places & -places).bit_length() < size:
                    return card
    return None


def _ace_high(ranks: int) -> int:
    return ranks & ~1 | (ranks & 1) << ACE_HIGH
