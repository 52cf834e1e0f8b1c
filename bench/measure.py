"""The stopwatch: what each hand of a corpus costs, and the figures that sum it up. All times are nanoseconds."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from time import perf_counter_ns
from typing import Final

from bench.corpora import Deal
from service.game.cards import Card, Rank, sort_cards
from service.game.held import Held
from service.game.rules import RuleSet
from service.game.solver import HandSearches

RUNS: Final = 3

Solve = Callable[[tuple[Card, ...], Rank | None, RuleSet], object]


@dataclass(frozen=True)
class Timing:
    """What one hand took in the first pass over its corpus, and in the fastest of all passes."""

    deal: Deal
    first: int
    best: int


@dataclass(frozen=True)
class Figures:
    """The sum of a list of times, in microseconds; `per_second` is how many hands a second that makes."""

    hands: int
    per_second: float
    mean: float
    median: float
    percentile_99: float
    worst: float


def time_deals(solve: Solve, deals: Sequence[Deal]) -> list[Timing]:
    """Solves every deal in each of `RUNS` passes over them all, so that a pause spoils one time of a hand only."""
    questions = [(tuple(sort_cards(deal.hand)), deal.wild, deal.rules) for deal in deals]
    gc.collect()
    gc.disable()  # a collection belongs to no hand in particular
    try:
        passes = [[_time(solve, *question) for question in questions] for _ in range(RUNS)]
    finally:
        gc.enable()
    return [Timing(deal, times[0], min(times)) for deal, times in zip(deals, zip(*passes, strict=True), strict=True)]


def _time(solve: Solve, hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> int:
    start = perf_counter_ns()
    solve(hand, wild, rules)
    return perf_counter_ns() - start


def nodes(deal: Deal) -> int:
    """The states that the searches for a hand visit: what it costs, by no clock."""
    searches = HandSearches(Held(deal.hand, deal.wild), deal.wild, deal.rules).run()
    return sum(search.visited for search in searches)


def figures(times: Sequence[int]) -> Figures:
    """The figures of a list of nanoseconds, which must not be empty; the 99 % point is the nearest rank."""
    ordered = sorted(times)
    return Figures(
        hands=len(ordered),
        per_second=len(ordered) / sum(ordered) * 1e9,
        mean=fmean(ordered) / 1000,
        median=median(ordered) / 1000,
        percentile_99=ordered[-(-99 * len(ordered) // 100) - 1] / 1000,
        worst=ordered[-1] / 1000,
    )
