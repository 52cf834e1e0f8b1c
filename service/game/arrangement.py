"""Arrangements: a hand laid out in groups, read in the way that is best for the player, with what it is worth."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from service.game.cards import Card, Rank, sort_cards
from service.game.lives import Life, Lives, card_points, find_lives
from service.game.melds import Kind, Reading, read_group
from service.game.reasons import Reason, why_no_show
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
charge_of: Final = cache(Charge)


class Arrangement(NamedTuple):
    """A hand in groups. `points` is what a loser with it is charged: the sum of `charges`, capped by the rule set."""

    declarable: bool
    points: int
    groups: tuple[Group, ...]
    ungrouped: tuple[Card, ...]
    charges: tuple[Charge, ...]
    reasons: tuple[Reason, ...]


def assess(
    groups: Sequence[Sequence[Card]], ungrouped: Sequence[Card], wild: Rank | None, rules: RuleSet
) -> Arrangement:
    """The worth of an arrangement, its groups in the order given. Groups and ungrouped cards together are the hand."""
    readings = [read_group(cards, wild, rules.wild_in_first_life) for cards in groups]
    return assess_readings(readings, ungrouped, wild, rules)


def assess_readings(
    readings: Sequence[Reading], ungrouped: Sequence[Card], wild: Rank | None, rules: RuleSet
) -> Arrangement:
    """The worth of an arrangement whose groups have been read."""
    loose = tuple(sort_cards(ungrouped))
    to_show = to_lose = find_lives(readings, rules.first_life, wild, rules)
    if rules.loser_first_life != rules.first_life:
        to_lose = find_lives(readings, rules.loser_first_life, wild, rules)
    has_lives = to_show.first is not None and (to_show.second is not None or rules.second_life is None)
    declarable = has_lives and not loose and None not in [reading.meld for reading in readings]
    charges = _charges(readings, loose, to_lose, wild, rules)
    points = sum([charge.points for charge in charges])
    return Arrangement(
        declarable=declarable,
        points=points if rules.cap is None else min(points, rules.cap),
        groups=_label(readings, to_show if has_lives else to_lose),
        ungrouped=loose,
        charges=charges,
        reasons=() if declarable else why_no_show(readings, to_show.first, loose, wild, rules),
    )


def _charges(
    readings: Sequence[Reading], loose: tuple[Card, ...], lives: Lives, wild: Rank | None, rules: RuleSet
) -> tuple[Charge, ...]:
    """The cards that count: all without a first life, all but that life where the second is missing, else the rest."""
    first_life_only = lives.second is None and rules.loser_needs_second_life
    counted = list(loose)
    for index, reading in enumerate(readings):
        safe = index == lives.first if first_life_only else reading.meld is not None
        if not safe or lives.first is None:
            counted += reading.cards
    return tuple([charge_of(card, card_points(card, wild, rules)) for card in sort_cards(counted)])


def _label(readings: Sequence[Reading], lives: Lives) -> tuple[Group, ...]:
    groups: list[Group] = []
    for index, reading in enumerate(readings):
        life = lives.of(index)
        meld = reading.meld if life is None else reading.sequence
        if meld is None:
            groups.append(Group(Kind.NONE, None, tuple(reading.cards), None))
        else:
            groups.append(Group(meld.kind, life, meld.cards, meld.plays_as))
    return tuple(groups)
