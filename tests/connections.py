"""Bare connections to a server, for what no HTTP client would send."""

import json
import os
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.contract import validator
from tests.examples import question
from tests.servers import Server
from tests.waiting import DEADLINE_SECONDS

BODY = json.dumps(question()).encode()
HEAD = b"POST /score HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: %d\r\n" % len(BODY)
ASK = HEAD + b"\r\n" + BODY
LIST = b"GET /rule-sets HTTP/1.1\r\nHost: h\r\n"


@contextmanager
def connected(server: Server, admin: bool = False) -> Iterator[socket.socket]:
    port = server.admin_port if admin else server.port
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_SECONDS) as connection:
        yield connection


def answer(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """The next answer on a connection: status, headers and body."""
    status, headers = head_of_answer(connection)
    body = b""
    while len(body) < int(headers.get("Content-Length", "0")):
        body += connection.recv(int(headers["Content-Length"]) - len(body))
    return status, headers, body


def head_of_answer(connection: socket.socket) -> tuple[int, dict[str, str]]:
    received = b""
    while b"\r\n\r\n" not in received:
        data = connection.recv(1)
        assert data, received
        received += data
    lines = received.decode("latin-1").split("\r\n")
    return int(lines[0].split()[1]), dict(line.split(": ", 1) for line in lines[1:] if line)


def refused(connection: socket.socket) -> dict[str, Any]:
    """A problem, after which the connection is closed."""
    status, headers, body = answer(connection)
    assert headers["Content-Type"] == "application/problem+json"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Connection"] == "close"
    problem: dict[str, Any] = json.loads(body)
    validator("/components/schemas/Problem").validate(problem)
    assert (problem["status"], problem["request_id"]) == (status, headers["X-Request-ID"])
    assert connection.recv(1) == b""
    return problem


def send_head(connection: socket.socket, head: bytes = HEAD) -> None:
    """Send a head, and wait until the server has read it: it asks for the body then."""
    connection.sendall(head + b"Expect: 100-continue\r\n\r\n")
    assert head_of_answer(connection)[0] == 100


def send_together(server: Server, requests: Sequence[tuple[socket.socket, bytes]]) -> None:
    """Have all requests complete at the same time: the workers stand still while the last byte of each is sent."""
    for connection, request in requests:
        connection.sendall(request[:-1])
    workers = server.workers()
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    for connection, request in requests:
        connection.sendall(request[-1:])
    for worker in workers:
        os.kill(worker, signal.SIGCONT)


def ask_until_the_end(connection: socket.socket) -> None:
    """Ask again and again until an answer says that it is the last: then the worker knows that it has to end."""
    while True:
        connection.sendall(ASK)
        status, headers, _ = answer(connection)
        assert status == 200
        if headers["Connection"] == "close":
            return


def answer_under_way_at_the_end(server: Server) -> bytes:
    """What comes back for a request of which half was sent when the server was told to end."""
    with connected(server) as under_way, connected(server) as other:
        send_head(under_way)
        under_way.sendall(BODY[:50])
        server.process.send_signal(signal.SIGTERM)
        ask_until_the_end(other)
        under_way.sendall(BODY[50:])
        return under_way.recv(65_536)
