"""Melds: how the cards of one group can be read.

The order of the cards in a group carries no meaning. A group has at most two readings worth knowing: the best
sequence and the best set, "best" being the one in which most cards are themselves.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from service.game.cards import NATURAL_CARDS, Card, Rank, sort_cards

SMALLEST_MELD: Final = 3
LARGEST_SET: Final = 4
LONGEST_SEQUENCE: Final = 13
ACE_HIGH: Final = 13


class Kind(StrEnum):
    """What a group is."""

    PURE_SEQUENCE = "PURE_SEQUENCE"
    IMPURE_SEQUENCE = "IMPURE_SEQUENCE"
    SET = "SET"
    NONE = "NONE"


class Meld(NamedTuple):
    """A valid reading: `cards` in playing order, `plays_as` the card that each stands for.

    `themselves` counts the cards that are themselves, not jokers; it is at least 1.
    """

    kind: Kind
    cards: tuple[Card, ...]
    plays_as: tuple[Card, ...]
    themselves: int


class Parts:
    """The cards of a group sorted out: `naturals` can only be themselves, `wild` ones may, `printed` ones cannot.

    `suits`, `ranks` (both as numbers: hashing an enumeration's member takes longer than the rest) and `repeated` (cards
    held more than once) are of the naturals; all cards are in listing order.
    """

    def __init__(self, cards: Sequence[Card], wild: Rank | None) -> None:
        self.cards = sort_cards(cards)
        self.naturals: list[Card] = []
        self.wild: list[Card] = []
        self.printed: list[Card] = []
        self.suits: set[int] = set()
        self.ranks: set[int] = set()
        self.repeated: list[Card] = []
        for card in self.cards:
            if card.rank is None:
                self.printed.append(card)
            elif card.rank is wild:
                self.wild.append(card)
            elif self.naturals and self.naturals[-1] is card:
                self.repeated = list(dict.fromkeys([*self.repeated, card]))
                self.naturals.append(card)
            else:
                self.naturals.append(card)
                suit, rank = divmod(card.order, 13)
                self.suits.add(suit)
                self.ranks.add(rank)


class Reading(NamedTuple):
    """How a group can be read: as a `sequence`, and as the `meld` that stands unless a life needs the sequence.

    That is the reading with fewer jokers, on a tie the sequence. `unread` is a group that is no meld.
    """

    sequence: Meld | None
    meld: Meld | None
    unread: Parts | None = None

    @property
    def cards(self) -> Sequence[Card]:
        """The cards of the group."""
        if self.meld is not None:
            return self.meld.cards
        return self.unread.cards if self.unread is not None else ()


def read_group(cards: Sequence[Card], wild: Rank | None, wild_stays_pure: bool) -> Reading:
    """How the cards of a group can be read. With `wild_stays_pure` false, a wild-rank card makes a sequence impure even
    in its own place.
    """
    parts = Parts(cards, wild)
    sequence, set_ = read_sequence(parts, wild_stays_pure), read_set(parts)
    if set_ is not None and (sequence is None or set_.themselves > sequence.themselves):
        return Reading(sequence, set_)
    return Reading(sequence, sequence, None if sequence is not None else parts)


def read_sequence(parts: Parts, wild_stays_pure: bool) -> Meld | None:
    """The best sequence that the cards make, or None."""
    length = len(parts.cards)
    if not SMALLEST_MELD <= length <= LONGEST_SEQUENCE or len(parts.suits) > 1 or parts.repeated:
        return None
    if not parts.naturals and not parts.wild:
        return None
    suit = (parts.naturals or parts.wild)[0].order // 13
    own_wild = [card for card in parts.wild if card.order // 13 == suit][:1]
    for themselves in (parts.naturals + own_wild, parts.naturals):
        start = highest_start(themselves, length) if themselves else -1
        if start >= 0:
            jokers = _without(parts.wild, themselves) + parts.printed
            return lay_sequence(start, themselves, jokers, wild_stays_pure or not parts.wild)
    return None


def lay_sequence(start: int, themselves: Sequence[Card], jokers: Sequence[Card], may_be_pure: bool) -> Meld:
    """The sequence from a place on, of cards of one suit that are themselves and of the jokers that fill it up."""
    length = len(themselves) + len(jokers)
    suit = themselves[0].order // 13
    plays_as = tuple([sequence_card(place, suit) for place in range(start, start + length)])
    kind = Kind.PURE_SEQUENCE if may_be_pure and not jokers else Kind.IMPURE_SEQUENCE
    return Meld(kind, _lay(plays_as, themselves, jokers), plays_as, len(themselves))


def read_set(parts: Parts) -> Meld | None:
    """The best set that the cards make, or None."""
    if not SMALLEST_MELD <= len(parts.cards) <= LARGEST_SET or len(parts.ranks) > 1 or parts.repeated:
        return None
    themselves = parts.naturals or list(dict.fromkeys(parts.wild))
    return lay_set(themselves, _without(parts.wild, themselves) + parts.printed) if themselves else None


def lay_set(themselves: Sequence[Card], jokers: Sequence[Card]) -> Meld:
    """The set of cards of one rank that are themselves, listed by suit, and of jokers in the missing suits."""
    suit_cards = NATURAL_CARDS[themselves[0].order % 13 :: 13]
    free = [card for card in suit_cards if card not in themselves][: len(jokers)]
    plays_as = tuple([card for card in suit_cards if card in themselves or card in free])
    return Meld(Kind.SET, _lay(plays_as, themselves, jokers), plays_as, len(themselves))


def sequence_card(place: int, suit: int) -> Card:
    """The card at a place of a suit's sequence: 0 is the ace below the two, 13 the ace above the king."""
    return NATURAL_CARDS[13 * suit + place % 13]


def highest_start(cards: Sequence[Card], length: int) -> int:
    """The highest place at which a sequence of `length` with the cards, all of one suit, can start; -1 for none.

    So 5♦ 6♦ and a joker are 5-6-7.
    """
    places = [card.order % 13 for card in cards]
    if 0 in places:
        high = [place or ACE_HIGH for place in places]
        if max(high) - min(high) < length:
            return min(*high, ACE_HIGH + 1 - length)
    return min(*places, ACE_HIGH + 1 - length) if max(places) - min(places) < length else -1


def _lay(plays_as: tuple[Card, ...], themselves: Sequence[Card], jokers: Sequence[Card]) -> tuple[Card, ...]:
    if not jokers:
        return plays_as
    supply = iter(jokers)
    return tuple([card if card in themselves else next(supply) for card in plays_as])


def _without(cards: Sequence[Card], taken: Sequence[Card]) -> list[Card]:
    """`cards` less one copy of each that is taken."""
    left = list(cards)
    for card in taken:
        if card in left:
            left.remove(card)
    return left
