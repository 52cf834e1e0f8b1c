"""The stream is what it says, hits are counted right, and the conclusions follow from the figures."""

import json
import socket
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.bench.cache_report import break_even, saved_at, size_that_pays
from tests.bench.cache_study import VALUE, call_times, hit_rows, main, memory, round_trips, unpickling
from tests.bench.redis_trip import RedisClient
from tests.bench.stream import Habits, Request, mean_requests, requests, simulate

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


def test_a_hand_is_scored_once_and_shown_at_most_once_before_it_is_asked_again(stream: list[Request]) -> None:
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


class Far:
    """The other end of a Redis connection: what it will have answered, and what it was sent."""

    def __init__(self, answers: bytes) -> None:
        near, self.end = socket.socketpair()
        self.end.sendall(answers)
        self.client = RedisClient(near)

    def sent(self) -> bytes:
        self.client.close()
        with self.end:
            return self.end.recv(65536)


def test_a_command_and_its_answers_on_the_wire() -> None:
    far = Far(b"+OK\r\n$4\r\na\r\nb\r\n$-1\r\n")
    assert [far.client.call(b"SET", b"k", b"a\r\nb"), far.client.call(b"GET", b"k")] == [b"OK", b"a\r\nb"]
    assert far.client.call(b"GET", b"other") is None
    get = b"*2\r\n$3\r\nGET\r\n"
    assert (
        far.sent()
        == b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na\r\nb\r\n" + get + b"$1\r\nk\r\n" + get + b"$5\r\nother\r\n"
    )


def test_an_error_of_redis_is_raised() -> None:
    far = Far(b"-ERR unknown command\r\n")
    with pytest.raises(RuntimeError, match="ERR unknown command"):
        far.client.call(b"GTE", b"k")
    assert far.sent() == b"*2\r\n$3\r\nGTE\r\n$1\r\nk\r\n"


def test_round_trips_are_those_of_a_value_that_came_whole() -> None:
    far = Far(b"+OK\r\n" + (b"$%d\r\n%s\r\n" % (len(VALUE), VALUE)) * 3)
    assert round_trips(far.client, 3)["hands"] == 3
    assert far.sent().count(b"GET") == 3
    short = Far(b"+OK\r\n$1\r\nx\r\n")
    with pytest.raises(RuntimeError, match="gave b'x'"):
        round_trips(short.client, 1)
    short.sent()


def build(**calls: float) -> dict[str, Any]:
    return {"calls": {"off": 30.0, "miss": 31.0, "hit": 1.0, **calls}, "pickle": {"read": 10.0}}


def row(size: int | None, hits: int) -> dict[str, Any]:
    return {"size": size, "hits": hits, "requests": 100}


def test_what_is_saved_is_hits_less_what_misses_cost() -> None:
    assert saved_at(row(256, 40), build()) == pytest.approx(0.4 * 29 - 0.6 * 1)
    assert saved_at(row(0, 0), build()) == 0


def test_the_size_that_pays_is_the_smallest_with_nearly_all_that_there_is_to_save() -> None:
    rows = [row(0, 0), row(256, 10), row(1024, 49), row(4096, 50), row(None, 50)]
    assert size_that_pays({"sizes": rows}, build()) == 1024


def test_the_trip_at_which_redis_saves_nothing() -> None:
    stream = {"sizes": [row(None, 40)], "workers": [row(None, 45), row(None, 20)]}
    # Of 100 requests 80 miss, which is 80 trips; 20 of them are known to others, 20 less to gain each.
    assert break_even(stream, build(), stream["workers"][1]) == pytest.approx(20 * 20 / 80)
    assert break_even(stream, build(off=5.0), stream["workers"][1]) < 0


def test_measured_figures_make_a_report(tmp_path: Path) -> None:
    trips = {"median": 11.5, "mean": 12.0, "percentile_99": 20.0}
    calls, weight = call_times(20), memory(64)
    assert weight["allocated"] > 300
    assert 0 < calls["hit"] < calls["off"] < calls["miss"]
    figures: dict[str, Any] = {
        "python": "CPython",
        "machine": "Linux",
        "solver": "interpreted",
        "memory": weight,
        "calls": calls,
    }
    figures["pickle"] = unpickling(20)
    files = [tmp_path / "stream.json", tmp_path / "build.json"]
    for file, found in zip(
        files,
        [{**hit_rows(5.0), "redis": {"one core": trips, "two cores": {**trips, "median": 95.0}}}, figures],
        strict=True,
    ):
        file.write_text(json.dumps(found), encoding="utf-8")
    main(["report", *map(str, files), "--docs", str(tmp_path)])
    text = (tmp_path / "cache.md").read_text(encoding="utf-8")
    assert "one core: median 11.5, mean 12.0, 99 % 20.0; two cores: median 95.0" in text
    assert "takes 11.5 (one core) or 95.0 (two cores) microseconds" in text
    assert f"| interpreted | {calls['off']:.2f} |" in text
    assert (tmp_path / "cache.svg").read_text(encoding="utf-8").startswith("<?xml")
