"""Metrics in Prometheus form. Where `PROMETHEUS_MULTIPROC_DIR` is set, they are summed over all workers.

The environment must have that name before this module is first imported; `gunicorn.conf.py` sets it. No fault of that
folder ends a worker: without the folder, each worker shows its own counts only.
"""

import functools
import logging
import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from http import HTTPMethod
from pathlib import Path
from typing import Final

import prometheus_client
from prometheus_client import CollectorRegistry, Gauge, Histogram, Metric, generate_latest, values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.telemetry.events import RequestEvent, VerdictSummary

_METHODS: Final = frozenset(HTTPMethod)
# Fine where answers lie (see docs/benchmarks.md), and no further than a player waits.
_REQUEST_BUCKETS: Final = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
# From an easy hand to the worst one.
_SOLVER_BUCKETS: Final = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1)

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"

_log = logging.getLogger(__name__)


def _add(child: Callable[..., prometheus_client.Counter], counts: Mapping[tuple[str, ...], int]) -> None:
    for labels, count in counts.items():
        if count:
            child(*labels).inc(count)


class Durations(Histogram):
    """The client library's histogram, which can also observe one amount several times in one step."""

    def observe_alike(self, amount: float, times: int) -> None:
        self._sum.inc(amount * times)
        self._buckets[bisect_left(self._upper_bounds, amount)].inc(times)


class _AllocatedDict(MmapedDict):
    """The client library's file, with its disk space allocated.

    The library leaves the file sparse. When the disk is full, a write into a sparse mapped file kills the process.
    """

    # Room for a histogram with 30 sets of labels. Pages that are never written take no memory.
    SIZE: Final = 256 * 1024

    def __init__(self, filename: str) -> None:
        with Path(filename).open("ab") as file:
            os.posix_fallocate(file.fileno(), 0, self.SIZE)
        super().__init__(filename)  # type: ignore[no-untyped-call]

    def _init_value(self, key: str) -> None:
        # 40 bytes are more than the length, the padding and the value of a key.
        while self._used + len(key.encode()) + 40 > os.fstat(self._f.fileno()).st_size:
            os.posix_fallocate(self._f.fileno(), self._capacity, self._capacity)
        super()._init_value(key)  # type: ignore[no-untyped-call]


class _Files(Collector):
    """The sum of the workers' files; skips other files and those that cannot be read."""

    _NAME: Final = re.compile(r"(counter|histogram|gauge_livesum)_\d+\.db")

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def collect(self) -> list[Metric]:
        files = [str(file) for file in self._folder.iterdir() if self._NAME.fullmatch(file.name)]
        try:
            return _merge(files)
        except Exception:  # noqa: BLE001 (a broken file can raise anything in the library)
            return _merge([file for file in files if _is_whole(file)])


def _merge(files: list[str]) -> list[Metric]:
    return list(MultiProcessCollector.merge(files))  # type: ignore[no-untyped-call]


def _is_whole(file: str) -> bool:
    try:
        _merge([file])
    except Exception:  # noqa: BLE001 (as above)
        _log.warning("a file of metrics cannot be read, and is left out: %s", Path(file).name)
        return False
    return True


def create_metrics(folder: str | None) -> "Metrics":
    """The metrics of this worker: in files of the shared folder, or in its memory if there is no such folder."""
    values.MmapedDict = _AllocatedDict  # type: ignore[attr-defined, assignment]
    if folder is not None:
        try:
            # It exists, unless it was removed since the start; and it has room, unless its disk is full.
            Path(folder).mkdir(parents=True, exist_ok=True)
            return Metrics(folder)
        except OSError as error:
            _log.error("no file of metrics can be made: %s", error.strerror)
    # Whatever folder the environment named when the library was imported.
    values.ValueClass = values.MutexValue
    return Metrics(folder)


class Metrics:
    """The metrics of one worker; `text` shows those of all workers that share the `folder`."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder: Final = folder
        self.registry = CollectorRegistry()
        self._requests = Durations(
            "http_server_request_duration_seconds",
            "Time to answer a request on the API port, by route template.",
            ("http_request_method", "http_route", "http_response_status_code"),
            buckets=_REQUEST_BUCKETS,
            registry=self.registry,
        )
        self._verdicts = prometheus_client.Counter(
            "showcheck_verdicts",
            "Verdicts by rule set and outcome: VALID_SHOW, WRONG_SHOW or SCORED.",
            ("rule_set", "outcome"),
            registry=self.registry,
        )
        self._reasons = prometheus_client.Counter(
            "showcheck_reasons",
            "Reasons given for the judged arrangement, by code.",
            ("code",),
            registry=self.registry,
        )
        self._solver = Histogram(
            "showcheck_solver_seconds",
            "Time to solve a hand that the cache did not have.",
            buckets=_SOLVER_BUCKETS,
            registry=self.registry,
        )
        self._lookups = prometheus_client.Counter(
            "showcheck_cache_requests",
            "Hands looked up in the cache, by result: hit or miss.",
            ("result",),
            registry=self.registry,
        )
        self._entries = Gauge(
            "showcheck_cache_entries",
            "Solved hands in the caches of all live workers.",
            multiprocess_mode="livesum",
            registry=self.registry,
        )

        # There are few labels, and finding one costs more than counting it.
        self._request = functools.cache(self._requests.labels)
        self._verdict = functools.cache(self._verdicts.labels)
        self._reason = functools.cache(self._reasons.labels)
        self._lookup = functools.cache(self._lookups.labels)
        # The first use makes the file. Make it now: later its folder may be gone, or the disk full.
        for result in ("hit", "miss"):
            self._lookup(result)

    def count(self, events: Sequence[RequestEvent], cache_entries: int) -> None:
        """Count these events, and set how many hands the cache of this worker has now.

        A metric that cannot be written is logged, and raises nothing.
        """
        try:
            self._count_lookups([seconds for event in events for seconds in event.lookups])
            self._count_verdicts([verdict for event in events for verdict in event.verdicts])
            for event in events:
                if not event.admin:
                    self._observe_request(event)
            self._entries.set(cache_entries)
        except (OSError, ValueError):
            _log.warning("a metric could not be written", exc_info=True)

    # A count is written once for all events, as each write takes time.

    def _count_lookups(self, lookups: Sequence[float | None]) -> None:
        solved = [seconds for seconds in lookups if seconds is not None]
        _add(self._lookup, {("miss",): len(solved), ("hit",): len(lookups) - len(solved)})
        for seconds in solved:
            self._solver.observe(seconds)

    def _count_verdicts(self, verdicts: Sequence[VerdictSummary]) -> None:
        _add(self._verdict, Counter((verdict.rule_set, verdict.outcome) for verdict in verdicts))
        _add(self._reason, Counter((code,) for verdict in verdicts for code in verdict.reasons))

    def _observe_request(self, event: RequestEvent) -> None:
        # All unknown methods share one label: callers must not be able to add labels.
        method = event.method if event.method in _METHODS else "_OTHER"
        durations = self._request(method, event.route or "unmatched", event.status)
        durations.observe_alike(event.wall, 1 + event.others)

    def text(self) -> bytes:
        """All metrics in the Prometheus text format; those of this worker alone if the folder has none."""
        if self._folder:
            registry = CollectorRegistry()
            try:
                registry.register(_Files(self._folder))
                if text := generate_latest(registry):
                    return text
            except OSError as error:
                _log.warning("the metrics of the other workers cannot be read: %s", error.strerror)
        return generate_latest(self.registry)
