"""The arithmetic is right, and the open loop sends what is due. No test looks at a time."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from bench.builds import ROOT
from bench.capacity import measure, openloop
from bench.capacity.pods import Plan, in_a_zone, need, peak_of_day

PLAN = Plan(requests_a_show=5, peak_factor=4, target=0.6, most=0.9, zones=3)


# -------------------------------------------------------------------------------------------------------- how many pods


def test_the_plan_is_the_charts() -> None:
    values = yaml.safe_load((ROOT / "helm/showcheck/values.yaml").read_text(encoding="utf-8"))
    assert values["autoscaling"]["targetCPUPercent"] == round(100 * Plan().target)
    assert values["resources"]["requests"]["cpu"] == "1"
    assert values["settings"]["workers"] == 1


def test_the_peak_of_a_day() -> None:
    assert peak_of_day(86_400, PLAN) == 20


@pytest.mark.parametrize(
    ("rate", "by_load", "pods"),
    [
        (1, 1, 3),  # one in each zone
        (1800, 3, 3),  # 60 % each, and 90 % with a zone gone
        (1801, 4, 5),  # 4: two of them in one zone, and the other two at 90.05 %
        (6000, 10, 11),  # 10: four of them in one zone, and the other six at 100 %
        (9000, 15, 15),
    ],
)
def test_a_zone_may_be_gone(rate: float, by_load: int, pods: int) -> None:
    found = need(rate, 1000, PLAN)
    assert (found.by_load, found.pods) == (by_load, pods)
    assert found.load <= PLAN.target
    assert found.load < found.load_without_pod <= found.load_without_zone <= PLAN.most


def test_with_two_zones_half_of_the_pods_may_be_gone() -> None:
    assert need(9000, 1000, replace(PLAN, zones=2)).pods == 20


def test_one_zone_has_one_pod_more_than_another_at_most() -> None:
    assert [in_a_zone(pods, 3) for pods in (3, 4, 5, 6, 7)] == [1, 2, 2, 2, 3]


# -------------------------------------------------------------------------------------------------------- the open loop


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response({"/nowhere": 404, "/full": 503}.get(self.path, 200))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        with LOCK:
            SEEN.append((self.path, body.decode()))

    def log_message(self, *_: object) -> None: ...


LOCK = threading.Lock()
SEEN: list[tuple[str, str]] = []


@pytest.fixture
def port() -> Iterator[int]:
    SEEN.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_every_request_is_sent_and_timed(port: int) -> None:
    texts = [f"{number} ♠" for number in range(50)]
    requests = [openloop.http_request(f"/{number}", text) for number, text in enumerate(texts)]
    results = openloop.run(port, requests, [number / 1000 for number in range(50)])
    assert sorted(SEEN) == sorted((f"/{number}", text) for number, text in enumerate(texts))
    assert len(results.latencies) == len(results.late) == 50
    assert results.refused == 0


def test_a_request_that_finds_no_room_is_counted(port: int) -> None:
    results = openloop.run(port, [openloop.http_request(path, "") for path in ("/full", "/one")], [0.0, 0.1])
    assert (len(results.latencies), results.refused) == (1, 1)


def test_an_answer_that_is_not_200_spoils_a_run(port: int) -> None:
    with pytest.raises(ExceptionGroup) as raised:
        openloop.run(port, [openloop.http_request("/nowhere", "")], [0.0])
    assert raised.group_contains(RuntimeError, match="status 404")


def test_requests_come_at_random_at_their_rate() -> None:
    times = openloop.due_times(1000, 20)
    assert times == sorted(times) == openloop.due_times(1000, 20)
    assert len(times) == pytest.approx(20_000, rel=0.03)
    gaps = sorted(later - earlier for earlier, later in pairwise(times))
    # The median gap of a Poisson process is ln 2 of the mean.
    assert gaps[len(gaps) // 2] * 1000 == pytest.approx(0.693, abs=0.03)


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(value) for value in range(1, 101)][::-1]
    assert [openloop.percentile(values, share) for share in (0.5, 0.99, 0.999)] == [50, 99, 100]
    assert openloop.percentile([7.0], 0.5) == 7


# ----------------------------------------------------------------------------------------------- the stream


def test_wrk_is_given_the_good_requests_each_with_its_path(tmp_path: Path) -> None:
    stream = measure.Stream(tmp_path, 300)
    lines = stream.file.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 300
    assert {line.split(" ", 1)[0] for line in lines} == {"/score", "/validate"}
    assert all(len(json.loads(line.split(" ", 1)[1])["hand"]) in {13, 14} for line in lines)
    stream.sent = 299
    first, second = stream.next_requests(2)
    assert (first, second) == tuple(openloop.http_request(*stream.asks[number]) for number in (299, 0))
    assert stream.sent == 301
