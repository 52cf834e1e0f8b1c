"""Metrics in Prometheus form, summed over all workers where `PROMETHEUS_MULTIPROC_DIR` is set.

That name must be in the environment before this module is first imported: `gunicorn.conf.py` sees to it. No fault of
that folder ends a worker: without it, each tells what it has counted itself.
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
from typing import Concatenate, Final, ParamSpec

import prometheus_client
from prometheus_client import CollectorRegistry, Gauge, Histogram, Metric, generate_latest, values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.telemetry.request_log import Record

_METHODS: Final = frozenset(HTTPMethod)
# Answers take about half a millisecond; what takes a second is lost to a player anyway.
_REQUEST_BUCKETS: Final = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
# A cold solve takes some ten microseconds, the worst a few milliseconds.
_SOLVER_BUCKETS: Final = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1)

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"

P = ParamSpec("P")

_log = logging.getLogger(__name__)


def _never_fatal(write: Callable[Concatenate["Metrics", P], None]) -> Callable[Concatenate["Metrics", P], None]:
    """A metric that cannot be written is logged; the verdict goes out all the same."""

    @functools.wraps(write)
    def guarded(metrics: "Metrics", /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            write(metrics, *args, **kwargs)
        except (OSError, ValueError):
            _log.warning("a metric could not be written", exc_info=True)

    return guarded


def _add(child: Callable[..., prometheus_client.Counter], counts: Mapping[tuple[str, ...], int]) -> None:
    for labels, count in counts.items():
        if count:
            child(*labels).inc(count)


class Durations(Histogram):
    """The client library's histogram, which can observe the same several times at the cost of once."""

    def observe_alike(self, amount: float, times: int) -> None:
        self._sum.inc(amount * times)
        self._buckets[bisect_left(self._upper_bounds, amount)].inc(times)


class _AllocatedDict(MmapedDict):
    """The client library's file, with a place on the disk for all of it.

    The library leaves that to the first write, and a write into a mapped file for which the disk has no room left kills
    the process.
    """

    # What 30 labels of a histogram need. Pages of it that are never written cost no memory.
    SIZE: Final = 256 * 1024

    def __init__(self, filename: str) -> None:
        with Path(filename).open("ab") as file:
            os.posix_fallocate(file.fileno(), 0, self.SIZE)
        super().__init__(filename)  # type: ignore[no-untyped-call]

    def _init_value(self, key: str) -> None:
        # More than the key takes with its length, its padding and its value.
        while self._used + len(key.encode()) + 40 > os.fstat(self._f.fileno()).st_size:
            os.posix_fallocate(self._f.fileno(), self._capacity, self._capacity)
        super()._init_value(key)  # type: ignore[no-untyped-call]


class _Files(Collector):
    """What all workers have written, but for files that are not theirs or that cannot be read."""

    _NAME: Final = re.compile(r"(counter|histogram|gauge_livesum)_\d+\.db")

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def collect(self) -> list[Metric]:
        files = [str(file) for file in self._folder.iterdir() if self._NAME.fullmatch(file.name)]
        try:
            return _merge(files)
        except Exception:  # noqa: BLE001 (there is no telling what the library makes of a broken file)
            return _merge([file for file in files if _is_whole(file)])


def _merge(files: list[str]) -> list[Metric]:
    return list(MultiProcessCollector.merge(files))  # type: ignore[no-untyped-call]


def _is_whole(file: str) -> bool:
    try:
        _merge([file])
    except Exception:  # noqa: BLE001 (the same)
        _log.warning("a file of metrics cannot be read, and is left out: %s", Path(file).name)
        return False
    return True


def create_metrics(folder: str | None) -> "Metrics":
    """The metrics of this worker: in the folder that all share, or, where that cannot be had, in its memory."""
    values.MmapedDict = _AllocatedDict  # type: ignore[attr-defined, assignment]
    if folder is not None:
        try:
            # It is there, but for one that was removed since the start.
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _log.error("no file of metrics can be made: %s", error.strerror)
            values.ValueClass = values.MutexValue
    return Metrics(folder)


class Metrics:
    """The metrics of one worker; `text` shows those of all that share the `folder`."""

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

        # The labels are few, and looking one up costs more than counting it.
        self._request = functools.cache(self._requests.labels)
        self._verdict = functools.cache(self._verdicts.labels)
        self._reason = functools.cache(self._reasons.labels)
        self._lookup = functools.cache(self._lookups.labels)
        # A file is made for the first of its kind: now, as its folder may be gone or full by then.
        for result in ("hit", "miss"):
            self._lookup(result)

    @_never_fatal
    def count(self, records: Sequence[Record], cache_entries: int) -> None:
        """Note what was answered, judged and looked up in the cache, and how many hands that has now."""
        lookups = [seconds for record in records for seconds in record.lookups]
        verdicts = [given for record in records for given in record.verdicts]
        solved = [seconds for seconds in lookups if seconds is not None]
        # Each count is written once for all records: a write takes as long as a tenth of a solve.
        _add(self._lookup, {("miss",): len(solved), ("hit",): len(lookups) - len(solved)})
        _add(self._verdict, Counter((given.rule_set, given.outcome) for given in verdicts))
        _add(self._reason, Counter((code,) for given in verdicts for code in given.reasons))
        for seconds in solved:
            self._solver.observe(seconds)
        for record in records:
            if not record.admin:
                # An unknown method is told by one name, so that labels stay few.
                method = record.method if record.method in _METHODS else "_OTHER"
                durations = self._request(method, record.route or "unmatched", record.status)
                durations.observe_alike(record.wall, 1 + record.others)
        self._entries.set(cache_entries)

    def text(self) -> bytes:
        """All metrics in the Prometheus text format; of this worker alone if the folder has none of them."""
        if self._folder:
            registry = CollectorRegistry()
            try:
                registry.register(_Files(self._folder))
                if text := generate_latest(registry):
                    return text
            except OSError as error:
                _log.warning("the metrics of the other workers cannot be read: %s", error.strerror)
        return generate_latest(self.registry)
