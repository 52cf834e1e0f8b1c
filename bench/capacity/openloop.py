"""An open loop: requests are sent when their time has come, whether or not earlier ones are answered.

A closed loop sends less when the service is slow, and so does not see what callers see who do not wait for each other.
Latency is counted from the time at which a request was due, so that neither a slow service nor a slow client hides any.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from random import Random
from selectors import SelectSelector
from typing import Final

SEED: Final = 7
# Fewer than the service lets queue up, and than `select` can watch. Beyond, requests wait here, and that counts.
MAX_CONNECTIONS: Final = 500
# For what has queued up where the machine is needed by others.
GRACE_SECONDS: Final = 60


@dataclass(frozen=True)
class Results:
    """What was measured, in seconds: from when a request was due to its answer, and to when its turn came.

    `refused` counts those that found no room; their latencies are not among the others.
    """

    latencies: tuple[float, ...]
    late: tuple[float, ...]
    refused: int


def percentile(values: Sequence[float], share: float) -> float:
    """The least of the values that is not below so many of them; `share` of 0.99 is the 99th percentile."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def due_times(rate: float, seconds: float, seed: int = SEED) -> list[float]:
    """When requests are due that come at random and independently of each other (a Poisson process)."""
    random = Random(seed)
    times = []
    at = random.expovariate(rate)
    while at < seconds:
        times.append(at)
        at += random.expovariate(rate)
    return times


class _Connection(asyncio.Protocol):
    """A connection that stays open, with one request at a time. `answered` is given the status."""

    transport: asyncio.Transport
    answered: "asyncio.Future[int]"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.data = bytearray()

    def send(self, request: bytes) -> "asyncio.Future[int]":
        self.answered = asyncio.get_running_loop().create_future()
        self.data.clear()
        self.transport.write(request)
        return self.answered

    def data_received(self, data: bytes) -> None:
        self.data += data
        end = self.data.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.data[:end].lower()
        length = int(head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])
        if len(self.data) >= end + 4 + length and not self.answered.done():
            self.answered.set_result(int(head.split(maxsplit=2)[1]))

    def connection_lost(self, exc: Exception | None) -> None:
        if hasattr(self, "answered") and not self.answered.done():
            self.answered.set_exception(exc or ConnectionResetError("closed without an answer"))


async def _run(port: int, requests: Sequence[bytes], times: Sequence[float]) -> Results:
    loop = asyncio.get_running_loop()
    opened: list[_Connection] = []
    free: list[_Connection] = []
    latencies: list[float] = []
    late: list[float] = []

    room = asyncio.Semaphore(MAX_CONNECTIONS)

    async def ask(request: bytes, due: float) -> None:
        late.append(loop.time() - due)
        async with room:
            if free:
                connection = free.pop()
            else:
                _, connection = await loop.create_connection(_Connection, "127.0.0.1", port)
                opened.append(connection)
            answered = connection.send(request)
            status = await answered
            free.append(connection)
        if status == HTTPStatus.OK:
            latencies.append(loop.time() - due)
        elif status != HTTPStatus.SERVICE_UNAVAILABLE:
            raise RuntimeError(f"status {status}: {request.decode()}")

    started = loop.time() + 0.1
    try:
        async with asyncio.timeout(times[-1] + GRACE_SECONDS), asyncio.TaskGroup() as group:
            for number, at in enumerate(times):
                if (wait := started + at - loop.time()) > 0:
                    await asyncio.sleep(wait)
                group.create_task(ask(requests[number % len(requests)], started + at))
    finally:
        for connection in opened:
            connection.transport.close()
        # They are closed when the loop comes by.
        await asyncio.sleep(0)
    return Results(tuple(latencies), tuple(late), len(times) - len(latencies))


def run(port: int, requests: Sequence[bytes], times: Sequence[float]) -> Results:
    """Send the requests at those times, in seconds from the start; raises if any answer was neither 200 nor 503."""
    # epoll waits for whole milliseconds, which is longer than a request takes; select for microseconds.
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(SelectSelector())) as runner:
        return runner.run(_run(port, requests, times))


def http_request(path: str, body: str) -> bytes:
    """The bytes of a POST."""
    data = body.encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
    return head.encode() + b"\r\n\r\n" + data
