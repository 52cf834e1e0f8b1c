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
from functools import lru_cache
from typing import Final

from service.game.cards import JOKER, NATURAL_CARDS, Card, Rank, sort_cards
from service.game.integers import i64
from service.game.melds import ACE_HIGH, LARGEST_SET, LONGEST_SEQUENCE, SMALLEST_MELD
from service.game.rules import Lengths

POINT: Final = 64
COUNT_ONLY: Final = (0,) * 13
BITS: Final = tuple(1 << 16 * (order // 13) + order % 13 for order in range(52))
_SUIT: Final[i64] = 0x1FFF
_ACES: Final[i64] = 0x0001_0001_0001_0001
_CARDS: Final[i64] = 0x1FFF_1FFF_1FFF_1FFF
# Longer sequences split into shorter ones that are sequences too: 6 = 3 + 3.
_LONGEST_NEEDED: Final = 5
# So many nodes are visited sooner than remembered.
_SMALL_SEARCH: Final = 16
# For every mask of a suit: how many cards it has, and the place of the lowest and past the highest one.
_POPULATION: Final = bytes(mask.bit_count() for mask in range(1 << 13))
_LOWEST: Final = bytes(max(0, (mask & -mask).bit_length() - 1) for mask in range(1 << 13))
_LENGTH: Final = bytes(mask.bit_length() for mask in range(1 << 13))


@lru_cache(maxsize=64)
def _gain_table(points: tuple[int, ...]) -> list[int]:
    """For every mask of a suit, the gain of grouping its cards, given the points of each rank."""
    table = [0]
    for value in points:
        table += [gain + value * POINT + 1 for gain in table]
    return table


def _gain(table: list[int], cards: i64) -> i64:
    """The gain of grouping all the cards of a mask."""
    gain: i64 = table[cards & _SUIT]
    return gain + table[cards >> 16 & _SUIT] + table[cards >> 32 & _SUIT] + table[cards >> 48]


def count_cards(cards: i64) -> i64:
    """How many cards a mask has."""
    count: i64 = _POPULATION[cards & _SUIT]
    return count + _POPULATION[cards >> 16 & _SUIT] + _POPULATION[cards >> 32 & _SUIT] + _POPULATION[cards >> 48]


def cards_in(cards: i64) -> list[Card]:
    """The cards of a mask, one of each, in listing order."""
    found = []
    suit: i64 = 0
    while suit < 4:
        ranks = cards >> 16 * suit & _SUIT
        while ranks:
            found.append(NATURAL_CARDS[13 * suit + _LOWEST[ranks]])
            ranks &= ranks - 1
        suit += 1
    return found


class FoundMeld:
    """A meld in search: its natural cards as a mask, its jokers, and how many more jokers it could take in.

    `second` tells that it was taken for the second life. No dataclass: compiled, those are made slowly.
    """

    def __init__(self, cards: i64, jokers: i64, room: i64, second: bool) -> None:
        self.cards: Final = cards
        self.jokers: Final = jokers
        self.room: Final = room
        self.second: Final = second

    @property
    def is_set(self) -> bool:
        """Whether it is a set: its cards are of several suits."""
        return self.cards // (self.cards & -self.cards) > _SUIT


class Held:
    """A hand as masks and numbers: natural cards that are not wild, wild-rank cards, printed jokers."""

    def __init__(self, hand: Sequence[Card], wild: Rank | None) -> None:
        once: i64 = 0
        twice: i64 = 0
        thrice: i64 = 0
        printed: i64 = 0
        for card in hand:
            if card is JOKER:
                printed += 1
                continue
            bit: i64 = BITS[card.order]
            thrice |= twice & bit
            twice |= once & bit
            once |= bit
        wild_cards: i64 = 0 if wild is None else _ACES << i64(wild)
        self.all_once = once
        self.wild_once = once & wild_cards
        self.wild_twice = twice & wild_cards
        self.wild_thrice = thrice & wild_cards
        self.wild_total = count_cards(self.wild_once) + count_cards(self.wild_twice) + count_cards(self.wild_thrice)
        self.once = once & ~wild_cards
        self.twice = twice & ~wild_cards
        self.thrice = thrice & ~wild_cards
        self.printed = printed

    def points(self, values: tuple[int, ...], wild_points: i64) -> i64:
        """The points of all cards, given those of the ranks and of a wild-rank card."""
        return self.gain(_gain_table(values)) // POINT + self.wild_total * wild_points

    def gain(self, table: list[int]) -> i64:
        """The gain of grouping all cards but the jokers."""
        return _gain(table, self.once) + _gain(table, self.twice) + _gain(table, self.thrice)

    def life_points(self, life: i64, values: tuple[int, ...], wild_points: i64) -> i64:
        """The points of the cards of a first life."""
        own = _gain(_gain_table(values), life & self.once) // POINT
        return own + count_cards(life & self.wild_once) * wild_points

    def wild_cards(self, first: i64) -> list[Card]:
        """The wild-rank cards in listing order, those in the first life left out."""
        return sort_cards(cards_in(self.wild_once & ~first) + cards_in(self.wild_twice) + cards_in(self.wild_thrice))

    def cards_outside(self, melds: list[int]) -> list[Card]:
        """The cards that are in none of the melds, jokers aside, in listing order."""
        once, twice, thrice = self.once, self.twice, self.thrice
        for meld in melds:
            cards: i64 = meld
            once, twice, thrice = once & ~(cards & ~twice), twice & ~(cards & ~thrice), thrice & ~cards
        return sort_cards(cards_in(once) + cards_in(twice) + cards_in(thrice)) if twice else cards_in(once)

    def first_lives(self, lengths: Lengths, wild_allowed: bool) -> list[int]:
        """The pure sequences of so many cards, as masks: suit by suit, from the ace up, the shorter ones first."""
        cards = self.all_once if wild_allowed else self.once
        cards |= (cards & _ACES) << ACE_HIGH
        shortest: i64 = lengths.min
        longest: i64 = lengths.max
        found = []
        starts = cards
        place: i64 = 1
        while place < shortest:
            starts &= cards >> place
            place += 1
        while starts:
            start = starts & -starts
            starts ^= start
            run = (start << shortest) - start
            length = shortest
            while length <= longest and run & ~cards == 0:
                found.append(int(run & _CARDS | run >> ACE_HIGH & _ACES))
                run |= run << 1
                length += 1
        return found


class Search:
    """One maximisation: of points times 64 plus cards, given the points of the ranks and of a wild-rank card.

    `second` are the lengths of a second life that must be found, or None. The best is held in `best` (its gain),
    `first` (the mask of the first life) and `melds`.
    """

    def __init__(self, held: Held, points: tuple[int, ...], wild_points: i64, second: Lengths | None) -> None:
        self.held = held
        self.table = _gain_table(points)
        self.wild_gain: i64 = wild_points * POINT + 1
        self.second_needed = second is not None
        self.second_min: i64 = SMALLEST_MELD if second is None else second.min
        self.second_max: i64 = LONGEST_SEQUENCE if second is None else second.max
        self.width: i64 = max(_LONGEST_NEEDED, self.second_min + 2)
        self.joker_gain: i64 = held.wild_total * self.wild_gain + held.printed
        self.goal: i64 = held.gain(self.table) + self.joker_gain
        self.best: i64 = -1
        self.first: i64 = 0
        self.melds: list[FoundMeld] = []
        self.wild_pool: i64 = 0
        self.nodes: i64 = 0
        self.seen: dict[tuple[i64, i64, i64, i64, bool, i64, i64], int] = {}

    @property
    def loose(self) -> i64:
        """How many cards the best leaves out."""
        return (self.goal - self.best) % POINT

    def run(self, first: i64) -> None:
        """Search with the cards of the mask `first` (0 for none) set apart as the first life."""
        held = self.held
        own = first & held.once
        self.wild_pool = held.wild_total - count_cards(first & held.wild_once)
        once = held.once & ~(own & ~held.twice)
        twice = held.twice & ~(own & ~held.thrice)
        thrice = held.thrice & ~own
        rest = _gain(self.table, once) + _gain(self.table, twice) + _gain(self.table, thrice)
        jokers = self.wild_pool + held.printed
        if self._dig(once, twice, thrice, jokers, self.second_needed, 0, _gain(self.table, own), rest):
            self.first = first

    def _dig(
        self, once: i64, twice: i64, thrice: i64, jokers: i64, need: bool, room: i64, gain: i64, rest: i64
    ) -> bool:
        """Try all that can be done with the cards left; true if a new best was found.

        `need`: a second life is still needed; `room`: how many more jokers the melds so far can take in; `gain` of
        the melds so far; `rest`: the gain of the cards left, jokers aside.
        """
        self.nodes += 1
        if gain + rest + self.joker_gain <= self.best:
            return False
        if jokers and self.nodes > _SMALL_SEARCH:
            state = (once, twice, thrice, jokers, need, room, self.wild_pool)
            if self.seen.get(state, -1) >= gain:
                return False
            self.seen[state] = int(gain)
        table = self.table
        width = self.width if need else _LONGEST_NEEDED
        window = (1 << width - 1) - 1
        improved = False
        while True:
            if jokers < 2:
                live = _live(once, jokers)
                if once & ~live:
                    once &= live
                    twice &= live
                    thrice &= live
                    rest = _gain(table, once) + _gain(table, twice) + _gain(table, thrice)
            if gain + rest + self.joker_gain <= self.best:
                return improved
            if not once:
                return self._finish(jokers, need, room, gain) or improved
            suit: i64 = 0
            ranks = once & _SUIT
            while not ranks:
                suit += 16
                ranks = once >> suit & _SUIT
            rank: i64 = _LOWEST[ranks]
            card = once & -once
            # Sequences in which the card is the lowest; an ace may be the highest as well.
            upper = ranks >> rank + 1 & window
            part = upper
            while True:
                run = part << 1 | 1
                size: i64 = max(_LENGTH[run], SMALLEST_MELD)
                used = size - _POPULATION[run]
                if used <= jokers and self._sequence(
                    once,
                    twice,
                    thrice,
                    jokers,
                    need,
                    room,
                    gain,
                    rest,
                    run << suit + rank,
                    size,
                    used,
                    table[run << rank],
                ):
                    improved = True
                if not part:
                    break
                part = part - 1 & upper
            if rank == 0:
                upper = ranks >> 14 - width & window
                part = upper
                while part:
                    size = max(width - _LOWEST[part], SMALLEST_MELD)
                    used = size - 1 - _POPULATION[part]
                    run = part << 14 - width | 1
                    if used <= jokers and self._sequence(
                        once, twice, thrice, jokers, need, room, gain, rest, run << suit, size, used, table[run]
                    ):
                        improved = True
                    part = part - 1 & upper
            same = once & (card << 16 | card << 32 | card << 48)
            one_gain: i64 = table[1 << rank]
            part = same
            while part:
                size = 1 + count_cards(part)
                used = 1 if size == 2 else 0
                if used <= jokers:
                    seats = LARGEST_SET - size - used
                    got = size * one_gain
                    if self._take(
                        once, twice, thrice, jokers, need, room, gain, rest, card | part, used, seats, got, False
                    ):
                        improved = True
                part = part - 1 & same
            # Left out: all copies of it, as one more meld with a copy was tried above.
            rest -= one_gain
            if twice & card:
                rest -= one_gain
                if thrice & card:
                    rest -= one_gain
                    thrice ^= card
                twice ^= card
            once ^= card

    def _sequence(
        self,
        once: i64,
        twice: i64,
        thrice: i64,
        jokers: i64,
        need: bool,
        room: i64,
        gain: i64,
        rest: i64,
        cards: i64,
        size: i64,
        used: i64,
        got: i64,
    ) -> bool:
        """Try a sequence of `size` with `used` jokers: as the second life where one is needed, and as any other."""
        improved = False
        if need and size <= self.second_max:
            more = max(self.second_min - size, 0)
            if used + more <= jokers:
                seats = self.second_max - size - more
                used += more
                improved = self._take(
                    once, twice, thrice, jokers, False, room, gain, rest, cards, used, seats, got, True
                )
                used -= more
            if not more and self.second_max == LONGEST_SEQUENCE:
                return improved
        if size <= _LONGEST_NEEDED:
            seats = LONGEST_SEQUENCE - size
            if self._take(once, twice, thrice, jokers, need, room, gain, rest, cards, used, seats, got, False):
                improved = True
        return improved

    def _take(
        self,
        once: i64,
        twice: i64,
        thrice: i64,
        jokers: i64,
        need: bool,
        room: i64,
        gain: i64,
        rest: i64,
        cards: i64,
        used: i64,
        seats: i64,
        got: i64,
        second: bool,
    ) -> bool:
        """Go on without the `cards` of a meld and the jokers it used; keep it if that leads to a new best."""
        once, twice, thrice = once & ~(cards & ~twice), twice & ~(cards & ~thrice), thrice & ~cards
        room = min(room + seats, jokers - used)
        if not self._dig(once, twice, thrice, jokers - used, need, room, gain + got, rest - got):
            return False
        self.melds.append(FoundMeld(cards, used, seats, second))
        return True

    def _finish(self, jokers: i64, need: bool, room: i64, gain: i64) -> bool:
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

    def _jokers_left(self, jokers: i64, need: bool, room: i64) -> i64:
        """How many jokers stay loose, or -1 where the second life cannot be made of them.

        Three jokers with a wild-rank card among them are a sequence: that card is itself.
        """
        if not need:
            if jokers <= room or (jokers >= SMALLEST_MELD and self.wild_pool):
                return 0
            return jokers - room
        if not self.wild_pool or jokers < self.second_min:
            return -1
        longest = min(jokers, self.second_max)
        if self.wild_pool > 1 and jokers - self.second_min >= SMALLEST_MELD:
            return 0
        return max(0, jokers - longest - room)


def _live(once: i64, jokers: i64) -> i64:
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
