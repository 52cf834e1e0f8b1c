"""Records: what there is to tell of each request. One thread tells it, in the metrics and in the log.

Counting and writing take longer than solving a hand. Done for many requests at once they take half as long, and no
answer waits for a slow disk or a log that nobody reads.
"""

import logging
import random
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from service.limits import MAX_UNCOUNTED, MAX_UNWRITTEN

# So long a record waits for others: below what an operator notices, and a fraction of a request's work for each.
PAUSE_SECONDS: Final = 0.01

_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_log = logging.getLogger(__name__)


class Given(NamedTuple):
    """A verdict that was given: under which rule set, its outcome, and the codes of its reasons."""

    rule_set: str
    outcome: str
    reasons: tuple[str, ...]


class Record:
    """What there is to tell of one request.

    `route` is the template, None where none matched; `lookups` has for every look into the cache the seconds that the
    solver took, None for a hit; `fields` are for the log alone; `others` is of how many more requests it tells, which
    differ in nothing but their ids.
    """

    def __init__(
        self, given_id: str, method: str, route: str | None, admin: bool, arrived: float | None = None
    ) -> None:
        self.request_id: Final = request_id(given_id)
        self.method: Final = method
        self.route: Final = route
        self.admin: Final = admin
        self.lookups: Final[list[float | None]] = []
        self.verdicts: Final[list[Given]] = []
        self.fields: Final[dict[str, Any]] = {}
        self.others = 0
        self.status = 0
        self.ended = self.wall = self.cpu = 0.0
        self._arrived: Final = time.perf_counter() if arrived is None else arrived
        self._cpu: Final = time.thread_time()

    def end(self, status: int) -> None:
        """Note the status, the time (`ended`, in seconds since 1970), and the seconds until now: of wall time since the
        request had arrived, of CPU time since it was begun with.
        """
        self.status = status
        self.ended = time.time()
        self.wall = time.perf_counter() - self._arrived
        self.cpu = time.thread_time() - self._cpu


def request_id(given: str) -> str:
    """The id that a caller has given, or a new one where it is not well formed."""
    # Unique is enough. `uuid4` would ask the kernel each time, and hand the interpreter to another thread meanwhile.
    return given if _GIVEN_ID.fullmatch(given) else f"{random.getrandbits(128):032x}"


_record: Final[ContextVar[Record]] = ContextVar("record")
_arrived: Final[ContextVar[float | None]] = ContextVar("arrived", default=None)


def note_arrival(at: float | None) -> None:
    """The request that this thread handles next had arrived then, by `time.perf_counter`: it may have waited since."""
    _arrived.set(at)


def begin_record(given_id: str, method: str, route: str | None, admin: bool) -> Record:
    """Begin the record of a request; `given_id` is the caller's `X-Request-ID`, kept where it is well formed."""
    record = Record(given_id, method, route, admin, _arrived.get())
    _record.set(record)
    return record


def current_record() -> Record:
    """The record of the request that is being handled."""
    return _record.get()


def note(**fields: object) -> None:
    """Add fields to the log line of the current request. Never the hand: a log is no place for a player's cards."""
    _record.get().fields.update(fields)


class Recorder:
    """Takes the records of ended requests from any thread; a thread of its own counts them and writes them.

    `count` is called with records in turn, never twice at a time; so is `write`, with the number of those that were
    lost before them. What `write` raises loses its records, and nothing else.
    """

    def __init__(
        self, count: Callable[[Sequence[Record]], None], write: Callable[[Sequence[Record], int], None]
    ) -> None:
        self._count = count
        self._write = write
        self._uncounted: Final[deque[Record]] = deque()
        self._unwritten: Final[deque[Record]] = deque()
        self._lost = 0
        self._counting: Final = threading.Lock()
        self._writing: Final = threading.Lock()
        self._some: Final = threading.Event()
        threading.Thread(target=self._run, name="records", daemon=True).start()

    def put(self, record: Record) -> None:
        """Take the record of a request that has ended."""
        self._uncounted.append(record)
        if not self._some.is_set():
            self._some.set()
        if len(self._uncounted) > MAX_UNCOUNTED:
            self.count()

    def count(self) -> None:
        """Count every record that was put until now."""
        with self._counting:
            records = _take(self._uncounted)
            self._count(records)
            self._unwritten.extend(records)
            while len(self._unwritten) > MAX_UNWRITTEN:
                self._unwritten.popleft()
                self._lost += 1

    def flush(self) -> None:
        """Count and write every record that was put until now."""
        self.count()
        with self._writing:
            with self._counting:
                records, lost = _take(self._unwritten), self._lost
                self._lost = 0
            if not records:
                return
            try:
                self._write(records, lost)
            except (OSError, ValueError):
                # A full disk or a closed pipe: nowhere to tell it now.
                with self._counting:
                    self._lost += lost + len(records)

    def _run(self) -> None:
        while True:
            self._some.wait()
            time.sleep(PAUSE_SECONDS)
            self._some.clear()
            try:
                self.flush()
            except Exception:  # noqa: BLE001 (whatever it is, the thread must go on)
                _log.exception("records could not be told")


def _take(records: deque[Record]) -> list[Record]:
    return [records.popleft() for _ in range(len(records))]
