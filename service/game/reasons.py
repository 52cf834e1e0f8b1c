"""Reasons: why a group is no meld and why an arrangement is no show, in sentences that can be read to a player."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from service.game.cards import Card, Rank, name_cards
from service.game.melds import ACE_HIGH, LARGEST_SET, SMALLEST_MELD, Kind, Meld, Parts, sequence_card
from service.game.rules import HAND_SIZE, RuleSet


class Reason(NamedTuple):
    """Why an arrangement is no valid show. `group` is the index of the group it speaks of, None for the hand."""

    code: str
    message: str
    group: int | None
    cards: tuple[Card, ...]


def group_reasons(index: int, parts: Parts) -> list[Reason]:
    """Everything that keeps the cards of a group without a reading from being a sequence or a set.

    What the cards look like decides which faults are named: of one rank, those of a set; of one suit, those of a
    sequence; else both.
    """
    cards = tuple(parts.cards)
    return [Reason(code, message, index, cards) for code, message in _group_faults(parts)]


def _group_faults(parts: Parts) -> Iterator[tuple[str, str]]:
    group = name_cards(parts.cards)
    size = len(parts.cards)
    set_like = len(parts.ranks) == 1
    sequence_like = len(parts.suits) == 1
    mixed = bool(parts.naturals) and not set_like and not sequence_like
    twice = f"{_listed(parts.repeated)} {'stands' if len(parts.repeated) == 1 else 'stand'} in it more than once"
    if size < SMALLEST_MELD:
        yield "TOO_FEW_CARDS", f"{group or 'An empty group'} is too short: a sequence or a set has at least 3 cards."
    if sequence_like:
        yield from _gap_faults(parts)
    if mixed:
        yield "MIXED_SUITS", f"{group} is not a sequence: all its cards must be of one suit."
    if parts.repeated and not (set_like and not sequence_like):
        yield "REPEATED_CARD", f"{group} is not a sequence: {twice}."
    if parts.repeated and set_like:
        yield "REPEATED_SUIT", f"{group} is not a set: {twice}, and every card must be of a different suit."
    if size > LARGEST_SET and set_like:
        yield "SET_TOO_LARGE", f"{group} is not a set: it has {size} cards, and a set has at most 4, jokers included."
    if mixed:
        yield "MIXED_RANKS", f"{group} is not a set: all its cards must be of one rank."
    if parts.printed and not parts.naturals and not parts.wild:
        yield "JOKERS_ONLY", f"{group} is neither a sequence nor a set: at least one card must stand for itself."


def _gap_faults(parts: Parts) -> Iterator[tuple[str, str]]:
    """The fault of cards of one suit that have more gaps than jokers to fill them."""
    suit = parts.naturals[0].order // 13
    low = parts.ranks
    high = {place or ACE_HIGH for place in low}
    gaps = min(_gaps(low), _gaps(high), key=len)
    jokers = len(parts.wild) + len(parts.printed)
    if len(gaps) <= jokers:
        return
    group = name_cards(parts.cards)
    if any(len(_gaps({(place - turn) % 13 for place in low})) <= jokers for turn in range(13)):
        rule = "the ace is the lowest card or the highest, and no sequence goes on past it"
        yield "WRAPS_AROUND_ACE", f"{group} is not a sequence: {rule}."
        return
    missing = [card for card in (sequence_card(place, suit) for place in gaps) if card not in parts.wild]
    jokers -= len(gaps) - len(missing)
    needed = f"{_listed(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    if jokers:
        needed += f", and there {'is only 1 joker' if jokers == 1 else f'are only {jokers} jokers'} to stand in"
    yield "NOT_CONSECUTIVE", f"{group} is not a sequence: {needed}."


def _gaps(places: set[int]) -> list[int]:
    return [place for place in range(min(places), max(places)) if place not in places]


def hand_reasons(
    sequences: Sequence[Meld | None],
    first: int | None,
    invalid: Sequence[Parts],
    ungrouped: Sequence[Card],
    rules: RuleSet,
    wild: Rank | None,
) -> list[Reason]:
    """Everything that keeps an arrangement from being a show, the faults inside its groups left aside.

    `sequences` are the groups' readings as sequences; `first` is the index of the group that is a first life to show
    with; `invalid` are the groups without a reading.
    """
    found = [(index, meld) for index, meld in enumerate(sequences) if meld is not None]
    reasons = [] if first is not None else list(_first_life(found, rules, wild))
    if rules.second_life is not None:
        others = [(index, meld) for index, meld in found if index != first]
        reasons += _second_life(others, 1 if first is not None else 2, rules.second_life.min, rules.second_life.max)
    if invalid:
        listed = "; ".join(name_cards(parts.cards) or "an empty group" for parts in invalid)
        message = f"Every group must be a sequence or a set, and that is not so here: {listed}."
        reasons.append(Reason("INVALID_GROUP", message, None, tuple(card for parts in invalid for card in parts.cards)))
    if ungrouped:
        are = "is in no group" if len(ungrouped) == 1 else "are in no group"
        message = f"{name_cards(ungrouped)} {are}: to show, all {HAND_SIZE} cards must be in groups."
        reasons.append(Reason("UNGROUPED_CARDS", message, None, tuple(ungrouped)))
    return reasons


def _first_life(sequences: list[tuple[int, Meld]], rules: RuleSet, wild: Rank | None) -> Iterator[Reason]:
    """Why no sequence is a first life, given that none is."""
    least, most = rules.first_life.min, rules.first_life.max
    pure = [(index, meld.cards) for index, meld in sequences if meld.kind is Kind.PURE_SEQUENCE]
    if not pure:
        yield _no_pure_sequence(least)
    for index, cards in pure:
        if len(cards) < least:
            short = f"{name_cards(cards)} is too short for the first life: to show, it needs at least {least} cards"
            yield Reason("FIRST_LIFE_TOO_SHORT", f"{short}.", index, cards)
    for index, cards in pure:
        if len(cards) > most:
            long = f"{name_cards(cards)} is too long for the first life: it may have at most {most} cards"
            yield Reason("FIRST_LIFE_TOO_LONG", f"{long}.", index, cards)
    for index, meld in sequences:
        if meld.kind is Kind.IMPURE_SEQUENCE and meld.themselves == len(meld.cards):
            wilds = _listed([card for card in meld.cards if card.rank is wild])
            rule = f"{wilds} is a wild card, and none may stand in it, not even in its own place"
            yield Reason("WILD_IN_FIRST_LIFE", f"{name_cards(meld.cards)} is no first life: {rule}.", index, meld.cards)


# What names no cards is one text for all the hands that a cache holds.
@cache
def _no_pure_sequence(least: int) -> Reason:
    needed = f"at least {least} cards of one suit in a row, with no joker among them, are needed"
    return Reason("NO_PURE_SEQUENCE", f"There is no pure sequence: {needed}.", None, ())


@cache
def _no_second_sequence(least: int) -> Reason:
    rule = f"besides the first life, another sequence of at least {least} cards is needed"
    return Reason("NO_SECOND_SEQUENCE", f"There is no second sequence: {rule}.", None, ())


def _second_life(others: list[tuple[int, Meld]], needed: int, least: int, most: int) -> Iterator[Reason]:
    """Why none of the `others` is a second life; with no first life there must be two of them."""
    if len(others) < needed:
        yield _no_second_sequence(least)
        return
    if any(least <= len(meld.cards) <= most for _, meld in others):
        return
    for index, meld in others:
        if len(meld.cards) < least:
            short = f"{name_cards(meld.cards)} is too short for the second life: it needs at least {least} cards"
            yield Reason("SECOND_LIFE_TOO_SHORT", f"{short}.", index, meld.cards)
    for index, meld in others:
        if len(meld.cards) > most:
            long = f"{name_cards(meld.cards)} is too long for the second life: it may have at most {most} cards"
            yield Reason("SECOND_LIFE_TOO_LONG", f"{long}.", index, meld.cards)


def _listed(cards: Sequence[Card]) -> str:
    names = [card.symbol for card in cards]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
