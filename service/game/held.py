"""Held: the cards of a hand as bit masks, and what they cost.

In a mask, suit s has the bits 16s (ace) to 16s+12 (king); bit 16s+13 is the ace above the king while runs are looked
for. A loss is what cards cost that are in no group: their points times 64, plus one for each card.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from service.game.cards import JOKER, NATURAL_CARDS, Card, Rank, sort_cards
from service.game.integers import i64, mypyc_attr
from service.game.melds import ACE_HIGH
from service.game.rules import Lengths

POINT: Final = 64
SUIT: Final[i64] = 0x1FFF
ACES: Final[i64] = 0x0001_0001_0001_0001
_CARDS: Final[i64] = 0x1FFF_1FFF_1FFF_1FFF
_BITS: Final = tuple(1 << 16 * (order // 13) + order % 13 for order in range(52))
# For every mask of a suit: how many cards it has, and the place of the lowest one.
POPULATION: Final = bytes(mask.bit_count() for mask in range(1 << 13))
LOWEST: Final = bytes(max(0, (mask & -mask).bit_length() - 1) for mask in range(1 << 13))


@lru_cache(maxsize=64)
def loss_table(points: tuple[int, ...]) -> list[int]:
    """For every mask of a suit, the loss of its cards, given the points of each rank."""
    table = [0]
    for value in points:
        table += [loss + value * POINT + 1 for loss in table]
    return table


def loss_of(cards: i64, table: list[int]) -> i64:
    """The loss of the cards of a mask."""
    loss: i64 = table[cards & SUIT]
    return loss + table[cards >> 16 & SUIT] + table[cards >> 32 & SUIT] + table[cards >> 48]


def count_cards(cards: i64) -> i64:
    """How many cards a mask has."""
    count: i64 = POPULATION[cards & SUIT]
    return count + POPULATION[cards >> 16 & SUIT] + POPULATION[cards >> 32 & SUIT] + POPULATION[cards >> 48]


def cards_in(cards: i64) -> list[Card]:
    """The cards of a mask, one of each, in listing order."""
    found = []
    suit: i64 = 0
    while suit < 4:
        ranks = cards >> 16 * suit & SUIT
        while ranks:
            found.append(NATURAL_CARDS[13 * suit + LOWEST[ranks]])
            ranks &= ranks - 1
        suit += 1
    return found


@mypyc_attr(acyclic=True)
class Copies:
    """Cards of which several may be equal, as masks: those held at least once, at least twice, thrice.

    One copy of each card in `taken` is taken away first.
    """

    def __init__(self, once: i64, twice: i64, thrice: i64, taken: i64) -> None:
        self.once = once & ~(taken & ~twice)
        self.twice = twice & ~(taken & ~thrice)
        self.thrice = thrice & ~taken

    def count(self) -> i64:
        """How many cards there are."""
        return count_cards(self.once) + count_cards(self.twice) + count_cards(self.thrice)

    def loss(self, table: list[int]) -> i64:
        """The loss of all cards."""
        return loss_of(self.once, table) + loss_of(self.twice, table) + loss_of(self.thrice, table)

    def without(self, melds: Sequence[int]) -> list[Card]:
        """The cards in none of the melds, in listing order."""
        left = self
        for meld in melds:
            left = Copies(left.once, left.twice, left.thrice, meld)
        once = cards_in(left.once)
        return sort_cards(once + cards_in(left.twice) + cards_in(left.thrice)) if left.twice else once


class Held:
    """A hand: `wild` has the cards of the wild rank, `naturals` the others, `printed` counts the printed jokers."""

    def __init__(self, hand: Sequence[Card], wild: Rank | None) -> None:
        once: i64 = 0
        twice: i64 = 0
        thrice: i64 = 0
        printed: i64 = 0
        for card in hand:
            if card is JOKER:
                printed += 1
                continue
            bit: i64 = _BITS[card.order]
            thrice |= twice & bit
            twice |= once & bit
            once |= bit
        wild_cards: i64 = 0 if wild is None else ACES << i64(wild)
        self.naturals: Final = Copies(once & ~wild_cards, twice & ~wild_cards, thrice & ~wild_cards, 0)
        self.wild: Final = Copies(once & wild_cards, twice & wild_cards, thrice & wild_cards, 0)
        self.printed: Final = printed

    def points(self, values: tuple[int, ...], wild_points: i64) -> i64:
        """The points of all cards, given those of the ranks and of a wild-rank card."""
        return self.naturals.loss(loss_table(values)) // POINT + self.wild.count() * wild_points

    def life_points(self, life: i64, values: tuple[int, ...], wild_points: i64) -> i64:
        """The points of the cards of a first life."""
        own = loss_of(life & self.naturals.once, loss_table(values)) // POINT
        return own + count_cards(life & self.wild.once) * wild_points

    def first_lives(self, lengths: Lengths, wild_allowed: bool) -> list[int]:
        """The pure sequences of so many cards, as masks: suit by suit, from the ace up, the shorter ones first."""
        cards = self.naturals.once
        if wild_allowed:
            cards |= self.wild.once
        cards |= (cards & ACES) << ACE_HIGH
        shortest: i64 = lengths.min
        longest: i64 = lengths.max
        found = []
        starts = cards
        place: i64 = 1
        while place < shortest:
            starts &= cards >> place
            place += 1
        while starts:
            start = starts & -starts
            starts ^= start
            run = (start << shortest) - start
            length = shortest
            while length <= longest and run & ~cards == 0:
                found.append(int(run & _CARDS | run >> ACE_HIGH & ACES))
                run |= run << 1
                length += 1
        return found
