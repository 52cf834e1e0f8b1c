"""`python -m bench cache [report]`: what the cache of solved hands saves, what it takes up, and what size pays.

It measures both builds, counts hits in streams of requests, times a Redis, and writes the tables of
`docs/bench/cache.md` and the plot; `report` measures nothing.
"""

import gc
import json
import os
import pickle
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean
from time import perf_counter_ns
from typing import Any, Final

from bench.builds import PLOTS, RAW, machine, measured_in_builds
from bench.corpora import rule_sets
from bench.hands import built_deal, pick, random_deal
from bench.measure import figures
from bench.redis import RedisClient, redis
from bench.stream import STREAMS, requests, simulate
from service.game.cards import Card, Rank, sort_cards
from service.game.rules import RuleSet
from service.game.verdict import Solve, best_arrangement
from service.web.solve_cache import SolveCache

DOCUMENT: Final = PLOTS / "cache.md"
SIZES: Final = (0, 256, 1024, 4096, 16_384, 32_768, 65_536, None)
WORKERS: Final = (1, 2, 4, 8)
DEFAULT_SIZE: Final = 65_536
SECONDS: Final = 1500.0
SEED: Final = 1
HANDS: Final = 4000
ROUNDS: Final = 5
TRIPS: Final = 5000
VALUE: Final = b"x" * 1024
KEY: Final = b"showcheck:0123456789abcdef"

Question = tuple[tuple[Card, ...], Rank | None, RuleSet]


def questions(count: int) -> Iterator[Question]:
    """Hands as they are when a deal ends: all but a quarter built from groups, under all rule sets in turn."""
    random = Random(SEED)
    rules = list(rule_sets().values())
    for number in range(count):
        make = pick(random, (built_deal, built_deal, built_deal, random_deal))
        deal = make(random, rules[number % len(rules)], 13)
        yield tuple(sort_cards(deal.hand)), deal.wild, deal.rules


def _ignore(seconds: float | None) -> None:
    pass


def new_cache(size: int) -> SolveCache:
    """The cache as the service makes it, without its metrics."""
    return SolveCache(best_arrangement, size, _ignore)


def best_times(passes: Iterable[Iterable[Callable[[], object]]]) -> float:
    """The mean of what each call took in the fastest of the passes, in microseconds: a busy moment spoils no figure."""
    gc.collect()
    gc.disable()  # a collection belongs to no call in particular
    try:
        taken = [[_nanoseconds(call) for call in calls] for calls in passes]
    finally:
        gc.enable()
    return fmean(map(min, zip(*taken, strict=True))) / 1000


def _nanoseconds(call: Callable[[], object]) -> int:
    start = perf_counter_ns()
    call()
    return perf_counter_ns() - start


def _calls(solve: Solve, asked: Iterable[Question]) -> list[Callable[[], object]]:
    return [partial(solve, *question) for question in asked]


def call_times(hands: int) -> dict[str, float]:
    """Microseconds of a call with the cache off, of a miss and of a hit.

    What a miss costs more is measured with an answer that is there already: it is less than two solves differ by.
    """
    asked = list(questions(hands))
    known = best_arrangement(*asked[0])

    def remembering(size: int) -> list[SolveCache]:
        return [SolveCache(lambda *_: known, size, _ignore) for _ in range(ROUNDS)]

    caches = remembering(hands)
    more = best_times(_calls(cache, asked) for cache in caches) - best_times(
        _calls(none, asked) for none in remembering(0)
    )
    off = best_times(_calls(new_cache(0), asked) for _ in caches)
    # Made anew: the cards of a second request are in a tuple of their own.
    return {"off": off, "miss": off + more, "hit": best_times(_calls(cache, questions(hands)) for cache in caches)}


def resident_bytes() -> int:
    """The memory of this process that is in use."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def fill(entries: int, size: Callable[[], int]) -> float:
    """The growth of `size()` for each entry of a cache that is filled with so many different hands."""
    cache = new_cache(entries)
    gc.collect()
    before = size()
    for hand, wild, rules in questions(entries):
        cache(hand, wild, rules)
    gc.collect()
    return (size() - before) / len(cache)


def memory(entries: int) -> dict[str, float]:
    """Bytes of an entry, by what the process takes up and by what Python has allocated."""
    resident = fill(entries, resident_bytes)
    tracemalloc.start()
    try:
        allocated = fill(max(1, entries // 8), lambda: tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    return {"entries": entries, "resident": resident, "allocated": allocated}


def unpickling(hands: int) -> dict[str, float]:
    """What an answer takes up when it is sent to another process, and the microseconds to read it there."""
    sent = [pickle.dumps(best_arrangement(*question)) for question in questions(hands)]
    reads: list[Callable[[], object]] = [partial(pickle.loads, text) for text in sent]  # made above
    return {"bytes": fmean(map(len, sent)), "read": best_times(reads for _ in range(ROUNDS))}


def measure(hands: int = HANDS, entries: int = DEFAULT_SIZE) -> dict[str, Any]:
    """The figures of the build that this runs in; memory first, while the process is small."""
    return {"memory": memory(entries), **machine(), "calls": call_times(hands), "pickle": unpickling(hands)}


def hit_rows(seconds: float) -> dict[str, Any]:
    """The hits in each stream, by size of one cache, and by number of workers with a default cache each."""
    found = []
    for name, habits in STREAMS.items():
        stream = requests(seconds, SEED, habits)
        sizes = [{"size": size, **asdict(simulate(stream, size))} for size in SIZES]
        workers = [{"workers": count, **asdict(simulate(stream, DEFAULT_SIZE, count))} for count in WORKERS]
        row = {"name": name, "habits": asdict(habits), "requests": len(stream), "sizes": sizes, "workers": workers}
        found.append(row)
    return {"seconds": seconds, "default": DEFAULT_SIZE, "streams": found}


def round_trips(client: RedisClient, trips: int) -> dict[str, float]:
    """Microseconds of a GET of `VALUE`, one after the other on one connection."""
    client.call(b"SET", KEY, VALUE)
    times = []
    for _ in range(trips):
        start = perf_counter_ns()
        value = client.call(b"GET", KEY)
        times.append(perf_counter_ns() - start)
        if value != VALUE:
            raise RuntimeError(f"Redis gave {value!r}")
    return asdict(figures(times))


def placed_trips(trips: int) -> dict[str, dict[str, float]]:
    """The round trips where this process and Redis share a core, and where each has one of its own.

    Left to the kernel it is now the one and now the other, and waking another core can take most of the time.
    """
    allowed = os.sched_getaffinity(0)
    found = {}
    try:
        for name, server in (("one core", min(allowed)), ("two cores", max(allowed))):
            os.sched_setaffinity(0, {server})  # which the server inherits
            with redis() as client:
                os.sched_setaffinity(0, {min(allowed)})
                found[name] = round_trips(client, trips)
    finally:
        os.sched_setaffinity(0, allowed)
    return found


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["measure"]:
        Path(arguments[1]).write_text(json.dumps(measure()), encoding="utf-8")
        return
    # Here, so that plots weigh nothing where memory is measured.
    from bench.cache_report import plot, tables  # noqa: PLC0415
    from bench.report import put_blocks, read_raw, save_raw, save_svg  # noqa: PLC0415

    raw = RAW / "cache.json"
    if arguments != ["report"]:
        stream = {**hit_rows(SECONDS), "redis": placed_trips(TRIPS)}
        save_raw({"stream": stream, "builds": measured_in_builds(__name__)}, raw)
    found = read_raw(raw)
    put_blocks(DOCUMENT, tables(found["stream"], found["builds"]))
    save_svg(plot(found["stream"]["streams"], found["builds"]), PLOTS / "cache.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
