"""Reasons: why a group is no meld and why an arrangement is no show, as codes with what a sentence about them names."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from service.game.cards import Card, Rank
from service.game.melds import ACE_HIGH, LARGEST_SET, SMALLEST_MELD, Kind, Meld, Parts, Reading, sequence_card
from service.game.rules import Lengths, RuleSet


class ReasonCode(StrEnum):
    """Every reason, in the order in which they are given: those of a group, then those of the hand."""

    TOO_FEW_CARDS = "TOO_FEW_CARDS"
    NOT_CONSECUTIVE = "NOT_CONSECUTIVE"
    WRAPS_AROUND_ACE = "WRAPS_AROUND_ACE"
    MIXED_SUITS = "MIXED_SUITS"
    REPEATED_CARD = "REPEATED_CARD"
    REPEATED_SUIT = "REPEATED_SUIT"
    SET_TOO_LARGE = "SET_TOO_LARGE"
    MIXED_RANKS = "MIXED_RANKS"
    JOKERS_ONLY = "JOKERS_ONLY"
    NO_PURE_SEQUENCE = "NO_PURE_SEQUENCE"
    FIRST_LIFE_TOO_SHORT = "FIRST_LIFE_TOO_SHORT"
    FIRST_LIFE_TOO_LONG = "FIRST_LIFE_TOO_LONG"
    WILD_IN_FIRST_LIFE = "WILD_IN_FIRST_LIFE"
    NO_SECOND_SEQUENCE = "NO_SECOND_SEQUENCE"
    SECOND_LIFE_TOO_SHORT = "SECOND_LIFE_TOO_SHORT"
    SECOND_LIFE_TOO_LONG = "SECOND_LIFE_TOO_LONG"
    INVALID_GROUP = "INVALID_GROUP"
    UNGROUPED_CARDS = "UNGROUPED_CARDS"


class Details(NamedTuple):
    """What the sentence of a reason names beside its cards; what a code does not need has its default.

    `missing`, `repeated` and `wild` are cards at fault, `jokers` counts those left to stand in for missing cards,
    `fewest` and `most` are the bounds of the rule, `groups` the groups without a reading.
    """

    missing: tuple[Card, ...] = ()
    repeated: tuple[Card, ...] = ()
    wild: tuple[Card, ...] = ()
    jokers: int = 0
    fewest: int = 0
    most: int = 0
    groups: tuple[tuple[Card, ...], ...] = ()


NO_DETAILS: Final = Details()


class Reason(NamedTuple):
    """Why an arrangement is no valid show. `group` is the index of the group at fault, None for the hand."""

    code: ReasonCode
    group: int | None
    cards: tuple[Card, ...]
    details: Details = NO_DETAILS


def why_no_show(
    readings: Sequence[Reading], first: int | None, ungrouped: tuple[Card, ...], wild: Rank | None, rules: RuleSet
) -> tuple[Reason, ...]:
    """Everything that keeps an arrangement from being a show: the faults of each group, then those of the hand.

    `first` is the index of the group that is a first life to show with.
    """
    reasons: list[Reason] = []
    for index, reading in enumerate(readings):
        if reading.unread is not None:
            cards = tuple(reading.cards)
            reasons += [Reason(code, index, cards, details) for code, details in _group_faults(reading.unread)]
    sequences = [(index, reading.sequence) for index, reading in enumerate(readings) if reading.sequence is not None]
    if first is None:
        reasons += _first_life(sequences, rules.first_life, wild)
    if rules.second_life is not None:
        others = [(index, sequence) for index, sequence in sequences if index != first]
        reasons += _second_life(others, 1 if first is not None else 2, rules.second_life)
    invalid = tuple([tuple(reading.cards) for reading in readings if reading.meld is None])
    if invalid:
        cards = tuple([card for group in invalid for card in group])
        reasons.append(Reason(ReasonCode.INVALID_GROUP, None, cards, Details(groups=invalid)))
    if ungrouped:
        reasons.append(Reason(ReasonCode.UNGROUPED_CARDS, None, ungrouped))
    return tuple(reasons)


def _group_faults(parts: Parts) -> Iterator[tuple[ReasonCode, Details]]:
    """Everything that keeps the cards of a group from being a sequence or a set.

    What the cards look like decides which faults are named: cards of one rank have those of a set, cards of one suit
    those of a sequence, others both.
    """
    size = len(parts.cards)
    set_like = len(parts.ranks) == 1
    sequence_like = len(parts.suits) == 1
    mixed = bool(parts.naturals) and not set_like and not sequence_like
    repeated = Details(repeated=tuple(parts.repeated))
    if size < SMALLEST_MELD:
        yield ReasonCode.TOO_FEW_CARDS, Details(fewest=SMALLEST_MELD)
    if sequence_like:
        yield from _gap_faults(parts)
    if mixed:
        yield ReasonCode.MIXED_SUITS, NO_DETAILS
    if parts.repeated and not (set_like and not sequence_like):
        yield ReasonCode.REPEATED_CARD, repeated
    if parts.repeated and set_like:
        yield ReasonCode.REPEATED_SUIT, repeated
    if size > LARGEST_SET and set_like:
        yield ReasonCode.SET_TOO_LARGE, Details(most=LARGEST_SET)
    if mixed:
        yield ReasonCode.MIXED_RANKS, NO_DETAILS
    if parts.printed and not parts.naturals and not parts.wild:
        yield ReasonCode.JOKERS_ONLY, NO_DETAILS


def _gap_faults(parts: Parts) -> Iterator[tuple[ReasonCode, Details]]:
    """The fault of cards of one suit that have more gaps than jokers to fill them."""
    suit = parts.naturals[0].order // 13
    low = parts.ranks
    high = {place or ACE_HIGH for place in low}
    gaps = min(_gaps(low), _gaps(high), key=len)
    jokers = len(parts.wild) + len(parts.printed)
    if len(gaps) <= jokers:
        return
    if any(len(_gaps({(place - turn) % 13 for place in low})) <= jokers for turn in range(13)):
        yield ReasonCode.WRAPS_AROUND_ACE, NO_DETAILS
        return
    # A wild-rank card fills the gap of its own place.
    missing = [card for card in [sequence_card(place, suit) for place in gaps] if card not in parts.wild]
    left = jokers - (len(gaps) - len(missing))
    yield ReasonCode.NOT_CONSECUTIVE, Details(missing=tuple(missing), jokers=left)


def _gaps(places: set[int]) -> list[int]:
    return [place for place in range(min(places), max(places)) if place not in places]


def _first_life(sequences: list[tuple[int, Meld]], lengths: Lengths, wild: Rank | None) -> Iterator[Reason]:
    """Why no sequence is a first life, given that none is."""
    pure = [(index, meld) for index, meld in sequences if meld.kind is Kind.PURE_SEQUENCE]
    if not pure:
        yield Reason(ReasonCode.NO_PURE_SEQUENCE, None, (), Details(fewest=lengths.min))
    yield from _wrong_lengths(pure, lengths, ReasonCode.FIRST_LIFE_TOO_SHORT, ReasonCode.FIRST_LIFE_TOO_LONG)
    for index, meld in sequences:
        if meld.kind is Kind.IMPURE_SEQUENCE and meld.themselves == len(meld.cards):
            own = tuple([card for card in meld.cards if card.rank is wild])
            yield Reason(ReasonCode.WILD_IN_FIRST_LIFE, index, meld.cards, Details(wild=own))


def _second_life(others: list[tuple[int, Meld]], needed: int, lengths: Lengths) -> Iterator[Reason]:
    """Why none of the `others` is a second life; with no first life there must be two of them."""
    if len(others) < needed:
        yield Reason(ReasonCode.NO_SECOND_SEQUENCE, None, (), Details(fewest=lengths.min))
    elif not any(lengths.allow(len(meld.cards)) for _, meld in others):
        yield from _wrong_lengths(others, lengths, ReasonCode.SECOND_LIFE_TOO_SHORT, ReasonCode.SECOND_LIFE_TOO_LONG)


def _wrong_lengths(
    sequences: list[tuple[int, Meld]], lengths: Lengths, too_short: ReasonCode, too_long: ReasonCode
) -> Iterator[Reason]:
    for index, meld in sequences:
        if len(meld.cards) < lengths.min:
            yield Reason(too_short, index, meld.cards, Details(fewest=lengths.min))
    for index, meld in sequences:
        if len(meld.cards) > lengths.max:
            yield Reason(too_long, index, meld.cards, Details(most=lengths.max))
