"""Request log: one thread counts the events of ended requests in the metrics and writes their log lines.

Doing this for many requests at once is cheaper than for each by itself, and no answer waits for a slow disk or for a
log that nobody reads.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from service.limits import MAX_UNCOUNTED, MAX_UNWRITTEN
from service.telemetry.events import RequestEvent

# How long the thread collects events before it handles them together: shorter than an operator notices.
PAUSE_SECONDS: Final = 0.01

_log = logging.getLogger(__name__)


class RequestLog:
    """Takes the events of ended requests from any thread; its own thread counts and writes them, in order.

    `count` gets the events. `write` gets the events and the number of events lost before them. Neither is called by two
    threads at a time. When `write` raises, its events are lost, and nothing else is.
    """

    def __init__(
        self, count: Callable[[Sequence[RequestEvent]], None], write: Callable[[Sequence[RequestEvent], int], None]
    ) -> None:
        self._count = count
        self._write = write
        self._uncounted: Final[deque[RequestEvent]] = deque()
        self._unwritten: Final[deque[RequestEvent]] = deque()
        self._lost = 0
        self._counting: Final = threading.Lock()
        self._writing: Final = threading.Lock()
        self._filled: Final = threading.Event()
        threading.Thread(target=self._run, name="request-log", daemon=True).start()

    def put(self, event: RequestEvent) -> None:
        """Take the event of a request that has ended."""
        self._uncounted.append(event)
        if not self._filled.is_set():
            self._filled.set()
        if len(self._uncounted) > MAX_UNCOUNTED:
            self.count()

    def count(self) -> None:
        """Count every event that was put until now."""
        with self._counting:
            events = _take_all(self._uncounted)
            self._count(events)
            self._unwritten.extend(events)
            while len(self._unwritten) > MAX_UNWRITTEN:
                self._unwritten.popleft()
                self._lost += 1

    def flush(self) -> None:
        """Count and write every event that was put until now."""
        self.count()
        with self._writing:
            with self._counting:
                events, lost = _take_all(self._unwritten), self._lost
                self._lost = 0
            if not events:
                return
            try:
                self._write(events, lost)
            except (OSError, ValueError):
                # The disk is full or the pipe is closed, so the fault cannot be logged now either.
                with self._counting:
                    self._lost += lost + len(events)

    def _run(self) -> None:
        while True:
            self._filled.wait()
            time.sleep(PAUSE_SECONDS)
            self._filled.clear()
            try:
                self.flush()
            except Exception:  # noqa: BLE001 (the thread must go on after any fault)
                _log.exception("request events could not be counted or written")


def _take_all(events: deque[RequestEvent]) -> list[RequestEvent]:
    return [events.popleft() for _ in range(len(events))]
