"""Hands made to measure: of any size, with so many jokers or so many equal cards, from a seeded `Random`."""

from collections.abc import Sequence
from random import Random
from typing import Final, TypeVar

from bench.corpora import Deal
from service.game.cards import JOKER, NATURAL_CARDS, Card, Rank, Suit, TurnedUp, natural_card
from service.game.rules import HAND_SIZE, RuleSet

Item = TypeVar("Item")

JOKERS_IN_GROUPS: Final = 0.15
LOOSE_CARDS: Final = (0, 0, 1, 2)
MANY_JOKERS: Final = range(3, 10)


def pick(random: Random, items: Sequence[Item]) -> Item:
    """One of the items. Of all that `Random` offers, only random() is promised to be the same in every Python."""
    return items[int(random.random() * len(items))]


def shuffled(random: Random, items: Sequence[Item]) -> list[Item]:
    return sorted(items, key=lambda _: random.random())


def full_deck(rules: RuleSet) -> list[Card]:
    """All cards that are dealt from at the table with the most packs."""
    deck = rules.deck(None)
    return [*NATURAL_CARDS * deck.packs, *[JOKER] * deck.printed_jokers]


def group(random: Random) -> list[Card]:
    """A set of three or four cards, or a pure sequence of three to five."""
    if random.random() < 0.5:
        rank = pick(random, tuple(Rank))
        return [natural_card(rank, suit) for suit in shuffled(random, tuple(Suit))[: pick(random, (3, 3, 4))]]
    suit, length = pick(random, tuple(Suit)), pick(random, (3, 3, 4, 5))
    start = int(random.random() * (len(Rank) + 2 - length))
    return [natural_card(Rank((start + place) % len(Rank)), suit) for place in range(length)]


def counted_deal(random: Random, rules: RuleSet, jokers: int, pairs: int, *, built: bool) -> Deal:
    """A hand of 13 with exactly so many jokers and so many pairs of equal cards among the others.

    The others are random, or (`built`) those of groups.
    """
    wild = pick(random, tuple(Rank))
    needed = HAND_SIZE - jokers - pairs
    cards: dict[Card, None] = {}
    while len(cards) < needed:
        more = group(random) if built else [pick(random, NATURAL_CARDS)]
        cards |= dict.fromkeys(card for card in more if card.rank is not wild)
    single = list(cards)[:needed]
    supply = [card for card in full_deck(rules) if card is JOKER or card.rank is wild]
    return Deal(rules, TurnedUp(wild), (*single, *shuffled(random, single)[:pairs], *shuffled(random, supply)[:jokers]))


def random_deal(random: Random, rules: RuleSet, size: int) -> Deal:
    """Any cards of the deck."""
    return Deal(rules, TurnedUp(pick(random, tuple(Rank))), tuple(shuffled(random, full_deck(rules))[:size]))


def built_deal(random: Random, rules: RuleSet, size: int) -> Deal:
    """Groups, some with jokers, in which up to two cards were then changed for others."""
    wild = pick(random, tuple(Rank))
    left = shuffled(random, full_deck(rules))
    hand: list[Card] = []
    while size - len(hand) >= 3:
        for card in group(random)[: size - len(hand)]:
            joker = next((other for other in left if other is JOKER or other.rank is wild), card)
            taken = joker if random.random() < JOKERS_IN_GROUPS else card
            if taken in left:
                left.remove(taken)
                hand.append(taken)
    kept = shuffled(random, hand)[pick(random, LOOSE_CARDS) :]
    return Deal(rules, TurnedUp(wild), (*kept, *left[: size - len(kept)]))


def joker_rich_deal(random: Random, rules: RuleSet, size: int) -> Deal:
    """Three to nine jokers, printed or wild; the rest is random."""
    wild = pick(random, tuple(Rank))
    cards = shuffled(random, full_deck(rules))
    jokers = [card for card in cards if card is JOKER or card.rank is wild][: pick(random, MANY_JOKERS)]
    others = [card for card in cards if card is not JOKER and card.rank is not wild]
    return Deal(rules, TurnedUp(wild), (*jokers, *others[: size - len(jokers)]))
