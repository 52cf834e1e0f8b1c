"""Layout: the best that a search found, laid out with real cards."""

from typing import NamedTuple

from service.game.cards import JOKER, Card, sort_cards
from service.game.held import cards_in, count_cards
from service.game.melds import ACE_HIGH, LONGEST_SEQUENCE, SMALLEST_MELD
from service.game.search import FoundMeld, Search


class Solution(NamedTuple):
    """The best grouping of a hand: its groups, their cards in no playing order, and the cards in none."""

    groups: tuple[tuple[Card, ...], ...]
    ungrouped: tuple[Card, ...]


def lay_out(search: Search) -> Solution:
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
    reserved = [[wild_cards.pop()] for _ in joker_groups]
    groups = [cards_in(meld.cards) for meld in melds]
    if wild_cards:
        _put_in_own_place(wild_cards, groups, melds, sizes)
    groups += reserved
    jokers = wild_cards + [JOKER] * held.printed
    for group, size in zip(groups, sizes + joker_groups, strict=True):
        missing = size - len(group)
        group.extend(jokers[:missing])
        del jokers[:missing]
    if first:
        groups.insert(0, cards_in(first))
    loose = held.naturals.without([first, *[meld.cards for meld in melds]])
    return Solution(tuple(map(tuple, groups)), tuple(sort_cards(loose + jokers) if jokers else loose))


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


def _put_in_own_place(
    wild_cards: list[Card], groups: list[list[Card]], melds: list[FoundMeld], sizes: list[int]
) -> None:
    """Move one wild-rank card to each group that lacks a card and in which one can be itself."""
    for meld, group, size in zip(melds, groups, sizes, strict=True):
        own = _own_place(meld.cards, size, wild_cards) if len(group) < size else None
        if own is not None:
            wild_cards.remove(own)
            group.append(own)


def _own_place(cards: int, size: int, wild_cards: list[Card]) -> Card | None:
    """The wild-rank card that can be itself in the sequence of so many cards with the natural `cards`, if any."""
    suit = (cards & -cards).bit_length() - 1 & ~15
    ranks = cards >> suit
    for card in wild_cards:
        if card.rank is not None and card.suit is not None and 16 * card.suit == suit and ranks < 1 << 13:
            own = 1 << card.rank
            for places in (ranks | own, _ace_high(ranks) | own, ranks | _ace_high(own)):
                if places.bit_length() - (places & -places).bit_length() < size:
                    return card
    return None


def _ace_high(ranks: int) -> int:
    return ranks & ~1 | (ranks & 1) << ACE_HIGH
