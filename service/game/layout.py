"""Layout: the best that a search found, laid out with real cards."""

from typing import NamedTuple

from service.game.cards import JOKER, Card, Rank, sort_cards
from service.game.held import cards_in, count_cards
from service.game.melds import (
    LONGEST_SEQUENCE,
    SMALLEST_MELD,
    Reading,
    highest_start,
    lay_sequence,
    lay_set,
    read_group,
)
from service.game.search import FoundMeld, Search


class Solution(NamedTuple):
    """The best grouping of a hand: its groups as they are read, and the cards in none."""

    groups: tuple[Reading, ...]
    ungrouped: tuple[Card, ...]


def lay_out(search: Search, wild: Rank | None, wild_stays_pure: bool) -> Solution:
    """The groups and the ungrouped cards: the first life, sequences (the purer first), sets, groups of jokers.

    A wild-rank card goes where it can be itself. The other jokers go to the groups in order, wild-rank cards first.
    """
    held, best = search.held, search.best
    first = best.first_life()
    melds = sorted(best.melds(), key=_listing_order)
    wild_cards = held.wild.without([first])
    joker_groups = _joker_groups(search, len(wild_cards))
    sizes = _meld_sizes(melds, best.jokers - sum(joker_groups))
    # A group of jokers only needs a wild-rank card, the one that is itself.
    reserved = [wild_cards.pop() for _ in joker_groups]
    naturals = [cards_in(meld.cards) for meld in melds]
    owns = [
        [] if meld.is_set else _take_own(wild_cards, cards, size)
        for meld, cards, size in zip(melds, naturals, sizes, strict=True)
    ]
    jokers = wild_cards + [JOKER] * held.printed
    groups = [_read_sequence(cards_in(first), [], [], wild_stays_pure)] if first else []
    for meld, cards, own, size in zip(melds, naturals, owns, sizes, strict=True):
        taken = _take(jokers, size - len(cards) - len(own))
        groups.append(
            Reading(None, lay_set(cards, taken)) if meld.is_set else _read_sequence(cards, own, taken, wild_stays_pure)
        )
    for card, size in zip(reserved, joker_groups, strict=True):
        groups.append(read_group([card, *_take(jokers, size - 1)], wild, wild_stays_pure))
    loose = held.naturals.without([first, *[meld.cards for meld in melds]])
    return Solution(tuple(groups), tuple(sort_cards(loose + jokers) if jokers else loose))


def _take(jokers: list[Card], count: int) -> list[Card]:
    taken = jokers[:count]
    del jokers[:count]
    return taken


def _read_sequence(naturals: list[Card], own: list[Card], jokers: list[Card], wild_stays_pure: bool) -> Reading:
    """The reading of cards that were found as a sequence."""
    themselves = naturals + own
    start = highest_start(themselves, len(themselves) + len(jokers))
    sequence = lay_sequence(start, themselves, jokers, wild_stays_pure or not own)
    return Reading(sequence, sequence)


def _listing_order(meld: FoundMeld) -> tuple[bool, bool, int]:
    return meld.is_set, meld.jokers > 0, meld.cards & -meld.cards


def _joker_groups(search: Search, wild_cards: int) -> list[int]:
    """The sizes of the groups that are made of jokers only, given how many wild-rank cards are in no first life."""
    spare = search.best.jokers
    joker_room = search.best.joker_room
    sizes = []
    if search.best.second_needed:
        size = min(spare, search.second_max)
        if spare - size > joker_room and wild_cards > 1 and spare - search.second_min >= SMALLEST_MELD:
            size = min(size, spare - SMALLEST_MELD)
        sizes.append(size)
        spare -= size
    while spare > joker_room and spare >= SMALLEST_MELD and len(sizes) < wild_cards:
        # Hands of more than 13 cards can have too many for one sequence.
        size = spare if spare <= LONGEST_SEQUENCE else min(LONGEST_SEQUENCE, spare - SMALLEST_MELD)
        sizes.append(size)
        spare -= size
    return sizes


def _meld_sizes(melds: list[FoundMeld], spare: int) -> list[int]:
    """How many cards each meld has when the first ones take in as many of the spare jokers as they can."""
    sizes = []
    for meld in melds:
        extra = min(spare, meld.joker_room)
        sizes.append(count_cards(meld.cards) + meld.jokers + extra)
        spare -= extra
    return sizes


def _take_own(wild_cards: list[Card], naturals: list[Card], size: int) -> list[Card]:
    """Take the wild-rank card that can be itself in a sequence of `size` cards that lacks some, if there is one."""
    if wild_cards and len(naturals) < size:
        for card in wild_cards:
            if card.suit is naturals[0].suit and highest_start([*naturals, card], size) >= 0:
                wild_cards.remove(card)
                return [card]
    return []
