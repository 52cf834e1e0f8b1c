"""Logs: JSON, one object a line, on standard output. What a request has to tell is noted while it is handled."""

import json
import os
import random
import re
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, TextIO

import structlog
from structlog.processors import JSONRenderer, TimeStamper, format_exc_info
from structlog.stdlib import ProcessorFormatter, add_log_level, add_logger_name

_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_TIME: Final = TimeStamper(fmt="iso", utc=True, key="time")
# Made once: `json.dumps` makes one for every line.
_ENCODER: Final = json.JSONEncoder(default=repr)


class Record:
    """What there is to tell of one request: its id, when it began, and the fields of its log line."""

    def __init__(self, request_id: str, admin: bool) -> None:
        self.request_id: Final = request_id
        self.admin: Final = admin
        self.fields: Final[dict[str, Any]] = {}
        self._wall: Final = time.perf_counter()
        self._cpu: Final = time.thread_time()

    def elapsed(self) -> tuple[float, float]:
        """The seconds of wall and CPU time since the request began."""
        return time.perf_counter() - self._wall, time.thread_time() - self._cpu


_record: Final[ContextVar[Record]] = ContextVar("record")


def begin_record(given_id: str, admin: bool) -> None:
    """Begin the record of a request; `given_id` is the caller's `X-Request-ID`, kept where it is well formed."""
    _record.set(Record(given_id if _GIVEN_ID.fullmatch(given_id) else _new_id(), admin))


def _new_id() -> str:
    # Unique is enough. `uuid4` would ask the kernel each time, and hand the interpreter to another thread meanwhile.
    return f"{random.getrandbits(128):032x}"


def current_record() -> Record:
    """The record of the request that is being handled."""
    return _record.get()


def note(**fields: object) -> None:
    """Add fields to the log line of the current request. Never the hand: a log is no place for a player's cards."""
    _record.get().fields.update(fields)


def create_logger(level: str, stream: TextIO) -> structlog.typing.FilteringBoundLogger:
    """A logger that writes its lines to `stream`, from `level` ("INFO") upwards."""
    logger: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(stream),
        processors=[_render],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # The first call makes the bound logger; without this every call does.
        cache_logger_on_first_use=True,
        pid=os.getpid(),
    )
    return logger


def _render(logger: object, level: str, event: structlog.typing.EventDict) -> str:
    """The line of an event: one step in place of structlog's four, as every request comes through here."""
    event["level"] = level
    event["time"] = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    if "exc_info" in event:
        event = format_exc_info(logger, level, event)
    return _ENCODER.encode(event)


def server_logging(level: str) -> dict[str, Any]:
    """A `logging` configuration that puts what gunicorn and the libraries say into lines of the same form."""
    formatter = {
        "()": ProcessorFormatter,
        "foreign_pre_chain": [add_log_level, add_logger_name, _TIME],
        "processors": [ProcessorFormatter.remove_processors_meta, format_exc_info, JSONRenderer()],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": formatter},
        "handlers": {"stdout": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stdout"}},
        "root": {"level": level, "handlers": ["stdout"]},
        # gunicorn gives these two handlers of their own; the root's is enough.
        "loggers": {name: {"handlers": [], "propagate": True} for name in ("gunicorn.error", "gunicorn.access")},
    }
