"""Search: the grouping with the greatest gain, by branch and bound over bit masks of the cards.

What is maximised is the gain: for every grouped card its points times 64, plus one. So the fewest points come first and
then the most cards grouped. The search takes the lowest card left and tries, in this order, every sequence that holds
it, every set, and leaving it out. A state that was entered before with as much gain is not entered again, nor one
whose bound does not beat the best so far. Of equals the first one found stands: that is the canonical choice.

In a mask, suit s has the bits 16s (ace) to 16s+12 (king); bit 16s+13 is the ace above the king while runs are looked
for. `once`, `twice` and `thrice` are the cards held at least so many times. Wild-rank cards are jokers in the search:
a joker can stand for itself as well. Only in a first life do they have to be themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from service.cards import JOKER, Card, Rank
from service.melds import ACE_HIGH, LARGEST_SET, LONGEST_SEQUENCE, SMALLEST_MELD
from service.rules import Lengths

_SUIT: Final = 0x1FFF
_ACES: Final = 0x0001_0001_0001_0001
_CARDS: Final = _ACES * _SUIT
BITS: Final = tuple(1 << 16 * (order // 13) + order % 13 for order in range(52))
POINT: Final = 64
# Longer sequences split into shorter ones that are sequences too: 6 = 3 + 3.
_LONGEST_NEEDED: Final = 5
_POPULATION: Final = bytes(mask.bit_count() for mask in range(1 << 14))
_SPAN: Final = bytes(mask.bit_length() for mask in range(1 << 14))


@lru_cache(maxsize=64)
def _gain_table(points: tuple[int, ...]) -> list[int]:
    """For every 13-bit mask of ranks, the gain of grouping them, given the points of each rank."""
    table = [0]
    for value in points:
        table += [gain + value * POINT + 1 for gain in table]
    return table


COUNT_ONLY: Final = (0,) * 13


@dataclass(frozen=True)
class FoundMeld:
    """A meld in search: its natural cards as a mask, its jokers, and how many more jokers it could take in."""

    cards: int
    jokers: int
    room: int
    second: bool


def _gain(table: list[int], cards: int) -> int:
    """The gain of grouping all the cards of a mask."""
    return table[cards & _SUIT] + table[cards >> 16 & _SUIT] + table[cards >> 32 & _SUIT] + table[cards >> 48]


class Held:
    """A hand as masks and numbers: natural cards that are not wild, wild-rank cards, printed jokers."""

    def __init__(self, hand: Sequence[Card], wild: Rank | None) -> None:
        once = twice = thrice = printed = 0
        for card in hand:
            if card is JOKER:
                printed += 1
                continue
            bit = BITS[card.order]
            thrice |= twice & bit
            twice |= once & bit
            once |= bit
        wild_cards = 0 if wild is None else _ACES << wild
        self.all_once = once
        self.wild_once = once & wild_cards
        self.wild_total = sum((mask & wild_cards).bit_count() for mask in (once, twice, thrice))
        self.once = once & ~wild_cards
        self.twice = twice & ~wild_cards
        self.thrice = thrice & ~wild_cards
        self.printed = printed

    def points(self, values: tuple[int, ...], wild_points: int) -> int:
        """The points of all cards, given those of the ranks and of a wild-rank card."""
        table = _gain_table(values)
        gain = _gain(table, self.once) + _gain(table, self.twice) + _gain(table, self.thrice)
        return gain // POINT + self.wild_total * wild_points

    def life_points(self, life: int, values: tuple[int, ...], wild_points: int) -> int:
        """The points of the cards of a first life."""
        own = _gain(_gain_table(values), life & self.once) // POINT
        return own + (life & self.wild_once).bit_count() * wild_points

    def first_lives(self, lengths: Lengths, wild_allowed: bool) -> list[int]:
        """The pure sequences of so many cards, as masks: suit by suit, from the ace up, the shorter ones first."""
        cards = self.all_once if wild_allowed else self.once
        cards |= (cards & _ACES) << ACE_HIGH
        found = []
        starts = cards
        for place in range(1, lengths.min):
            starts &= cards >> place
        while starts:
            start = starts & -starts
            starts ^= start
            run = (start << lengths.min) - start
            length = lengths.min
            while length <= lengths.max and run & ~cards == 0 and length <= LONGEST_SEQUENCE:
                found.append(run & _CARDS | run >> ACE_HIGH & _ACES)
                run |= run << 1
                length += 1
        return found


class Search:
    """One maximisation: of points times 64 plus cards, given the points of the ranks and of a wild-rank card.

    `second` are the lengths of a second life that must be found, or None. The best is held in `best` (its gain),
    `first` (the mask of the first life) and `melds`.
    """

    def __init__(self, held: Held, points: tuple[int, ...], wild_points: int, second: Lengths | None) -> None:
        self.held = held
        self.table = _gain_table(points)
        self.wild_gain = wild_points * POINT + 1
        self.second_needed = second is not None
        self.second_min = SMALLEST_MELD if second is None else second.min
        self.second_max = LONGEST_SEQUENCE if second is None else second.max
        self.width = max(_LONGEST_NEEDED, self.second_min + 2)
        self.joker_gain = held.wild_total * self.wild_gain + held.printed
        self.goal = (
            _gain(self.table, held.once)
            + _gain(self.table, held.twice)
            + _gain(self.table, held.thrice)
            + self.joker_gain
        )
        self.best = -1
        self.first = 0
        self.melds: list[FoundMeld] = []
        self.wild_pool = 0
        self.nodes = 0
        self.seen: dict[tuple[int, ...], int] = {}

    @property
    def loose(self) -> int:
        """How many cards the best leaves out."""
        return (self.goal - self.best) % POINT

    def run(self, first: int) -> None:
        """Search with the cards of the mask `first` (0 for none) set apart as the first life."""
        held = self.held
        own = first & held.once
        self.wild_pool = held.wild_total - (first & held.wild_once).bit_count()
        once = held.once & ~(own & ~held.twice)
        twice = held.twice & ~(own & ~held.thrice)
        thrice = held.thrice & ~own
        rest = _gain(self.table, once) + _gain(self.table, twice) + _gain(self.table, thrice)
        jokers = self.wild_pool + held.printed
        if self._dig(once, twice, thrice, jokers, self.second_needed, 0, _gain(self.table, own), rest):
            self.first = first

    def _dig(
        self, once: int, twice: int, thrice: int, jokers: int, need: bool, room: int, gain: int, rest: int
    ) -> bool:
        """Try all that can be done with the cards left; true if a new best was found.

        `need`: a second life is still needed; `room`: how many more jokers the melds so far can take in; `gain` of
        the melds so far; `rest`: the gain of the cards left, jokers aside.
        """
        self.nodes += 1
        if gain + rest + self.joker_gain <= self.best:
            return False
        if jokers:
            state = (once, twice, thrice, jokers, need, room, self.wild_pool)
            if self.seen.get(state, -1) >= gain:
                return False
            self.seen[state] = gain
        table = self.table
        width = self.width
        improved = False
        while True:
            if jokers < 2:
                live = _live(once, jokers)
                if once & ~live:
                    once &= live
                    twice &= live
                    thrice &= live
                    rest = _gain(self.table, once) + _gain(self.table, twice) + _gain(self.table, thrice)
            if gain + rest + self.joker_gain <= self.best:
                return improved
            if not once:
                return self._finish(jokers, need, room, gain) or improved
            card = once & -once
            place = card.bit_length() - 1
            suit, rank = place & ~15, place & 15
            upper = (once >> place & (1 << min(width, 13 - rank)) - 1) >> 1
            part = upper
            while True:
                run = part << 1 | 1
                if self._sequence(once, twice, thrice, jokers, need, room, gain, rest, run << place, _SPAN[run]):
                    improved = True
                if not part:
                    break
                part = (part - 1) & upper
            if rank == 0:
                lowest = suit + 14 - width
                upper = once >> lowest & (1 << width - 1) - 1
                part = upper
                while part:
                    span = width + 1 - _SPAN[part & -part]
                    run = card | part << lowest
                    if self._sequence(once, twice, thrice, jokers, need, room, gain, rest, run, span):
                        improved = True
                    part = (part - 1) & upper
            same = once & (card << 16 | card << 32 | card << 48)
            part = same
            while part:
                size = 1 + part.bit_count()
                used = 1 if size == 2 else 0
                if used <= jokers:
                    got = size * table[1 << rank]
                    seats = LARGEST_SET - size - used
                    if self._take(once, twice, thrice, jokers, need, room, gain, rest, card | part, used, seats, got):
                        improved = True
                part = (part - 1) & same
            # Left out: all copies of it, as one more meld with a copy was tried above.
            rest -= table[1 << rank] * (1 + bool(twice & card) + bool(thrice & card))
            once &= ~card
            twice &= ~card
            thrice &= ~card

    def _sequence(
        self,
        once: int,
        twice: int,
        thrice: int,
        jokers: int,
        need: bool,
        room: int,
        gain: int,
        rest: int,
        cards: int,
        span: int,
    ) -> bool:
        """Try a sequence of the natural `cards`, with as few jokers as can be: as the second life, and as any other."""
        size = max(span, SMALLEST_MELD)
        used = size - cards.bit_count()
        if used > jokers:
            return False
        got = _gain(self.table, cards)
        improved = False
        if need and size <= self.second_max:
            second_size = max(size, self.second_min)
            used += second_size - size
            if used <= jokers:
                seats = self.second_max - second_size
                improved = self._take(
                    once, twice, thrice, jokers, False, room, gain, rest, cards, used, seats, got, second=True
                )
            if second_size == size and self.second_max == LONGEST_SEQUENCE:
                return improved
            used -= second_size - size
        if size <= _LONGEST_NEEDED:
            seats = LONGEST_SEQUENCE - size
            if self._take(once, twice, thrice, jokers, need, room, gain, rest, cards, used, seats, got):
                improved = True
        return improved

    def _take(
        self,
        once: int,
        twice: int,
        thrice: int,
        jokers: int,
        need: bool,
        room: int,
        gain: int,
        rest: int,
        cards: int,
        used: int,
        seats: int,
        got: int,
        second: bool = False,
    ) -> bool:
        """Go on without the `cards` of a meld and the jokers it used; keep it if that leads to a new best."""
        once, twice, thrice = once & ~(cards & ~twice), twice & ~(cards & ~thrice), thrice & ~cards
        room = min(room + seats, jokers - used)
        if not self._dig(once, twice, thrice, jokers - used, need, room, gain + got, rest - got):
            return False
        self.melds.append(FoundMeld(cards, used, seats, second))
        return True

    def _finish(self, jokers: int, need: bool, room: int, gain: int) -> bool:
        left = self._jokers_left(jokers, need, room)
        if left < 0:
            return False
        printed_left = min(left, self.held.printed)
        total = gain + self.joker_gain - printed_left - (left - printed_left) * self.wild_gain
        if total <= self.best:
            return False
        self.best = total
        self.melds.clear()
        return True

    def _jokers_left(self, jokers: int, need: bool, room: int) -> int:
        """How many jokers stay loose, or -1 where the second life cannot be made of them.

        Three jokers with a wild-rank card among them are a sequence: that card is itself.
        """
        if not need:
            return 0 if jokers <= room or (jokers >= SMALLEST_MELD and self.wild_pool) else jokers - room
        if not self.wild_pool or jokers < self.second_min:
            return -1
        longest = min(jokers, self.second_max)
        if self.wild_pool > 1 and jokers - self.second_min >= SMALLEST_MELD:
            return 0
        return max(0, jokers - longest - room)


def _live(once: int, jokers: int) -> int:
    """The cards that can still be in a meld when there is no joker, or only one, as a mask (with bits to spare)."""
    s0, s1, s2, s3 = once & _SUIT, once >> 16 & _SUIT, once >> 32 & _SUIT, once >> 48
    runs = once | (once & _ACES) << ACE_HIGH
    if jokers:
        near, far = runs & runs >> 1, runs & runs >> 2
        live = near | near << 1 | far | far << 2
        ranks = (s0 | s1) & (s2 | s3) | s0 & s1 | s2 & s3
    else:
        three = runs & runs >> 1 & runs >> 2
        live = three | three << 1 | three << 2
        ranks = s0 & s1 & (s2 | s3) | s2 & s3 & (s0 | s1)
    return live | live >> ACE_HIGH & _ACES | ranks | ranks << 16 | ranks << 32 | ranks << 48
