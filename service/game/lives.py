"""Lives: which groups of an arrangement are the first and the second life."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from service.game.cards import Card, Rank
from service.game.melds import Kind, Meld
from service.game.rules import Lengths, RuleSet


class Life(StrEnum):
    """What a sequence is to a show."""

    FIRST = "FIRST"
    SECOND = "SECOND"


class Lives(NamedTuple):
    """The groups that are the lives, by index."""

    first: int | None
    second: int | None

    def of(self, index: int) -> Life | None:
        """The life that a group is."""
        return Life.FIRST if index == self.first else Life.SECOND if index == self.second else None


NO_LIVES: Final = Lives(None, None)


def find_lives(
    sequences: Sequence[Meld | None],
    melds: Sequence[Meld | None],
    first_lengths: Lengths,
    wild: Rank | None,
    rules: RuleSet,
) -> Lives:
    """The first groups that can be both lives; else the pure sequence that saves most; else none.

    `sequences` are the groups' readings as sequences, `melds` their preferred readings. A group that reads better as a
    set is taken for the second life only if no other can be it.
    """
    firsts = [
        index
        for index, meld in enumerate(sequences)
        if meld is not None and meld.kind is Kind.PURE_SEQUENCE and first_lengths.allow(len(meld.cards))
    ]
    if not firsts:
        return NO_LIVES
    seconds = _second_lives(sequences, melds, rules.second_life)
    for first in firsts:
        for second in seconds:
            if second != first:
                return Lives(first, second)
    return Lives(max(firsts, key=lambda index: _saving(sequences[index], wild, rules)), None)


def _second_lives(sequences: Sequence[Meld | None], melds: Sequence[Meld | None], lengths: Lengths | None) -> list[int]:
    """The groups that can be a second life, those that read better as a set last."""
    if lengths is None:
        return []
    fit = [index for index, meld in enumerate(sequences) if meld is not None and lengths.allow(len(meld.cards))]
    preferred = [index for index in fit if melds[index] is sequences[index]]
    return preferred + [index for index in fit if melds[index] is not sequences[index]]


def _saving(meld: Meld | None, wild: Rank | None, rules: RuleSet) -> int:
    return 0 if meld is None else sum([card_points(card, wild, rules) for card in meld.cards])


def card_points(card: Card, wild: Rank | None, rules: RuleSet) -> int:
    """The penalty points of a card that counts."""
    if card.rank is None or (card.rank is wild and not rules.wild_left_over_counts):
        return 0
    return rules.values[card.rank]
