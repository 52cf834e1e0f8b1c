"""The stream is what it says, hits are counted right, and the conclusions follow from the figures."""

from collections import Counter
from typing import Any

import pytest

from bench.cache_report import break_even, saved_at
from bench.stream import Habits, Request, mean_requests, requests, simulate

SECONDS = 60.0
HABITS = Habits(rate=200.0, dispute_after=(20.0, 40.0), disputed=0.05, asking_twice=0.5, retried=0.2)


@pytest.fixture(scope="module")
def stream() -> list[Request]:
    return requests(SECONDS, 1, HABITS)


def test_the_stream_is_in_order_and_as_dense_as_assumed(stream: list[Request]) -> None:
    assert stream == sorted(stream)
    assert stream == requests(SECONDS, 1, HABITS)
    assert len(stream) == pytest.approx(SECONDS * HABITS.rate, rel=0.15)


def test_the_requests_have_the_shares_that_are_assumed(stream: list[Request]) -> None:
    why = Counter(request.why for request in stream)
    hands = why["SCORE"]
    assert hands / why["SHOW"] == pytest.approx(4, rel=0.05)
    assert why["AGAIN"] / hands == pytest.approx(HABITS.asking_twice * (1 - 15.5 / SECONDS), rel=0.1)
    assert why["RETRY"] / (why["SHOW"] + hands + why["AGAIN"]) == pytest.approx(HABITS.retried, rel=0.1)
    assert why["DISPUTE"] / hands == pytest.approx(HABITS.disputed * (1 - 30 / SECONDS), rel=0.25)
    assert mean_requests(HABITS) == pytest.approx((1 + 4 * 1.5) * 1.2 + 4 * 0.05)


def test_a_hand_is_scored_once(stream: list[Request]) -> None:
    """And shown at most once, before it is asked for again."""
    asked: dict[int, list[str]] = {}
    for request in stream:
        asked.setdefault(request.hand, []).append(request.why)
    early = [whys for hand, whys in asked.items() if hand < len(asked) // 2]
    assert all(whys.count("SCORE") == 1 >= whys.count("SHOW") for whys in early)


def test_hits_of_a_stream_counted_by_hand() -> None:
    whys = [
        (1, "SHOW"),
        (2, "SHOW"),
        (1, "RETRY"),
        (3, "SHOW"),
        (1, "AGAIN"),
        (2, "DISPUTE"),
        (4, "SHOW"),
        (3, "DISPUTE"),
    ]
    stream = [Request(float(at), hand, why) for at, (hand, why) in enumerate(whys)]
    # The second half asks for 1, 2, 4 and 3; before it came 1, 2, 1, 3.
    hits = {size: simulate(stream, size) for size in (0, 1, 2, 3, None)}
    assert [(found.hits, found.dispute_hits) for found in hits.values()] == [(0, 0), (0, 0), (1, 0), (2, 1), (3, 2)]
    assert all((found.requests, found.disputes) == (4, 2) for found in hits.values())


def test_more_entries_have_more_hits_and_more_workers_fewer(stream: list[Request]) -> None:
    by_size = [simulate(stream, size).ratio for size in (0, 64, 512, 2048, None)]
    by_workers = [simulate(stream, None, workers).ratio for workers in (1, 2, 4)]
    assert by_size == sorted(set(by_size))
    assert by_workers == sorted(set(by_workers), reverse=True)


def build(**calls: float) -> dict[str, Any]:
    return {"calls": {"off": 30.0, "miss": 31.0, "hit": 1.0, **calls}, "pickle": {"read": 10.0}}


def row(size: int | None, hits: int) -> dict[str, Any]:
    return {"size": size, "hits": hits, "requests": 100}


def test_what_is_saved_is_hits_less_what_misses_cost() -> None:
    assert saved_at(row(256, 40), build()) == pytest.approx(0.4 * 29 - 0.6 * 1)
    assert saved_at(row(0, 0), build()) == 0


def test_the_trip_at_which_redis_saves_nothing() -> None:
    stream = {"sizes": [row(None, 40)], "workers": [row(None, 45), row(None, 20)]}
    # Of 100 requests 80 miss, which is 80 trips; 20 of them are known to others, 20 less to gain each.
    assert break_even(stream, build(), stream["workers"][1]) == pytest.approx(20 * 20 / 80)
    assert break_even(stream, build(off=5.0), stream["workers"][1]) < 0
