"""Cards: ranks, suits, the 52 natural cards and the printed joker, and how they are written.

Wire form: rank `A 2 3 4 5 6 7 8 9 T J Q K` and suit `S H D C` ("TH"); a printed joker is "JOKER".
Symbol form, for people: "10♥", "Joker". Equal cards of two packs are one `Card`: a hand is a multiset.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from typing import Final


class Suit(IntEnum):
    """The four suits, in the order in which cards are listed."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    @property
    def letter(self) -> str:
        return "SHDC"[self]

    @property
    def symbol(self) -> str:
        return "♠♥♦♣"[self]


class Rank(IntEnum):
    """The thirteen ranks, ace first. In a sequence the ace also stands above the king."""

    ACE = 0
    TWO = 1
    THREE = 2
    FOUR = 3
    FIVE = 4
    SIX = 5
    SEVEN = 6
    EIGHT = 7
    NINE = 8
    TEN = 9
    JACK = 10
    QUEEN = 11
    KING = 12

    @property
    def letter(self) -> str:
        return "A23456789TJQK"[self]

    @property
    def symbol(self) -> str:
        return "10" if self is Rank.TEN else self.letter


@dataclass(frozen=True, eq=False, repr=False)
class Card:
    """One of 53 kinds of card; there is one object for each.

    `code` is the wire form, `symbol` the form for people, `order` the place in the listing order
    (suit by suit, ace to king, printed jokers last). `rank` and `suit` are None for a printed joker.
    """

    code: str
    symbol: str
    order: int
    rank: Rank | None
    suit: Suit | None

    def __repr__(self) -> str:
        return self.code

    def __reduce__(self) -> tuple[Callable[[str], "Card"], tuple[str]]:
        return parse_card, (self.code,)


NATURAL_CARDS: Final = tuple(
    Card(rank.letter + suit.letter, rank.symbol + suit.symbol, 13 * suit + rank, rank, suit)
    for suit in Suit
    for rank in Rank
)
JOKER: Final = Card("JOKER", "Joker", len(NATURAL_CARDS), None, None)
# By their order.
ALL_CARDS: Final = (*NATURAL_CARDS, JOKER)
# Regular expressions of the wire form.
RANK_PATTERN: Final = f"[{''.join(rank.letter for rank in Rank)}]"
CARD_PATTERN: Final = f"(?:{RANK_PATTERN}[{''.join(suit.letter for suit in Suit)}]|{JOKER.code})"
JOKER_SPELLINGS: Final = ("JOKER", "joker", "Joker")


@dataclass(frozen=True)
class TurnedUp:
    """What lies face up beside the stock and makes cards wild: a card of that rank, a printed joker, or nothing."""

    rank: Rank | None = None
    joker: bool = False

    @property
    def code(self) -> str | None:
        """The wire form: "7", "JOKER", or None for nothing."""
        return JOKER.code if self.joker else None if self.rank is None else self.rank.letter


NOTHING_TURNED_UP: Final = TurnedUp()
JOKER_TURNED_UP: Final = TurnedUp(joker=True)


def natural_card(rank: Rank, suit: Suit) -> Card:
    """The card of that rank and suit."""
    return NATURAL_CARDS[13 * suit + rank]


def _rank_spellings(rank: Rank) -> tuple[str, ...]:
    return rank.letter, rank.letter.lower(), rank.symbol


def _suit_spellings(suit: Suit) -> tuple[str, ...]:
    # The outline symbols and the variation selector are what phones send for the same four suits.
    filled, outline = suit.symbol, "♤♡♢♧"[suit]
    return suit.letter, suit.letter.lower(), filled, outline, filled + "\ufe0e", filled + "\ufe0f"


_TURNED_UP: Final = {rank: TurnedUp(rank) for rank in Rank}
_RANKS: Final = {text: rank for rank in Rank for text in _rank_spellings(rank)}
# Every accepted spelling is listed: upper() would let "5ſ" (long s) pass as 5S.
_CARDS: Final = dict.fromkeys(JOKER_SPELLINGS, JOKER) | {
    rank_text + suit_text: natural_card(rank, suit)
    for rank_text, rank in _RANKS.items()
    for suit in Suit
    for suit_text in _suit_spellings(suit)
}


def parse_card(text: str) -> Card:
    """The card that `text` names, in any accepted spelling ("TH", "10h", "10♥", "joker").

    Raises `ValueError` for anything else.
    """
    card = _CARDS.get(text)
    if card is None:
        raise ValueError(f"{text!r} is not a card")
    return card


def parse_rank(text: str) -> Rank:
    """The rank that `text` names ("T", "t" and "10" alike); raises `ValueError` for anything else."""
    rank = _RANKS.get(text)
    if rank is None:
        raise ValueError(f"{text!r} is not a rank")
    return rank


def parse_turned_up(text: str) -> TurnedUp:
    """What was turned up, named by its rank or as a printed joker ("JOKER"); raises `ValueError` for anything else."""
    return JOKER_TURNED_UP if text in JOKER_SPELLINGS else _TURNED_UP[parse_rank(text)]


_ORDER: Final = attrgetter("order")


def sort_cards(cards: Iterable[Card]) -> list[Card]:
    """`cards` in listing order: spades, hearts, diamonds, clubs, each from ace to king, then jokers."""
    return sorted(cards, key=_ORDER)


def name_cards(cards: Iterable[Card]) -> str:
    """`cards` as a person reads them: "5♦ 6♦ Joker"."""
    return " ".join([card.symbol for card in cards])
