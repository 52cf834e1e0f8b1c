"""The worker over real connections: slow peers, what is no HTTP, keep-alive and pipelining, and the end."""

import json
import os
import select
import shutil
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.connections import (
    ASK,
    BODY,
    HEAD,
    LIST,
    answer,
    ask_until_the_end,
    connected,
    head_of_answer,
    refused,
    send_head,
    send_together,
)
from tests.e2e.scrape import count
from tests.examples import question
from tests.servers import COMMAND, ROOT, Server, running
from tests.waiting import DEADLINE_SECONDS


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"rubbish\r\n\r\n", 400),
        (b"GET / HTTP/1.1\nHost: h\n\n", 400),
        (b"GET / HTTP/1.1\r\nBad Name: x\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400),
        (b"GET /" + b"a" * 5_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET /" + b"a" * 10_000, 414),
        (b"GET / HTTP/1.1\r\nExpect: wonders\r\n\r\n", 417),
        (b"GET / HTTP/1.1\r\nA: " + b"a" * 9_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 11_000, 431),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: wonders\r\n\r\n0\r\n\r\n", 501),
    ],
    ids=range(11),
)
def test_what_is_no_http_is_a_problem(server: Server, sent: bytes, status: int) -> None:
    seen = len(server.lines())
    with connected(server) as connection:
        connection.sendall(sent)
        problem = refused(connection)
    assert problem["status"] == status
    assert problem["code"] == ("INTERNAL" if status == 500 else "BAD_REQUEST")
    server.wait(lambda: any(line.get("request_id") == problem["request_id"] for line in server.lines()[seen:]), "line")
    (line,) = [line for line in server.lines()[seen:] if line.get("request_id") == problem["request_id"]]
    assert (line["status"], line["outcome"], line["route"]) == (status, problem["code"], "unmatched")


def test_a_body_that_is_too_long_is_not_waited_for(server: Server) -> None:
    """It is refused by what is known of its length."""
    for length in (b"Content-Length: 99999999", b"Transfer-Encoding: chunked"):
        with connected(server) as connection:
            sent = b"POST /score HTTP/1.1\r\nHost: h\r\nX-Request-ID: long-1\r\n" + length + b"\r\n\r\n"
            connection.sendall(sent + (b"ffffff\r\n" if b"chunked" in length else b""))
            problem = refused(connection)
            assert (problem["status"], problem["code"], problem["request_id"]) == (413, "BODY_TOO_LARGE", "long-1")


def test_slow_senders_hold_up_nobody() -> None:
    """They are answered with 408 in the end, logged and counted."""
    with running() as server, ExitStack() as stack:
        slow = [stack.enter_context(connected(server)) for _ in range(20)]
        for connection in slow[:10]:
            connection.sendall(b"GET /rule-sets HTTP/1.1\r\nX-Request-ID: slow-1\r\n")
        for connection in slow[10:]:
            connection.sendall(HEAD + b"X-Request-ID: slow-1\r\n\r\n" + BODY[:-1])
        assert server.call("POST", "/validate", json=question()).status_code == 200
        # None of them was given up before that.
        assert select.select(slow, [], [], 0)[0] == []
        assert {(problem["status"], problem["code"]) for problem in map(refused, slow)} == {(408, "REQUEST_TIMEOUT")}
        counted = "http_server_request_duration_seconds_count"
        assert count(server, counted, http_response_status_code="408", http_route="unmatched") == 20
        waited = "http_server_request_duration_seconds_sum"
        assert count(server, waited, http_response_status_code="408") > 9 * 20
        server.wait(lambda: sum(line.get("status") == 408 for line in server.lines()) == 20, "lines")
        assert {line["request_id"] for line in server.lines()[-10:] if line.get("status") == 408} == {"slow-1"}


def test_calls_beyond_the_queue_are_refused() -> None:
    """With 503 at once, on a connection that stays; probes are answered meanwhile."""
    with running() as server, ExitStack() as stack:
        (worker,) = server.workers()
        many = [stack.enter_context(connected(server)) for _ in range(600)]
        # All come at the same time: they wait in the kernel until the worker goes on.
        os.kill(worker, signal.SIGSTOP)
        for connection in many:
            connection.sendall(b"X-Request-ID: full-1\r\n\r\n".join([HEAD, BODY]))
        heads = [stack.enter_context(connected(server)) for _ in range(20)]
        for connection in heads:
            connection.sendall(b"HEAD /rule-sets HTTP/1.1\r\nHost: h\r\n\r\n")
        os.kill(worker, signal.SIGCONT)
        assert server.call("GET", "/livez", admin=True).status_code == 200
        answers = [answer(connection) for connection in many]
        statuses = [status for status, _, _ in answers]
        assert set(statuses) == {200, 503}
        for status, headers, body in answers:
            if status == 503:
                problem = json.loads(body)
                assert (problem["code"], problem["request_id"]) == ("OVERLOADED", "full-1")
                assert (headers["Retry-After"], headers["Connection"]) == ("1", "keep-alive")
        # The connection of one that was turned away is as good as any.
        turned_away = many[statuses.index(503)]
        turned_away.sendall(ASK)
        assert answer(turned_away)[0] == 200
        # A refusal has a body, which would pass for the next answer after a HEAD.
        closed = [headers["Connection"] for status, headers in map(head_of_answer, heads) if status == 503]
        assert set(closed) <= {"close"}
        counted = "http_server_request_duration_seconds_count"
        for method, refused in (("POST", statuses.count(503)), ("HEAD", len(closed))):
            about = {"http_response_status_code": "503", "http_request_method": method}
            assert count(server, counted, **about) == refused
        # All waited, and what they waited counts.
        waited = "http_server_request_duration_seconds_sum"
        assert count(server, waited, http_response_status_code="200") > 0.005 * statuses.count(200)
        assert count(server, waited, http_response_status_code="503") > 0.0001 * statuses.count(503)

        # They are logged alike, in a few lines for all.
        def lines() -> list[dict[str, Any]]:
            return [line for line in server.lines() if line.get("outcome") == "OVERLOADED" and line["method"] == "POST"]

        server.wait(lambda: sum(1 + line.get("others", 0) for line in lines()) == statuses.count(503), "lines")
        assert {line["request_id"] for line in lines()} == {"full-1"}
        assert 0 < len(lines()) < statuses.count(503)


@pytest.mark.parametrize(
    ("coding", "status", "code"),
    [
        (b"Chunked", 200, None),
        (b"gzip, chunked", 415, "UNSUPPORTED_MEDIA_TYPE"),
        # A length beside any transfer encoding.
        (b"identity", 400, "BAD_REQUEST"),
    ],
)
def test_another_transfer_encoding_is_refused(server: Server, coding: bytes, status: int, code: str | None) -> None:
    """Compressed on its way, its bytes are not the JSON that they stand for. What is waited for in vain is a 408."""
    head = b"POST /score HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: %b\r\n" % coding
    chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
    rest = b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY) if coding == b"identity" else b"\r\n" + chunk
    with connected(server) as connection:
        connection.sendall(head + rest)
        answered, _, body = answer(connection)
    assert (answered, json.loads(body).get("code")) == (status, code)


def test_a_length_with_many_zeros_is_waited_for(server: Server) -> None:
    """Else the body would be read as another request."""
    with connected(server) as connection:
        send_head(connection, HEAD.replace(b"Length: ", b"Length: " + b"0" * 30))
        connection.sendall(BODY)
        assert answer(connection)[0] == 200


def test_requests_that_come_together_are_answered_in_turn(server: Server) -> None:
    with connected(server) as connection:
        connection.sendall((ASK + LIST + b"\r\n") * 20 + ASK[:30])
        statuses = [answer(connection)[0] for _ in range(40)]
        connection.sendall(ASK[30:])
        statuses.append(answer(connection)[0])
    assert statuses == [200] * 41


def test_expect_100_continue_is_answered_once(server: Server) -> None:
    with connected(server) as connection:
        connection.sendall(HEAD + b"Expect: 100-continue\r\n\r\n")
        assert answer(connection)[0] == 100
        connection.sendall(BODY)
        assert answer(connection)[0] == 200


def test_unread_answers_hold_up_nobody(server: Server) -> None:
    asked = b"GET /openapi.yaml HTTP/1.1\r\nHost: h\r\n\r\n"
    with ExitStack() as stack:
        deaf = [stack.enter_context(connected(server)) for _ in range(20)]
        for connection in deaf:
            connection.sendall(asked * 200)
        for _ in range(20):
            assert server.call("POST", "/validate", json=question()).status_code == 200
        assert answer(deaf[0])[2] == server.call("GET", "/openapi.yaml").content


def test_peers_that_never_close_keep_no_connection() -> None:
    with running() as server, ExitStack() as stack:
        for _ in range(50):
            connection = stack.enter_context(connected(server))
            connection.sendall(LIST + b"Connection: close\r\n\r\n")
            assert answer(connection)[0] == 200
        (worker,) = server.workers()

        def sockets() -> int:
            # One may be closed while they are looked at.
            return sum("socket" in os.path.realpath(fd) for fd in Path(f"/proc/{worker}/fd").iterdir())

        server.wait(lambda: sockets() < 10, "closed connections")


def test_connections_make_room_for_others() -> None:
    """Where a worker has no room for more, an answer ends its connection."""
    # So few files leave 16 connections.
    with running(["prlimit", "--nofile=316:316", *COMMAND]) as server, ExitStack() as stack:
        asking = [stack.enter_context(connected(server)) for _ in range(40)]
        for connection in asking:
            connection.sendall(ASK)
        answers = [answer(connection) for connection in asking]
        assert [status for status, _, _ in answers] == [200] * 40
        assert "close" in [headers["Connection"] for _, headers, _ in answers]


def test_the_end_waits_for_requests_under_way() -> None:
    """But not for connections on which one might still come."""
    # Were it to wait for these, it would be for longer than this test waits.
    with running(GUNICORN_CMD_ARGS="--graceful-timeout 300 --keep-alive 300") as server, ExitStack() as stack:
        silent = [stack.enter_context(connected(server)) for _ in range(10)]
        kept = stack.enter_context(connected(server))
        kept.sendall(ASK)
        assert answer(kept)[1]["Connection"] == "keep-alive"
        begun = stack.enter_context(connected(server))
        send_head(begun)
        begun.sendall(BODY[:-1])
        server.process.send_signal(signal.SIGTERM)
        ask_until_the_end(kept)
        begun.sendall(BODY[-1:])
        status, headers, _ = answer(begun)
        assert (status, headers["Connection"]) == (200, "close")
        assert server.process.wait(DEADLINE_SECONDS) == 0
        assert {connection.recv(1) for connection in silent} == {b""}


def test_a_worker_ends_with_its_master() -> None:
    """In the same way as one that is stopped."""
    with running() as server, connected(server) as kept:
        (worker,) = server.workers()
        kept.sendall(ASK)
        assert answer(kept)[1]["Connection"] == "keep-alive"
        server.process.kill()
        ask_until_the_end(kept)
        server.wait(lambda: not Path(f"/proc/{worker}/exe").exists(), "end of the worker")


def test_a_faulty_rule_set_is_not_reloaded(tmp_path: Path) -> None:
    """All stays as it was, and the log says why."""
    files = ("gunicorn.conf.py", "openapi.yaml", "pyproject.toml", *(part.name for part in ROOT.glob("*.so")))
    for name in ("service", *files):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    with running(COMMAND, tmp_path, PYTHONPATH=str(tmp_path)) as server:
        file = tmp_path / "service/game/rulesets/online-13.toml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("cap = 80", "cap = -80"), encoding="utf-8")
        for _ in range(2):
            before = server.workers()
            server.process.send_signal(signal.SIGHUP)
            server.wait(lambda: server.workers().isdisjoint(before), "new worker")  # noqa: B023
            server.wait(server.is_ready, "readiness")
            assert server.call("POST", "/validate", json=question()).json()["points"] == 80
        told = [line["event"] for line in server.lines() if line["level"] == "error"]
        assert len(told) == 2
        assert all(event.startswith("Nothing was read again: online-13.toml: ") for event in told)
        file.write_text(text.replace("cap = 80", "cap = 79"), encoding="utf-8")
        before = server.workers()
        server.process.send_signal(signal.SIGHUP)
        server.wait(lambda: server.workers().isdisjoint(before), "new worker")
        server.wait(server.is_ready, "readiness")
        assert '"cap":79' in server.call("GET", "/rule-sets/online-13").text


def batch(path: bytes) -> bytes:
    """A batch that is too large to be answered between single calls."""
    items = [{"id": str(number), "op": "score", **question(groups=...)} for number in range(100)]
    body = json.dumps({"items": items}).encode()
    head = b"POST %b HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (path, len(body)) + body


@pytest.mark.parametrize("path", [b"/batch", b"/batch?", b"/%62atch", b"http://h/batch"])
def test_batches_take_no_room_of_single_calls(server: Server, path: bytes) -> None:
    """Twelve batches at once come to two workers that take four each, however their path is spelt."""
    with ExitStack() as opened:
        batches = [opened.enter_context(connected(server)) for _ in range(12)]
        singles = [opened.enter_context(connected(server)) for _ in range(20)]
        send_together(server, [(each, batch(path)) for each in batches] + [(each, ASK) for each in singles])
        assert [answer(each)[0] for each in singles] == [200] * 20
        statuses = []
        for status, headers, text in map(answer, batches):
            statuses.append(status)
            if status == 200:
                assert [each["status"] for each in json.loads(text)["items"]] == [200] * 100
            else:
                assert (json.loads(text)["code"], headers["Retry-After"]) == ("OVERLOADED", "1")
    assert set(statuses) == {200, 503}
