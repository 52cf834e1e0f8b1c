"""`python -m tests.heavy.faults.load PORT`: a stream of requests, and honest counts of what became of each.

A request is good if its answer is 200, has the right body and comes in time; every other is counted by what went wrong.
With `--rate` requests are sent whether or not earlier ones were answered, on as many connections as that takes; without
it, each of the `--connections` sends its next request when the last was answered.
"""

import argparse
import errno
import json
import re
import selectors
import socket
import time
from collections import Counter, deque
from collections.abc import Sequence
from io import StringIO
from itertools import cycle, pairwise
from typing import Any, Final

from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app
from tests.strategies import seeded_deals

BODIES: Final = 100
# A connection that cannot be made is tried again no sooner, as a client would.
AGAIN_SECONDS: Final = 0.01
_STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3})")
_LENGTH: Final = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


# A request as it is sent, with the status of the right answer and, where that is known, its body.
Question = tuple[bytes, bytes, bytes | None]


def questions() -> list[Question]:
    """Hands to score."""
    # Port 80 is the one that a test client calls.
    client = create_app(read_state(Settings(port=80)), StringIO()).test_client()
    made = []
    for deal in seeded_deals(1, 0, BODIES):
        hand = [card.code for card in deal.hand]
        asked = {"rule_set": deal.rules.name, "wild_rank": deal.turned_up.code, "hand": hand}
        text = json.dumps(asked).encode()
        answer = client.post("/score", data=text, content_type="application/json").data
        head = f"POST /score HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {len(text)}"
        made.append((head.encode() + b"\r\n\r\n" + text, b"200", answer))
    return made


class Line:
    """A connection, and the request that is under way on it."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.received = b""
        self.right: tuple[bytes, bytes | None] = b"", None
        self.started = 0.0
        self.busy = False


class Load:
    """One stream of requests."""

    def __init__(self, port: int, timeout: float, most: int, asked: Sequence[Question] | None = None) -> None:
        self.port = port
        self.timeout = timeout
        self.most = most
        self.questions = cycle(asked or questions())
        self.poller = selectors.EpollSelector()
        self.idle: list[Line] = []
        self.busy: deque[Line] = deque()
        self.lines = 0
        self.sent = 0
        self.counts: Counter[str] = Counter()
        self.seconds: list[float] = []
        # When there was a good answer.
        self.good_at: list[float] = []

    def ask(self) -> bool:
        """Send a request; whether there was a connection for it."""
        sent, status, body = next(self.questions)
        right = status, body
        self.sent += 1
        started = time.monotonic()
        while self.idle:
            if self._send(self.idle.pop(), sent, right, started):
                return True
        if self.lines >= self.most:
            self.counts["no connection"] += 1
            return False
        sock = socket.socket()
        try:
            sock.connect(("127.0.0.1", self.port))
        except OSError as error:
            sock.close()
            self.counts[errno.errorcode.get(error.errno or 0, "connect")] += 1
            return False
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setblocking(False)
        self.lines += 1
        line = Line(sock)
        self.poller.register(sock, selectors.EVENT_READ, line)
        if not self._send(line, sent, right, started):
            self.counts["reset"] += 1
        return True

    def _send(self, line: Line, sent: bytes, right: tuple[bytes, bytes | None], started: float) -> bool:
        # A connection that was closed while it was idle costs no request.
        try:
            if line.sock.send(sent) == len(sent):
                line.received, line.right, line.started, line.busy = b"", right, started, True
                self.busy.append(line)
                return True
        except OSError:
            pass
        self._close(line)
        return False

    def _close(self, line: Line) -> None:
        self.poller.unregister(line.sock)
        line.sock.close()
        line.busy = False
        self.lines -= 1

    def _read(self, line: Line) -> str | None:
        """What became of the request, if that is known by now."""
        try:
            data = line.sock.recv(65_536)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        if not data:
            return "reset" if line.busy else "closed"
        line.received += data
        head, separator, body = line.received.partition(b"\r\n\r\n")
        length = _LENGTH.search(head + b"\r\n")
        if not separator or length is None or len(body) < int(length[1]):
            return None
        status = _STATUS.match(head)
        if status is None or status[1] != line.right[0]:
            return (status[1] if status else b"no status").decode()
        return "good" if line.right[1] in {None, body} else "wrong body"

    def turn(self, until: float) -> int:
        """Take in answers until then; the number of requests that ended."""
        ended = 0
        for key, _ in self.poller.select(max(0.0, until - time.monotonic())):
            line: Line = key.data
            fate = self._read(line)
            if fate is None:
                continue
            if line.busy:
                ended += 1
                self._note(line, fate)
            if fate in {"reset", "closed"} or b"onnection: close" in line.received:
                if line in self.idle:
                    self.idle.remove(line)
                self._close(line)
            else:
                line.busy = False
                self.idle.append(line)
        return ended + self._time_out()

    def _note(self, line: Line, fate: str) -> None:
        now = time.monotonic()
        if now - line.started > self.timeout:
            fate = "late"
        self.counts[fate] += 1
        if fate == "good":
            self.seconds.append(now - line.started)
            self.good_at.append(now)

    def _time_out(self) -> int:
        ended = 0
        late = time.monotonic() - self.timeout
        while self.busy and (not self.busy[0].busy or self.busy[0].started < late):
            line = self.busy.popleft()
            if line.busy and line.started < late:
                self.counts["late"] += 1
                ended += 1
                self._close(line)
        return ended

    def open_loop(self, rate: float, seconds: float) -> None:
        start = time.monotonic()
        for number in range(int(rate * seconds)):
            due = start + number / rate
            while time.monotonic() < due:
                self.turn(due)
            self.ask()
            if number % 8 == 0:
                self.turn(0.0)

    def closed_loop(self, connections: int, seconds: float) -> None:
        end = time.monotonic() + seconds
        free = connections
        while time.monotonic() < end:
            for _ in range(free):
                if not self.ask():
                    time.sleep(AGAIN_SECONDS)
                else:
                    free -= 1
            free += self.turn(min(end, time.monotonic() + 0.1))

    def count_loop(self, connections: int, requests: int) -> None:
        """So many requests, as soon as there is a connection for each, and their answers."""
        asked = ended = 0
        while ended < requests:
            while asked < requests and asked - ended < connections:
                asked += 1
                ended += not self.ask()
            ended += self.turn(time.monotonic() + 0.1)

    def finish(self) -> None:
        """Wait for the answers to what was sent."""
        end = time.monotonic() + self.timeout + 0.1
        while any(line.busy for line in self.busy) and time.monotonic() < end:
            self.turn(end)
            self._time_out()

    def close(self) -> None:
        """Close every connection that is left."""
        for key in list(self.poller.get_map().values()):
            self._close(key.data)
        self.poller.close()

    def result(self, start: float, seconds: float) -> dict[str, Any]:
        took = sorted(self.seconds)
        times = [start, *self.good_at]
        gaps = [later - earlier for earlier, later in pairwise(times)]
        return {
            "sent": self.sent,
            "good": self.counts["good"],
            "failed": {name: count for name, count in sorted(self.counts.items()) if name not in {"good", "closed"}},
            "good_per_second": self.counts["good"] / seconds,
            "p50": took[len(took) // 2] if took else None,
            "p99": took[len(took) * 99 // 100] if took else None,
            "longest_gap": max(gaps, default=None),
        }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--timeout", type=float, default=1)
    asked = parser.parse_args()
    load = Load(asked.port, asked.timeout, asked.connections)
    # Whoever started this may begin what is to go wrong.
    print("ready", flush=True)  # noqa: T201
    start = time.monotonic()
    if asked.rate:
        load.open_loop(asked.rate, asked.seconds)
    else:
        load.closed_loop(asked.connections, asked.seconds)
    spent = time.monotonic() - start
    load.finish()
    print(json.dumps(load.result(start, spent)))  # noqa: T201


if __name__ == "__main__":
    main()
