"""Cache: solved hands are remembered, the least recently used one is forgotten first."""

import threading
import time
from collections.abc import Callable
from functools import lru_cache

from service.arrangement import Arrangement, Packed, pack, unpack
from service.cards import Card, Rank
from service.rules import RuleSet
from service.verdict import Solve


class SolveCache:
    """A `solve` function that remembers `size` answers of another one (0: none).

    After every call `report` is called once: with the seconds that the solver took on a miss, with None on a hit.
    Safe to call from many threads.
    """

    def __init__(self, solve: Solve, size: int, report: Callable[[float | None], None]) -> None:
        self._solve = solve
        self._report = report
        self._remembered = lru_cache(maxsize=size)(self._miss)
        # lru_cache calls `_miss` in the thread of its caller: what it leaves there tells this call, and no other.
        self._call = threading.local()

    def __call__(self, hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
        self._call.question = hand, wild, rules
        self._call.seconds = None
        packed = self._remembered(_key(hand, wild, rules))
        self._report(self._call.seconds)
        return unpack(packed)

    def __len__(self) -> int:
        return self._remembered.cache_info().currsize

    def _miss(self, _key: str) -> Packed:
        started = time.perf_counter()
        arrangement = self._solve(*self._call.question)
        self._call.seconds = time.perf_counter() - started
        return pack(arrangement)


def _key(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> str:
    """The question as a text: a quarter of the memory that tuples of cards would take, of an entry's a tenth."""
    return f"{rules.name} {'-' if wild is None else wild.letter} {''.join([card.code for card in hand])}"
