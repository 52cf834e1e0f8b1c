"""Cache: solved hands are remembered, the least recently used one is forgotten first."""

import threading
import time
from collections.abc import Callable
from functools import lru_cache

from service.game.arrangement import Arrangement
from service.game.cards import Card, Rank
from service.game.packing import Packed, pack, unpack
from service.game.rules import RuleSet
from service.game.verdict import Solve


class SolveCache:
    """A `solve` function that remembers `size` answers of another one (0: none).

    After every call `report` is called once: with the seconds that the solver took on a miss, with None on a hit.
    Safe to call from many threads.
    """

    def __init__(self, solve: Solve, size: int, report: Callable[[float | None], None]) -> None:
        self._solve = solve
        self._size = size
        self._report = report
        self._remembered = lru_cache(maxsize=size)(self._miss)
        # lru_cache calls `_miss` in the thread of its caller: what it leaves there is this call's, and no other's.
        self._call = threading.local()

    def __call__(self, hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
        if not self._size:
            return self._timed(hand, wild, rules)
        call = self._call
        call.question = hand, wild, rules
        call.solved = None
        packed = self._remembered(_key(hand, wild, rules))
        solved: Arrangement | None = call.solved
        if solved is None:
            self._report(None)
            return unpack(packed)
        return solved

    def __len__(self) -> int:
        return self._remembered.cache_info().currsize

    def _miss(self, _key: str) -> Packed:
        self._call.solved = arrangement = self._timed(*self._call.question)
        return pack(arrangement)

    def _timed(self, hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
        started = time.perf_counter()
        arrangement = self._solve(hand, wild, rules)
        self._report(time.perf_counter() - started)
        return arrangement


def _key(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> str:
    """The question as a text: a quarter of the memory that tuples of cards would take, of an entry's a tenth."""
    return f"{rules.name} {'-' if wild is None else wild.letter} {''.join([card.code for card in hand])}"
