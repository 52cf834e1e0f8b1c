"""JSON lines: the log as one JSON object a line, on standard output."""

import json
import logging
import os
import select
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, Final, TextIO

from structlog.processors import JSONRenderer, TimeStamper, format_exc_info
from structlog.stdlib import ProcessorFormatter, add_log_level, add_logger_name

from service.telemetry.events import RequestEvent

_TIME: Final = TimeStamper(fmt="iso", utc=True, key="time")
# Made once: `json.dumps` would make one for every line.
_ENCODER: Final = json.JSONEncoder(default=repr, separators=(",", ":"))
_LEVELS: Final = {logging.DEBUG: "debug", logging.INFO: "info", logging.WARNING: "warning", logging.ERROR: "error"}


def line_writer(level: str, stream: TextIO) -> Callable[[Sequence[RequestEvent], int], None]:
    """A function that writes to `stream`, in one write, a line for each event of `level` ("INFO") or above.

    Its second argument is the number of lines lost before these.
    """
    threshold = logging.getLevelNamesMapping()[level]

    def write(events: Sequence[RequestEvent], lost: int) -> None:
        lines = [_line(event) for event in events if _level(event) >= threshold]
        if lost:
            lines.insert(0, _lost_line(lost, events[0].ended))
        stream.write("".join(lines))
        stream.flush()

    return write


def _level(event: RequestEvent) -> int:
    return logging.ERROR if event.status >= 500 else logging.DEBUG if event.admin else logging.INFO


def _line(event: RequestEvent) -> str:
    # Not a dictionary that is encoded: every request comes through here, and that would be slower.
    head = _head(event.ended, _level(event), "request")
    times = f'"wall_ms":{event.wall * 1000:.3f},"cpu_ms":{event.cpu * 1000:.3f}'
    method, route = encode_basestring_ascii(event.method), event.route or "unmatched"
    others = f',"others":{event.others}' if event.others else ""
    return (
        f'{head},"method":{method},"route":"{route}","status":{event.status},{times}'
        f',"request_id":"{event.request_id}"{_cache(event.lookups)}{_fields(event.fields)}{others}}}\n'
    )


def _cache(lookups: Sequence[float | None]) -> str:
    """Hit or miss, where one hand was looked up."""
    if len(lookups) != 1:
        return ""
    return ',"cache":"hit"' if lookups[0] is None else ',"cache":"miss"'


def _lost_line(count: int, seconds: float) -> str:
    return f'{_head(seconds, logging.WARNING, "log lines were lost")},"count":{count}}}\n'


def _head(seconds: float, level: int, event: str) -> str:
    whole, microseconds = divmod(int(seconds * 1e6), 1_000_000)
    time = f"{_second(whole)}.{microseconds:06d}Z"
    return f'{{"time":"{time}","level":"{_LEVELS[level]}","event":"{event}","pid":{os.getpid()}'


@lru_cache(maxsize=8)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _fields(fields: dict[str, Any]) -> str:
    if "exc_info" in fields:
        fields = dict(format_exc_info(None, "", fields))
    return "," + _ENCODER.encode(fields)[1:-1] if fields else ""


class LineHandler(logging.StreamHandler[TextIO]):
    """Writes the server's own log lines, and drops a line if it would have to wait for a reader."""

    def emit(self, record: logging.LogRecord) -> None:
        if _has_room(self.stream):
            super().emit(record)


def _has_room(stream: TextIO) -> bool:
    """Whether a pipe has room for a line; what is no pipe always has."""
    try:
        poll = select.poll()
        poll.register(stream, select.POLLOUT)
        return bool(poll.poll(0))
    except (OSError, ValueError):
        return True


def server_logging(level: str) -> dict[str, Any]:
    """A `logging` configuration that writes the log of gunicorn and of the libraries as lines of the same form."""
    formatter = {
        "()": ProcessorFormatter,
        "foreign_pre_chain": [add_log_level, add_logger_name, _TIME],
        "processors": [ProcessorFormatter.remove_processors_meta, format_exc_info, JSONRenderer()],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": formatter},
        "handlers": {"stdout": {"()": LineHandler, "formatter": "json", "stream": "ext://sys.stdout"}},
        "root": {"level": level, "handlers": ["stdout"]},
        # gunicorn gives these two loggers handlers of their own, which would repeat each line.
        "loggers": {name: {"handlers": [], "propagate": True} for name in ("gunicorn.error", "gunicorn.access")},
    }
