"""The real server with two workers, asked over real connections."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from service.limits import MAX_BODY_BYTES
from service.startup.build import is_compiled
from tests.connections import BODY, answer_under_way_at_the_end
from tests.e2e.scrape import count
from tests.examples import HAND, question
from tests.servers import Server, running
from tests.waiting import DEADLINE_SECONDS

JSON = {"Content-Type": "application/json"}


def test_a_verdict(server: Server) -> None:
    answer = server.call("POST", "/validate", json=question()).json()
    assert (answer["valid"], answer["points"], answer["submitted"]["points"]) == (False, 80, 2)


def test_both_workers_give_the_same_bytes(server: Server) -> None:
    ids = [f"same-{number}" for number in range(40)]
    bodies = {server.call("POST", "/score", json=question(), headers={"X-Request-ID": each}).content for each in ids}
    assert len(bodies) == 1
    server.wait(lambda: sum(line.get("request_id") in ids for line in server.lines()) == len(ids), "all lines")
    assert len({line["pid"] for line in server.lines() if line.get("request_id") in ids}) == 2


def test_the_log_says_where_it_listens(server: Server) -> None:
    addresses = f"0.0.0.0:{server.port}, 0.0.0.0:{server.admin_port}"
    assert any(line["event"].startswith(f"Listening at: {addresses} ") for line in server.lines())


def test_the_log_says_which_core_runs(server: Server) -> None:
    (core,) = [line["event"] for line in server.lines() if line["event"].startswith("Core: ")]
    assert core == "Core: compiled" if is_compiled() else "make run-compiled" in core


def test_the_ports_are_apart(server: Server) -> None:
    for path in ("/livez", "/readyz", "/metrics", "/version"):
        assert server.call("GET", path, admin=True).status_code == 200
        assert server.call("GET", path).status_code == 404
        forged = {"Host": f"127.0.0.1:{server.admin_port}", "X-Forwarded-Port": str(server.admin_port)}
        assert server.call("GET", path, headers=forged).status_code == 404
    for path in ("/rule-sets", "/openapi.yaml"):
        assert server.call("GET", path).status_code == 200
        assert server.call("GET", path, admin=True).status_code == 404
    assert server.call("POST", "/validate", admin=True, json=question()).status_code == 404


@pytest.mark.parametrize("target", ["//metrics", "///livez", "/%2flivez", "http://h//metrics"])
def test_admin_paths_are_not_on_the_api_port(server: Server, target: str) -> None:
    """However they are spelt."""
    received = raw(server, f"GET {target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".encode())
    assert received.startswith(b"HTTP/1.1 404")
    assert b"application/problem+json" in received


@pytest.mark.parametrize(
    "header", ["SCRIPT_NAME: /x", "SCRIPT_NAME: /", "X-Forwarded-Proto: https\r\nX-Forwarded-Ssl: off"]
)
def test_no_header_moves_the_application(server: Server, header: str) -> None:
    received = raw(server, f"GET /rule-sets HTTP/1.1\r\nHost: h\r\n{header}\r\nConnection: close\r\n\r\n".encode())
    assert received.startswith(b"HTTP/1.1 200 OK")


def test_cards_behind_a_short_length_are_not_logged(server: Server) -> None:
    """A caller that counts characters, not bytes, leaves the end of a hand where the next request should begin."""
    seen = len(server.lines())
    body = json.dumps({"rule_set": "online-13", "hand": ["J♣"] * 13}, ensure_ascii=False, separators=(",", ":"))
    media_type = "Content-Type: application/json"
    head = f"POST /score HTTP/1.1\r\nHost: h\r\n{media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    raw(server, (head + body + "GET /rule-sets HTTP/1.1\r\nHost: h\r\n\r\n").encode())
    raw(server, (body.replace("♣", "C") + " x\r\n\r\n").encode())
    refused = [line["event"] for line in server.lines()[seen:] if line.get("logger") == "gunicorn.error"]
    assert len(refused) == 2
    assert all(event.startswith("Invalid request from ip=127.0.0.1: Invalid HTTP ") for event in refused)
    assert not any("J" in event for event in refused)


def test_a_body_that_is_cut_off_is_not_judged(server: Server) -> None:
    head = b"POST /score HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE_SECONDS) as connection:
        connection.sendall(head + BODY)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 400")


def test_a_connection_is_kept_over_answers_and_problems(server: Server) -> None:
    with requests.Session() as session:
        for method, path, body, status in (
            ("POST", "/validate", BODY, 200),
            ("POST", "/validate", b"{", 400),
            ("POST", "/validate", b"[" * 8_000, 400),
            ("POST", "/validate", b" " * 70_000, 413),
            ("POST", "/validate", b" " * 2_000_000, 413),
            ("POST", "/validate", iter([b" " * 70_000] * 10), 413),
            ("POST", "/nothing", b" " * 2_000_000, 404),
            ("PUT", "/validate", b" " * 2_000_000, 405),
            ("PUT", "/validate", iter([b" " * 70_000] * 10), 405),
            ("GET", "/rule-sets", b" " * 2_000_000, 200),
            ("POST", "/validate", BODY, 200),
        ):
            response = server.call_on(session, method, path, data=body, headers=JSON)
            assert (response.status_code, response.headers["Connection"]) == (status, "keep-alive")
        pools = session.get_adapter("http://").poolmanager.pools  # type: ignore[attr-defined]
        assert [pools[key].num_connections for key in pools.keys()] == [1]  # noqa: SIM118


def raw(server: Server, sent: bytes) -> bytes:
    """What comes back for these very bytes until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE_SECONDS) as connection:
        connection.sendall(sent)
        received = b""
        while chunk := connection.recv(65_536):
            received += chunk
        return received


def test_one_connection_answers_twice(server: Server) -> None:
    head = b"GET /rule-sets/online-13 HTTP/1.1\r\nHost: x\r\n"
    received = raw(server, head + b"\r\n" + head + b"Connection: close\r\n\r\n")
    assert received.count(b"HTTP/1.1 200 OK") == 2


def chunked(size: int) -> Iterator[bytes]:
    """A good body in chunks, without a length, filled up with blanks to `size` bytes."""
    padded = BODY.ljust(size)
    for start in range(0, size, 10_000):
        yield padded[start : start + 10_000]


@pytest.mark.parametrize(
    ("size", "status"), [(1_000, 200), (MAX_BODY_BYTES, 200), (MAX_BODY_BYTES + 1, 413), (1_000_000, 413)]
)
def test_the_body_limit_holds_for_chunked_bodies(server: Server, size: int, status: int) -> None:
    response = server.call("POST", "/validate", data=chunked(size), headers=JSON)
    assert response.status_code == status


def test_broken_chunks_are_the_senders_fault(server: Server) -> None:
    head = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    received = raw(server, head + b"Connection: close\r\n\r\nzz\r\n")
    assert received.startswith(b"HTTP/1.1 400 BAD REQUEST")
    assert b'"code":"BAD_REQUEST"' in received


@pytest.mark.parametrize(
    "body", [b"[" * 60_000, b'{"players":' + b"9" * 5_000 + b"}", b'{"a":1,"a":1}', b"\xff", b'["\\ud800"]', b"NaN"]
)
def test_hostile_bodies_leave_the_server_standing(server: Server, body: bytes) -> None:
    before = server.workers()
    response = server.call("POST", "/validate", data=body, headers=JSON)
    assert response.json()["code"] == "MALFORMED_JSON"
    assert server.call("POST", "/validate", data=BODY, headers=JSON).status_code == 200
    assert server.workers() == before


def test_request_ids_go_out_and_into_the_log(server: Server) -> None:
    response = server.call("POST", "/validate", json=question(hand=HAND[:12]), headers={"X-Request-ID": "e2e-1"})
    assert response.headers["X-Request-ID"] == response.json()["request_id"] == "e2e-1"

    def lines() -> list[dict[str, Any]]:
        return [line for line in server.lines() if line.get("request_id") == "e2e-1"]

    server.wait(lambda: bool(lines()), "line")
    (line,) = lines()
    assert (line["route"], line["status"], line["outcome"]) == ("/validate", 422, "INVALID_REQUEST")


def test_the_log_is_json_without_hands(server: Server) -> None:
    server.call("POST", "/validate", json=question())
    expected = {"request", "Using worker: service.server.worker.Worker"}
    server.wait(lambda: expected <= {line["event"] for line in server.lines()}, "lines")
    assert "7D" not in server.output()
    assert all({"event", "level", "time"} <= line.keys() for line in server.lines())


def test_one_scrape_sees_both_workers() -> None:
    """Sixty verdicts for three hands and twenty refusals, spread over both workers, add up in any scrape."""
    hands = [HAND, [*HAND[:12], "3C"], [*HAND[:12], "4C"]]

    with running(WEB_CONCURRENCY="2") as server:
        server.wait(lambda: len(server.workers()) == 2, "second worker")

        def ask(number: int) -> int:
            body = question(hand=hands[number % 3], groups=...) if number < 60 else {}
            return server.call("POST", "/validate", json=body).status_code

        with ThreadPoolExecutor(4) as pool:
            statuses = list(pool.map(ask, range(80)))
        assert (statuses.count(200), statuses.count(422)) == (60, 20)
        server.wait(lambda: sum(line["event"] == "request" for line in server.lines()) == 80, "all lines")
        assert {line["pid"] for line in server.lines() if line["event"] == "request"} == server.workers()
        for _ in range(10):
            requests_ = "http_server_request_duration_seconds_count"
            assert count(server, requests_, http_route="/validate", http_response_status_code="200") == 60
            assert count(server, requests_) == 80
            assert count(server, "showcheck_verdicts_total", rule_set="online-13", outcome="WRONG_SHOW") == 60
            assert count(server, "showcheck_reasons_total", code="UNGROUPED_CARDS") == 60
            misses = count(server, "showcheck_cache_requests_total", result="miss")
            assert count(server, "showcheck_solver_seconds_count") == misses
            assert misses + count(server, "showcheck_cache_requests_total", result="hit") == 60
        # Each worker has met each hand, but for a fluke; a hand can also be solved twice at the same time.
        assert 3 < count(server, "showcheck_cache_entries") <= 6
        logged = [line["cache"] for line in server.lines() if "cache" in line]
        assert (logged.count("miss"), len(logged)) == (misses, 60)


def test_a_killed_worker_is_replaced_and_its_counts_stay() -> None:
    with running() as server:
        server.call("POST", "/validate", json=question())
        # What no scrape has seen may go with the worker: it counts some ten milliseconds after an answer.
        assert count(server, "showcheck_verdicts_total") == 1
        (killed,) = server.workers()
        subprocess.run(["kill", "-KILL", str(killed)], check=True)
        server.wait(lambda: killed not in server.workers() and len(server.workers()) == 1, "new worker")
        server.wait(server.is_ready, "readiness")
        assert server.call("POST", "/validate", json=question()).status_code == 200
        assert count(server, "showcheck_verdicts_total") == 2
        # The cache of the dead is gone, and the gauge knows it.
        assert count(server, "showcheck_cache_entries") == 1


def test_sigterm_ends_the_server_cleanly() -> None:
    with running(WEB_CONCURRENCY="2") as server:
        server.call("POST", "/validate", json=question())
        (made,) = server.folder.glob("showcheck-metrics-*")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(DEADLINE_SECONDS) == 0
        assert server.lines()[-1]["event"] == "Shutting down: Master"
        assert not made.exists()
        assert [line for line in server.lines() if line["level"] in ("warning", "error", "critical")] == []


def test_an_answer_under_way_is_sent_before_the_end() -> None:
    with running() as server:
        assert answer_under_way_at_the_end(server).startswith(b"HTTP/1.1 200 OK")
        assert server.process.wait(DEADLINE_SECONDS) == 0


def test_a_given_metrics_directory_is_used(tmp_path: Path) -> None:
    """Old metric files in it are removed, and no others."""
    old = tmp_path / "counter_1.db"
    old.write_bytes(b"rubbish")
    other = tmp_path / "players.db"
    other.touch()
    with running(PROMETHEUS_MULTIPROC_DIR=str(tmp_path)) as server:
        server.call("POST", "/validate", json=question())
        assert not old.exists()
        assert other.exists()
        other.unlink()  # the client library reads every such file
        assert count(server, "showcheck_verdicts_total") == 1
        assert list(tmp_path.glob("counter_*.db"))
    assert tmp_path.exists()
