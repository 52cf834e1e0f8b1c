"""Arrangements: a hand laid out in groups, read in the way that is best for the player, with what it is worth."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from service.game.cards import ALL_CARDS, Card, Rank, sort_cards
from service.game.melds import Kind, Meld, Parts, read_sequence, read_set
from service.game.reasons import Reason, group_reasons, hand_reasons
from service.game.rules import Lengths, RuleSet


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


_KINDS: Final = {kind.value: kind for kind in Kind}
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


# An arrangement in plain tuples, texts and numbers, cards by their order.
Packed = tuple[
    bool,
    int,
    tuple[tuple[str, str | None, bytes, bytes | None], ...],
    bytes,
    tuple[int, ...],
    bytes,
    tuple[tuple[str, str, int | None, bytes], ...],
]


def pack(arrangement: Arrangement) -> Packed:
    """An arrangement as a cache keeps it: in half the memory, and with nothing that a garbage collector looks at."""
    return (
        arrangement.declarable,
        arrangement.points,
        tuple([_pack_group(group) for group in arrangement.groups]),
        _orders([charge.card for charge in arrangement.charges]),
        tuple([charge.points for charge in arrangement.charges]),
        _orders(arrangement.ungrouped),
        tuple([(reason.code, reason.message, reason.group, _orders(reason.cards)) for reason in arrangement.reasons]),
    )


def _pack_group(group: Group) -> tuple[str, str | None, bytes, bytes | None]:
    plays_as = None if group.plays_as is None else _orders(group.plays_as)
    return group.kind.value, group.life, _orders(group.cards), plays_as


def unpack(packed: Packed) -> Arrangement:
    """The arrangement that was packed."""
    declarable, points, groups, charged, charges, ungrouped, reasons = packed
    return Arrangement(
        declarable=declarable,
        points=points,
        groups=tuple([_unpack_group(kind, life, cards, plays_as) for kind, life, cards, plays_as in groups]),
        ungrouped=_cards(ungrouped),
        charges=tuple([_charge(card, each) for card, each in zip(_cards(charged), charges, strict=True)]),
        reasons=tuple([Reason(code, message, group, _cards(cards)) for code, message, group, cards in reasons]),
    )


def _unpack_group(kind: str, life: str | None, cards: bytes, plays_as: bytes | None) -> Group:
    laid = _cards(cards)
    played = None if plays_as is None else laid if plays_as == cards else _cards(plays_as)
    return Group(_KINDS[kind], life, laid, played)


def _orders(cards: Sequence[Card]) -> bytes:
    return bytes([card.order for card in cards])


def _cards(orders: bytes) -> tuple[Card, ...]:
    return tuple([ALL_CARDS[order] for order in orders])


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
