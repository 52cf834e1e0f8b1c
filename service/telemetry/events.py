"""Request events: what operators learn of one request, collected while it is answered."""

import random
import re
import time
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

_CALLERS_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


class VerdictSummary(NamedTuple):
    """What operators see of one verdict: its rule set, its outcome, and the codes of its reasons."""

    rule_set: str
    outcome: str
    reasons: tuple[str, ...]


class RequestEvent:
    """What the metrics and the log say about one request.

    `route` is the route's template, or None where no route matched. `lookups` has one entry for each hand looked up in
    the cache: the seconds that the solver took, or None for a hit. `fields` go into the log only. `others` counts
    further requests that differ from this one in their ids only.
    """

    def __init__(
        self, callers_id: str, method: str, route: str | None, admin: bool, arrived: float | None = None
    ) -> None:
        self.request_id: Final = request_id(callers_id)
        self.method: Final = method
        self.route: Final = route
        self.admin: Final = admin
        self.lookups: Final[list[float | None]] = []
        self.verdicts: Final[list[VerdictSummary]] = []
        self.fields: Final[dict[str, Any]] = {}
        self.others = 0
        self.status = 0
        self.ended = self.wall = self.cpu = 0.0
        self._arrived: Final = time.perf_counter() if arrived is None else arrived
        self._cpu_at_start: Final = time.thread_time()

    def end(self, status: int) -> None:
        """Set the status and the times: `ended` in seconds since 1970, `wall` in seconds since the request arrived,
        `cpu` in seconds of this thread since the event began.
        """
        self.status = status
        self.ended = time.time()
        self.wall = time.perf_counter() - self._arrived
        self.cpu = time.thread_time() - self._cpu_at_start


def request_id(callers_id: str) -> str:
    """The caller's id if it is well formed, otherwise a new one."""
    # Not `uuid4`: it makes a system call, which lets another thread take the interpreter.
    return callers_id if _CALLERS_ID.fullmatch(callers_id) else f"{random.getrandbits(128):032x}"


_event: Final[ContextVar[RequestEvent]] = ContextVar("event")
_arrival_time: Final[ContextVar[float | None]] = ContextVar("arrival_time", default=None)


def set_arrival_time(at: float | None) -> None:
    """Set when the next request of this thread arrived, by `time.perf_counter`; it may have waited since then."""
    _arrival_time.set(at)


def begin_event(callers_id: str, method: str, route: str | None, admin: bool) -> RequestEvent:
    """Begin the event of a request; `callers_id` is its `X-Request-ID`."""
    event = RequestEvent(callers_id, method, route, admin, _arrival_time.get())
    _event.set(event)
    return event


def current_event() -> RequestEvent:
    """The event of the request that this thread answers."""
    return _event.get()


def annotate(**fields: object) -> None:
    """Add fields to the log line of the current request. Never log a hand: its cards are the player's secret."""
    _event.get().fields.update(fields)
