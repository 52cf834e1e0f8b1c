"""Arrangements: a hand laid out in groups, read in the way that is best for the player, with what it is worth."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from service.cards import Card, Rank, sort_cards
from service.melds import Kind, Meld, Parts, read_sequence, read_set
from service.reasons import Reason, group_reasons, hand_reasons
from service.rules import Lengths, RuleSet


class Group(NamedTuple):
    """A group as it was read: `cards` in playing order; `life` is "FIRST", "SECOND" or None."""

    kind: Kind
    life: str | None
    cards: tuple[Card, ...]
    plays_as: tuple[Card, ...] | None


class Charge(NamedTuple):
    """A card that counts against the player, with its penalty points."""

    card: Card
    points: int


# There are few charges and many arrangements, which a cache may hold: equal ones are one object.
_charge: Final = cache(Charge)


class Arrangement(NamedTuple):
    """A hand in groups. `points` is what a loser with it is charged: the sum of `charges`, capped by the rule set."""

    declarable: bool
    points: int
    groups: tuple[Group, ...]
    ungrouped: tuple[Card, ...]
    charges: tuple[Charge, ...]
    reasons: tuple[Reason, ...]


class _Lives(NamedTuple):
    """Which groups are the lives, by index."""

    first: int | None
    second: int | None

    def enough(self, second_needed: bool) -> bool:
        return self.first is not None and (self.second is not None or not second_needed)


def assess(
    groups: Sequence[Sequence[Card]], ungrouped: Sequence[Card], wild: Rank | None, rules: RuleSet
) -> Arrangement:
    """The worth of an arrangement, its groups in the order given. Groups and ungrouped cards together are the hand."""
    loose = tuple(sort_cards(ungrouped))
    parts = [Parts(cards, wild) for cards in groups]
    sequences = [read_sequence(group, rules.wild_in_first_life) for group in parts]
    melds = [_preferred(sequence, read_set(group)) for group, sequence in zip(parts, sequences, strict=True)]
    second_asked = rules.second_life is not None
    show = loser = _lives(sequences, melds, rules.first_life, wild, rules)
    if rules.loser_first_life != rules.first_life:
        loser = _lives(sequences, melds, rules.loser_first_life, wild, rules)
    declarable = show.enough(second_asked) and not loose and None not in melds
    charges = _charges(groups, melds, loose, loser, wild, rules)
    points = sum([charge.points for charge in charges])
    reasons: list[Reason] = []
    if not declarable:
        invalid = [index for index, meld in enumerate(melds) if meld is None]
        for index in invalid:
            reasons += group_reasons(index, parts[index])
        reasons += hand_reasons(sequences, show.first, [parts[index] for index in invalid], loose, rules, wild)
    return Arrangement(
        declarable=declarable,
        points=points if rules.cap is None else min(points, rules.cap),
        groups=_label(groups, sequences, melds, show if show.enough(second_asked) else loser),
        ungrouped=loose,
        charges=charges,
        reasons=tuple(reasons),
    )


def _preferred(sequence: Meld | None, set_: Meld | None) -> Meld | None:
    """The reading that stands unless the lives need the other: the one with fewer jokers, of equals the sequence."""
    if sequence is None or set_ is None:
        return sequence or set_
    return set_ if set_.themselves > sequence.themselves else sequence


def _lives(
    sequences: Sequence[Meld | None],
    melds: Sequence[Meld | None],
    first_lengths: Lengths,
    wild: Rank | None,
    rules: RuleSet,
) -> _Lives:
    """The first groups that can be both lives; else the pure sequence that saves most; else none.

    A group that reads better as a set is taken for the second life only if no other can be it.
    """
    firsts: list[int] = []
    seconds: list[int] = []
    spare: list[int] = []
    for index, meld in enumerate(sequences):
        if meld is None:
            continue
        if meld.kind is Kind.PURE_SEQUENCE and first_lengths.allow(len(meld.cards)):
            firsts.append(index)
        if rules.second_life is not None and rules.second_life.allow(len(meld.cards)):
            (seconds if melds[index] is meld else spare).append(index)
    for first in firsts:
        for second in seconds + spare:
            if second != first:
                return _Lives(first, second)
    if not firsts:
        return _Lives(None, None)
    return _Lives(max(firsts, key=lambda index: _saving(sequences[index], wild, rules)), None)


def _saving(meld: Meld | None, wild: Rank | None, rules: RuleSet) -> int:
    return 0 if meld is None else sum([card_points(card, wild, rules) for card in meld.cards])


def _charges(
    groups: Sequence[Sequence[Card]],
    melds: Sequence[Meld | None],
    loose: tuple[Card, ...],
    lives: _Lives,
    wild: Rank | None,
    rules: RuleSet,
) -> tuple[Charge, ...]:
    """The cards that count: all without a first life, all but that life where the second is missing, else the rest."""
    counted = list(loose)
    for index, cards in enumerate(groups):
        if lives.first is None:
            safe = False
        elif lives.second is None and rules.loser_needs_second_life:
            safe = index == lives.first
        else:
            safe = melds[index] is not None
        if not safe:
            counted += cards
    return tuple([_charge(card, card_points(card, wild, rules)) for card in sort_cards(counted)])


def card_points(card: Card, wild: Rank | None, rules: RuleSet) -> int:
    """The penalty points of a card that counts."""
    if card.rank is None or (card.rank is wild and not rules.wild_left_over_counts):
        return 0
    return rules.values[card.rank]


def _label(
    groups: Sequence[Sequence[Card]], sequences: Sequence[Meld | None], melds: Sequence[Meld | None], lives: _Lives
) -> tuple[Group, ...]:
    labelled: list[Group] = []
    for index, cards in enumerate(groups):
        life = "FIRST" if index == lives.first else "SECOND" if index == lives.second else None
        meld = melds[index] if life is None else sequences[index]
        if meld is None:
            labelled.append(Group(Kind.NONE, None, tuple(sort_cards(cards)), None))
        else:
            labelled.append(Group(meld.kind, life, meld.cards, meld.plays_as))
    return tuple(labelled)
