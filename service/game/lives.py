"""Lives: which groups of an arrangement are the first and the second life."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from service.game.cards import Card, Rank
from service.game.melds import Kind, Reading
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


def find_lives(readings: Sequence[Reading], first_lengths: Lengths, wild: Rank | None, rules: RuleSet) -> Lives:
    """The first groups that can be both lives; else the pure sequence that saves most; else none.

    A group that reads better as a set is taken for the second life only if no other can be it.
    """
    firsts: list[int] = []
    seconds: list[int] = []
    spare: list[int] = []
    for index, (sequence, meld, _) in enumerate(readings):
        if sequence is None:
            continue
        if sequence.kind is Kind.PURE_SEQUENCE and first_lengths.allow(len(sequence.cards)):
            firsts.append(index)
        if rules.second_life is not None and rules.second_life.allow(len(sequence.cards)):
            (seconds if meld is sequence else spare).append(index)
    for first in firsts:
        for second in seconds + spare:
            if second != first:
                return Lives(first, second)
    if not firsts:
        return NO_LIVES
    return Lives(max(firsts, key=lambda index: _saving(readings[index].cards, wild, rules)), None)


def _saving(cards: Sequence[Card], wild: Rank | None, rules: RuleSet) -> int:
    return sum([card_points(card, wild, rules) for card in cards])


def card_points(card: Card, wild: Rank | None, rules: RuleSet) -> int:
    """The penalty points of a card that counts."""
    if card.rank is None or (card.rank is wild and not rules.wild_left_over_counts):
        return 0
    return rules.values[card.rank]
