"""A soak: requests of all kinds, and what memory the worker holds meanwhile.

All that a caller can do wrong is among them, and connections that break off in the middle of a request, so that no path
through the service may leave anything behind.
"""

import socket
from dataclasses import dataclass
from typing import Final

from tests.heavy.faults.load import Load, Question, questions
from tests.servers import running

CONNECTIONS: Final = 32
# At so many requests the memory is looked at.
EVERY: Final = 5_000
# By then caches, pools and tables have what they will ever have.
WARM: Final = 20_000


@dataclass(frozen=True)
class Soak:
    """Requests sent, those whose answer was wrong, and megabytes of the worker at so many requests."""

    sent: int
    failed: dict[str, int]
    dropped: int
    memory: list[tuple[int, float]]

    @property
    def growth(self) -> float:
        """Megabytes between the first and the last third of what came after the warm-up, each by its mean."""
        warm = [held for at, held in self.memory if at >= WARM]
        third = max(1, len(warm) // 3)
        return sum(warm[-third:]) / third - sum(warm[:third]) / third


def faulty() -> list[Question]:
    """A request for every way of being refused."""

    def post(body: bytes, *lines: bytes, path: bytes = b"/validate") -> bytes:
        head = b"POST %b HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n" % (path, len(body))
        return head + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body

    get, json_ = b" HTTP/1.1\r\nHost: h\r\n\r\n", b"Content-Type: application/json"
    return [
        (b"GET /nowhere" + get, b"404", None),
        (b"GET /rule-sets/nobodys" + get, b"404", None),
        (b"GET /validate" + get, b"405", None),
        (post(b"{", json_), b"400", None),
        (post(b"[" * 9_000, json_), b"400", None),
        (post(b" " * 70_000, json_), b"413", None),
        (post(b"hand=AS", path=b"/score"), b"415", None),
        (post(b"{}", json_), b"422", None),
        (post(b'{"rule_set": "online-13", "hand": ["XX"]}', json_, path=b"/score"), b"422", None),
        (b"BROKEN" + get, b"400", None),
        (b"GET /" + b"a" * 5_000 + get, b"414", None),
        (b"GET /rule-sets HTTP/1.1\r\nExpect: wonders\r\n\r\n", b"417", None),
    ]


def mixed() -> list[Question]:
    """Hands to score and to judge, one in five requests faulty, and what else there is to ask for."""
    good = questions()
    judged = [(sent.replace(b"POST /score", b"POST /validate"), status, None) for sent, status, _ in good]
    get = b" HTTP/1.1\r\nHost: h\r\n\r\n"
    lists: list[Question] = [(b"GET " + path + get, b"200", None) for path in (b"/rule-sets", b"/openapi.yaml")]
    return [*good, *judged, *lists, *faulty() * 4]


def drop(port: int) -> None:
    """Break a connection off in the middle of a head, and another in the middle of a body."""
    for sent in (b"POST /score HT", b"POST /score HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n{"):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(sent)


def soak(requests: int) -> Soak:
    """Send so many requests, and look at the memory now and then."""
    memory: list[tuple[int, float]] = []
    dropped = 0
    with running() as server:
        load = Load(server.port, 10, CONNECTIONS, mixed())
        while load.sent < requests:
            load.count_loop(CONNECTIONS, min(EVERY, requests - load.sent))
            for _ in range(25):
                drop(server.port)
                dropped += 2
            memory.append((load.sent, server.memory()))
        load.close()
    failed = {name: count for name, count in load.counts.items() if name not in {"good", "closed"}}
    return Soak(load.sent, failed, dropped, memory)
