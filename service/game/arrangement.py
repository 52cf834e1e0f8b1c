"""Arrangements: a hand laid out in groups, read in the way that is best for the player, with what it is worth."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from service.game.cards import Card, Rank, sort_cards
from service.game.lives import Life, Lives, card_points, find_lives
from service.game.melds import Kind, Meld, Parts, read_sequence, read_set
from service.game.reasons import Reason, group_reasons, hand_reasons
from service.game.rules import RuleSet


class Group(NamedTuple):
    """A group as it was read: `cards` in playing order; `plays_as` is None for a group without a reading."""

    kind: Kind
    life: Life | None
    cards: tuple[Card, ...]
    plays_as: tuple[Card, ...] | None


class Charge(NamedTuple):
    """A card that counts against the player, with its penalty points."""

    card: Card
    points: int


# There are few charges and many arrangements: equal ones are one object.
_charge: Final = cache(Charge)


class Arrangement(NamedTuple):
    """A hand in groups. `points` is what a loser with it is charged: the sum of `charges`, capped by the rule set."""

    declarable: bool
    points: int
    groups: tuple[Group, ...]
    ungrouped: tuple[Card, ...]
    charges: tuple[Charge, ...]
    reasons: tuple[Reason, ...]


class _Readings:
    """The groups of a hand as they can be read, by index: as a sequence, and in the preferred way."""

    def __init__(self, groups: Sequence[Sequence[Card]], wild: Rank | None, rules: RuleSet) -> None:
        self.parts: Final = [Parts(cards, wild) for cards in groups]
        self.sequences: Final = [read_sequence(parts, rules.wild_in_first_life) for parts in self.parts]
        self.melds: Final = [
            _preferred(sequence, read_set(parts)) for parts, sequence in zip(self.parts, self.sequences, strict=True)
        ]


def assess(
    groups: Sequence[Sequence[Card]], ungrouped: Sequence[Card], wild: Rank | None, rules: RuleSet
) -> Arrangement:
    """The worth of an arrangement, its groups in the order given. Groups and ungrouped cards together are the hand."""
    loose = tuple(sort_cards(ungrouped))
    read = _Readings(groups, wild, rules)
    to_show = to_lose = find_lives(read.sequences, read.melds, rules.first_life, wild, rules)
    if rules.loser_first_life != rules.first_life:
        to_lose = find_lives(read.sequences, read.melds, rules.loser_first_life, wild, rules)
    has_lives = to_show.first is not None and (to_show.second is not None or rules.second_life is None)
    declarable = has_lives and not loose and None not in read.melds
    charges = _charges(read, loose, to_lose, wild, rules)
    points = sum([charge.points for charge in charges])
    return Arrangement(
        declarable=declarable,
        points=points if rules.cap is None else min(points, rules.cap),
        groups=_label(read, to_show if has_lives else to_lose),
        ungrouped=loose,
        charges=charges,
        reasons=() if declarable else _reasons(read, to_show, loose, wild, rules),
    )


def _preferred(sequence: Meld | None, set_: Meld | None) -> Meld | None:
    """The reading that stands unless the lives need the other: the one with fewer jokers, on a tie the sequence."""
    if sequence is None or set_ is None:
        return sequence or set_
    return set_ if set_.themselves > sequence.themselves else sequence


def _charges(
    read: _Readings, loose: tuple[Card, ...], lives: Lives, wild: Rank | None, rules: RuleSet
) -> tuple[Charge, ...]:
    """The cards that count: all without a first life, all but that life where the second is missing, else the rest."""
    first_life_only = lives.second is None and rules.loser_needs_second_life
    counted = list(loose)
    for index, meld in enumerate(read.melds):
        safe = lives.first is not None and (index == lives.first if first_life_only else meld is not None)
        if not safe:
            counted += read.parts[index].cards
    return tuple([_charge(card, card_points(card, wild, rules)) for card in sort_cards(counted)])


def _label(read: _Readings, lives: Lives) -> tuple[Group, ...]:
    groups: list[Group] = []
    for index, parts in enumerate(read.parts):
        life = lives.of(index)
        meld = read.melds[index] if life is None else read.sequences[index]
        if meld is None:
            groups.append(Group(Kind.NONE, None, tuple(parts.cards), None))
        else:
            groups.append(Group(meld.kind, life, meld.cards, meld.plays_as))
    return tuple(groups)


def _reasons(
    read: _Readings, lives: Lives, loose: tuple[Card, ...], wild: Rank | None, rules: RuleSet
) -> tuple[Reason, ...]:
    """Why the arrangement is no show: the faults of each group, then those of the hand."""
    reasons: list[Reason] = []
    invalid: list[tuple[Card, ...]] = []
    for index, meld in enumerate(read.melds):
        if meld is None:
            reasons += group_reasons(index, read.parts[index])
            invalid.append(tuple(read.parts[index].cards))
    reasons += hand_reasons(read.sequences, lives.first, invalid, loose, rules, wild)
    return tuple(reasons)
