"""Search: the grouping with the least loss, by branch and bound over bit masks of the cards.

What is minimised is the loss: the points that count times 64, plus one for every card in no group. So the fewest points
come first and then the most cards grouped. The search takes the lowest card left and tries, in this order, every
sequence that holds it, every set, and leaving it out. It goes no further where the loss is no less than the least so
far, nor where the same cards were left before at no greater loss. Ties keep the first one found, which makes the answer
canonical.

Wild-rank cards are jokers in the search: a joker can stand for itself as well. Only in a first life do they have to be
themselves.
"""

from typing import Final

from service.game.held import ACES, LOWEST, POINT, POPULATION, SUIT, Copies, Held, count_cards, loss_of, loss_table
from service.game.integers import i64, mypyc_attr
from service.game.melds import ACE_HIGH, LARGEST_SET, LONGEST_SEQUENCE, SMALLEST_MELD
from service.game.rules import Lengths

# More than any hand loses.
_NOTHING_FOUND: Final = 1 << 40
# Longer sequences split into shorter ones that are sequences too: 6 = 3 + 3.
_LONGEST_NEEDED: Final = 5
# A search of so few states takes less time than remembering them.
_SMALL_SEARCH: Final = 16
# For every mask of ranks from a lowest one up: the size of the shortest sequence that has them.
_SIZE: Final = bytes(max(mask.bit_length(), SMALLEST_MELD) for mask in range(1 << 13))


@mypyc_attr(acyclic=True)
class FoundMeld:
    """A meld in search: its natural cards as a mask, its jokers, and how many more jokers it could take in.

    No dataclass: compiled, those are made slowly.
    """

    def __init__(self, cards: i64, jokers: i64, joker_room: i64) -> None:
        self.cards: Final = cards
        self.jokers: Final = jokers
        self.joker_room: Final = joker_room

    @property
    def is_set(self) -> bool:
        """Whether it is a set: its cards are of several suits."""
        return self.cards // (self.cards & -self.cards) > SUIT


@mypyc_attr(acyclic=True)
class State(Copies):
    """The natural cards and the jokers that are left when a meld is taken from `cards`.

    `meld` has its natural cards; `before` is the state that it was taken in, None where it is the first life (or 0).
    `joker_room` is how many more jokers all melds together could take in, `lost` the loss of the cards left out.
    """

    def __init__(
        self,
        cards: Copies,
        meld: i64,
        before: "State | None",
        jokers: i64,
        joker_room: i64,
        second_needed: bool,
        lost: i64,
    ) -> None:
        super().__init__(cards.once, cards.twice, cards.thrice, meld)
        self.meld: Final = meld
        self.before: Final = before
        self.jokers: Final = jokers
        self.joker_room: Final = joker_room
        self.second_needed: Final = second_needed
        self.lost = lost

    def leave_out(self, cards: i64, table: list[int]) -> None:
        """Leave out all copies of the cards."""
        self.lost += loss_of(self.once & cards, table)
        self.once &= ~cards
        if self.twice & cards:
            self.lost += loss_of(self.twice & cards, table) + loss_of(self.thrice & cards, table)
            self.twice &= ~cards
            self.thrice &= ~cards

    def first_life(self) -> i64:
        """The first life as a mask, 0 for none."""
        state = self
        while state.before is not None:
            state = state.before
        return state.meld

    def melds(self) -> list[FoundMeld]:
        """The melds beside the first life, the one taken last first."""
        found = []
        state = self
        while state.before is not None:
            before = state.before
            found.append(FoundMeld(state.meld, before.jokers - state.jokers, state.joker_room - before.joker_room))
            state = before
        return found


class Search:
    """One minimisation of the loss, given the points of the ranks and of a wild-rank card.

    `second` has the lengths of a second life that must be found, or is None. `charged` points count whatever is
    grouped. `loss` is the least one found, `best` the state that has it, `visited` counts the states.
    """

    def __init__(
        self, held: Held, points: tuple[int, ...], wild_points: i64, second: Lengths | None, charged: i64
    ) -> None:
        self.held: Final = held
        self.table: Final = loss_table(points)
        self.wild_loss: i64 = wild_points * POINT + 1
        self.charged: i64 = charged * POINT
        self.second_needed: Final = second is not None
        self.second_min: i64 = SMALLEST_MELD if second is None else second.min
        self.second_max: i64 = LONGEST_SEQUENCE if second is None else second.max
        self.longest_second: i64 = max(_LONGEST_NEEDED, self.second_min + 2)
        self.wild_cards: i64 = 0
        self.loss: i64 = _NOTHING_FOUND
        self.best = State(held.naturals, 0, None, 0, 0, False, 0)
        self.visited: i64 = 0
        self.seen: dict[tuple[int, ...], int] = {}

    def run(self, first: i64) -> None:
        """Search with the cards of the mask `first` (0 for none) set apart as the first life."""
        held = self.held
        self.wild_cards = held.wild.count() - count_cards(first & held.wild.once)
        jokers = self.wild_cards + held.printed
        self._explore(State(held.naturals, first, None, jokers, 0, self.second_needed, self.charged))

    def _explore(self, left: State) -> None:
        """Try all that can be done with the cards left."""
        self.visited += 1
        if left.lost >= self.loss or self._was_seen(left):
            return
        while True:
            if left.jokers < 2:
                dead = left.once & ~_live(left.once, left.jokers)
                if dead:
                    left.leave_out(dead, self.table)
            if left.lost >= self.loss:
                return
            if not left.once:
                self._finish(left)
                return
            suit: i64 = 0
            while not left.once >> suit & SUIT:
                suit += 16
            self._try_sequences(left, suit)
            if left.once >> suit & 1:
                self._try_ace_high(left, suit)
            self._try_sets(left)
            # All copies of the card, as one more meld with a copy was tried above.
            left.leave_out(left.once & -left.once, self.table)

    def _was_seen(self, left: State) -> bool:
        """Whether the same was left before at no greater loss. Remembers it."""
        if not left.jokers or self.visited <= _SMALL_SEARCH:
            return False
        jokers, joker_room = left.jokers, min(left.joker_room, left.jokers)
        # Typed as one object: a tuple of machine words would be turned into one for each use.
        key: tuple[int, ...] = (
            left.once,
            left.twice,
            left.thrice,
            jokers,
            joker_room,
            left.second_needed,
            self.wild_cards,
        )
        if self.seen.get(key, _NOTHING_FOUND) <= left.lost:
            return True
        self.seen[key] = left.lost
        return False

    def _try_sequences(self, left: State, suit: i64) -> None:
        """Try the sequences in which the lowest card is the lowest."""
        longest = self.longest_second if left.second_needed else _LONGEST_NEEDED
        ranks = left.once >> suit & SUIT
        lowest: i64 = LOWEST[ranks]
        higher = ranks >> lowest + 1 & (1 << longest - 1) - 1
        part = higher
        while True:
            run = part << 1 | 1
            size: i64 = _SIZE[run]
            jokers = size - POPULATION[run]
            if jokers <= left.jokers:
                self._try_sequence(left, run << suit + lowest, size, jokers)
            if not part:
                return
            part = part - 1 & higher

    def _try_ace_high(self, left: State, suit: i64) -> None:
        """Try the sequences in which the ace is the highest."""
        longest = self.longest_second if left.second_needed else _LONGEST_NEEDED
        start = ACE_HIGH + 1 - longest
        lower = (left.once >> suit & SUIT) >> start
        part = lower
        while part:
            size: i64 = max(longest - LOWEST[part], SMALLEST_MELD)
            jokers = size - 1 - POPULATION[part]
            if jokers <= left.jokers:
                self._try_sequence(left, (part << start | 1) << suit, size, jokers)
            part = part - 1 & lower

    def _try_sequence(self, left: State, cards: i64, size: i64, jokers: i64) -> None:
        """Try a sequence of `size` with `jokers`: as the second life where one is needed, and as any other."""
        if left.second_needed and size <= self.second_max:
            more = max(self.second_min - size, 0)
            if jokers + more <= left.jokers:
                self._take(left, cards, jokers + more, self.second_max - size - more, False)
            if not more and self.second_max == LONGEST_SEQUENCE:
                return
        if size <= _LONGEST_NEEDED:
            self._take(left, cards, jokers, LONGEST_SEQUENCE - size, left.second_needed)

    def _try_sets(self, left: State) -> None:
        """Try the sets that hold the lowest card."""
        card = left.once & -left.once
        same = left.once & (card << 16 | card << 32 | card << 48)
        part = same
        while part:
            size = 1 + count_cards(part)
            jokers: i64 = 1 if size == 2 else 0
            if jokers <= left.jokers:
                self._take(left, card | part, jokers, LARGEST_SET - size - jokers, left.second_needed)
            part = part - 1 & same

    def _take(self, left: State, meld: i64, jokers: i64, joker_room: i64, second_needed: bool) -> None:
        """Go on without the natural cards of a meld and its jokers."""
        jokers, joker_room = left.jokers - jokers, left.joker_room + joker_room
        self._explore(State(left, meld, left, jokers, joker_room, second_needed, left.lost))

    def _finish(self, left: State) -> None:
        """Keep what led here if it is the best so far."""
        loose = self._loose_jokers(left)
        if loose < 0:
            return
        printed = min(loose, self.held.printed)
        loss = left.lost + printed + (loose - printed) * self.wild_loss
        if loss < self.loss:
            self.loss = loss
            self.best = left

    def _loose_jokers(self, left: State) -> i64:
        """How many jokers stay loose, or -1 where the second life cannot be made of them.

        Three jokers with a wild-rank card among them are a sequence: that card is itself.
        """
        jokers = left.jokers
        if not left.second_needed:
            if jokers <= left.joker_room or (jokers >= SMALLEST_MELD and self.wild_cards):
                return 0
            return jokers - left.joker_room
        if not self.wild_cards or jokers < self.second_min:
            return -1
        longest = min(jokers, self.second_max)
        if self.wild_cards > 1 and jokers - self.second_min >= SMALLEST_MELD:
            return 0
        return max(0, jokers - longest - left.joker_room)


def _live(once: i64, jokers: i64) -> i64:
    """The cards that can still be in a meld when there is no joker, or only one, as a mask (with bits to spare)."""
    s0, s1, s2, s3 = once & SUIT, once >> 16 & SUIT, once >> 32 & SUIT, once >> 48
    runs = once | (once & ACES) << ACE_HIGH
    if jokers:
        near, far = runs & runs >> 1, runs & runs >> 2
        live = near | near << 1 | far | far << 2
        ranks = (s0 | s1) & (s2 | s3) | s0 & s1 | s2 & s3
    else:
        three = runs & runs >> 1 & runs >> 2
        live = three | three << 1 | three << 2
        ranks = s0 & s1 & (s2 | s3) | s2 & s3 & (s0 | s1)
    return live | live >> ACE_HIGH & ACES | ranks | ranks << 16 | ranks << 32 | ranks << 48
