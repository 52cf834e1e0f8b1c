"""The oracle: every subset of a hand classified by definition, then a dynamic program over subsets.

Slow and obvious on purpose, written from the definitions (spec, sections 2 and 3), and sharing no code with the melds,
the solver and the verdict of `service.game`. A set of cards is a mask over the indices of the hand; a set of such masks
is one integer, with bit `m` set when mask `m` is in it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from service.game.cards import Card, Rank
from service.game.rules import RuleSet

PLACES = 14  # Of a suit: ace low, two ... king, ace high. A run is shorter, so it never has the ace at both ends.


@dataclass(frozen=True)
class Worth:
    """What an arrangement is worth: could it be shown, what a loser pays, how many cards are in valid groups."""

    declarable: bool
    points: int
    grouped: int


@dataclass(frozen=True)
class Meld:
    """What a group can be, over all its readings."""

    is_set: bool
    is_sequence: bool
    is_pure: bool
    length: int

    @property
    def valid(self) -> bool:
        return self.is_set or self.is_sequence


@cache
def is_run(ranks: tuple[Rank, ...], jokers: int) -> bool:
    """Can cards of one suit with these ranks stand in consecutive places, `jokers` filling all the others?"""
    length = len(ranks) + jokers
    if len(set(ranks)) < len(ranks) or not 3 <= length < PLACES:
        return False
    windows = (range(start, start + length) for start in range(PLACES - length + 1))
    return any(all(rank in window or (rank is Rank.ACE and 13 in window) for rank in ranks) for window in windows)


def read(naturals: Sequence[Card], jokers: int, wild: Rank | None, rules: RuleSet) -> Meld:
    """The group in which `naturals` are themselves and `jokers` more cards stand in for others."""
    ranks, suits = [card.rank for card in naturals], [card.suit for card in naturals]
    length = len(naturals) + jokers
    known = tuple(rank for rank in ranks if rank is not None)
    one_suit, one_rank = len(set(suits)) == 1, len(set(ranks)) == 1
    is_set = one_rank and len(set(suits)) == len(suits) and 3 <= length <= 4
    is_sequence = one_suit and is_run(tuple(sorted(known)), jokers)
    is_pure = is_sequence and not jokers and (rules.wild_in_first_life or wild not in ranks)
    return Meld(is_set, is_sequence, is_pure, length)


def _splits(cards: Sequence[Card], wild: Rank | None) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each way to let some cards be themselves (at least one) and some, of those that can, be jokers."""
    for size in range(1, len(cards) + 1):
        for natural in combinations(range(len(cards)), size):
            if any(cards[i].rank is None for i in natural):
                continue
            one_suit = len({cards[i].suit for i in natural}) == 1
            one_rank = len({cards[i].rank for i in natural}) == 1
            if not one_suit and not one_rank:
                continue
            free = [i for i, card in enumerate(cards) if i not in natural and card.rank in (None, wild)]
            for jokers in range(len(free) + 1):
                for joker in combinations(free, jokers):
                    yield natural, joker


def _merge(melds: Iterable[Meld], length: int) -> Meld:
    found = list(melds)
    return Meld(
        any(meld.is_set for meld in found),
        any(meld.is_sequence for meld in found),
        any(meld.is_pure for meld in found),
        length,
    )


def classify(cards: Sequence[Card], wild: Rank | None, rules: RuleSet) -> Meld:
    """What a group of these cards, all of them used, can be."""
    whole = (split for split in _splits(cards, wild) if len(split[0]) + len(split[1]) == len(cards))
    return _merge((read([cards[i] for i in n], len(j), wild, rules) for n, j in whole), len(cards))


def _melds(hand: Sequence[Card], wild: Rank | None, rules: RuleSet) -> dict[int, Meld]:
    """Every subset of the hand that is a valid group, by mask."""
    readings: dict[int, list[Meld]] = {}
    read_before: dict[tuple[tuple[int, ...], int], Meld] = {}
    for natural, joker in _splits(hand, wild):
        key = natural, len(joker)
        if key not in read_before:
            read_before[key] = read([hand[i] for i in natural], len(joker), wild, rules)
        if read_before[key].valid:
            mask = sum(1 << i for i in natural) + sum(1 << i for i in joker)
            readings.setdefault(mask, []).append(read_before[key])
    return {mask: _merge(melds, mask.bit_count()) for mask, melds in readings.items()}


def _value(card: Card, wild: Rank | None, rules: RuleSet) -> int:
    if card.rank is None or (card.rank is wild and not rules.wild_left_over_counts):
        return 0
    return rules.values[card.rank]


def _shows(meld: Meld, rules: RuleSet) -> bool:
    return meld.is_pure and rules.first_life.min <= meld.length <= rules.first_life.max


def _saves(meld: Meld, rules: RuleSet) -> bool:
    return meld.is_pure and rules.loser_first_life.min <= meld.length <= rules.loser_first_life.max


def _seconds(meld: Meld, rules: RuleSet) -> bool:
    life = rules.second_life
    return life is not None and meld.is_sequence and life.min <= meld.length <= life.max


@cache
def _without(mask: int) -> int:
    """The set of all masks of 13 cards that share no card with `mask`."""
    masks = 1
    for i in range(13):
        if not mask >> i & 1:
            masks |= masks << (1 << i)
    return masks


def _members(masks: int) -> list[int]:
    return [mask for mask, bit in enumerate(reversed(f"{masks:b}")) if bit == "1"]


@dataclass
class _Unions:
    """The unions of disjoint valid groups, as sets of masks, by the lives that are among the groups."""

    plain: int = 1  # Any groups at all; the empty union is one.
    first: int = 0
    second: int = 0
    both: int = 0

    def add(self, mask: int, first: bool, second: bool) -> None:
        """Let one more group join every union that it is disjoint with; it is one life at most."""

        def join(masks: int) -> int:
            return (masks & _without(mask)) << mask

        self.both |= join(self.both) | (join(self.second) if first else 0) | (join(self.first) if second else 0)
        self.first |= join(self.first) | (join(self.plain) if first else 0)
        self.second |= join(self.second) | (join(self.plain) if second else 0)
        self.plain |= join(self.plain)


def best(hand: Sequence[Card], wild: Rank | None, rules: RuleSet) -> Worth:
    """The optimum for 13 cards: declarable if any grouping is, then fewest points, then most cards grouped."""
    melds = _melds(hand, wild, rules)
    show, loser = _Unions(), _Unions()
    for mask, meld in melds.items():
        show.add(mask, _shows(meld, rules), _seconds(meld, rules))
        loser.add(mask, _saves(meld, rules), _seconds(meld, rules))
    everything = (1 << len(hand)) - 1
    if (show.first if rules.second_life is None else show.both) >> everything & 1:
        return Worth(True, 0, len(hand))
    sums = [0]
    for card in hand:
        sums += [total + _value(card, wild, rules) for total in sums]
    # Each claim is an upper bound of what its grouping is charged, and the true charge is among the claims.
    claims = [(sums[everything], max(mask.bit_count() for mask in _members(loser.plain)))]
    saved = loser.both if rules.loser_needs_second_life else loser.first
    claims += [(sums[everything ^ mask], mask.bit_count()) for mask in _members(saved)]
    if rules.loser_needs_second_life:
        for mask, meld in melds.items():
            if _saves(meld, rules):
                beside = max(m.bit_count() for m in _members(loser.plain & _without(mask)))
                claims.append((sums[everything ^ mask], mask.bit_count() + beside))
    capped = [(_cap(points, rules), grouped) for points, grouped in claims]
    points, grouped = min(capped, key=lambda claim: (claim[0], -claim[1]))
    return Worth(False, points, grouped)


def _cap(points: int, rules: RuleSet) -> int:
    return points if rules.cap is None else min(points, rules.cap)


def submitted(hand: Sequence[Card], groups: Sequence[Sequence[Card]], wild: Rank | None, rules: RuleSet) -> Worth:
    """What groups laid out from the hand are worth under the readings and lives that are best for the player."""
    melds = [classify(group, wild, rules) for group in groups]

    def points_of(cards: Iterable[Card]) -> int:
        return sum(_value(card, wild, rules) for card in cards)

    total = points_of(hand)
    safe = sum(points_of(group) for group, meld in zip(groups, melds, strict=True) if meld.valid)
    grouped = sum(meld.length for meld in melds if meld.valid)
    seconds: list[int | None] = [i for i, meld in enumerate(melds) if _seconds(meld, rules)]
    declarable, claims = False, [total]
    for first, meld in enumerate(melds):
        for second in [None, *seconds]:
            if second == first:
                continue
            if _shows(meld, rules) and grouped == len(hand) and (second is not None or rules.second_life is None):
                declarable = True
            if _saves(meld, rules):
                tier_met = second is not None or not rules.loser_needs_second_life
                claims.append(total - (safe if tier_met else points_of(groups[first])))
    return Worth(declarable, _cap(min(claims), rules), grouped)
