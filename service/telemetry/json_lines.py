"""Logs: JSON, one object a line, on standard output."""

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

from service.telemetry.request_log import Record

_TIME: Final = TimeStamper(fmt="iso", utc=True, key="time")
# Made once: `json.dumps` makes one for every line.
_ENCODER: Final = json.JSONEncoder(default=repr, separators=(",", ":"))
_LEVELS: Final = {logging.DEBUG: "debug", logging.INFO: "info", logging.WARNING: "warning", logging.ERROR: "error"}


def line_writer(level: str, stream: TextIO) -> Callable[[Sequence[Record], int], None]:
    """A function that writes a line to `stream` for each record from `level` ("INFO") upwards, all in one go.

    The second argument is the number of lines that were lost before.
    """
    threshold = logging.getLevelNamesMapping()[level]

    def write(records: Sequence[Record], lost: int) -> None:
        lines = [_line(record) for record in records if _level(record) >= threshold]
        if lost:
            lines.insert(0, _lost(lost, records[0].ended))
        stream.write("".join(lines))
        stream.flush()

    return write


def _level(record: Record) -> int:
    return logging.ERROR if record.status >= 500 else logging.DEBUG if record.admin else logging.INFO


def _line(record: Record) -> str:
    # In one go, as every request comes through here: a dictionary and its encoding would take three times as long.
    head = _head(record.ended, _level(record), "request")
    spent = f'"wall_ms":{record.wall * 1000:.3f},"cpu_ms":{record.cpu * 1000:.3f}'
    method, route = encode_basestring_ascii(record.method), record.route or "unmatched"
    cache = ""
    if len(record.lookups) == 1:
        cache = ',"cache":"hit"' if record.lookups[0] is None else ',"cache":"miss"'
    others = f',"others":{record.others}' if record.others else ""
    return (
        f'{head},"method":{method},"route":"{route}","status":{record.status},{spent}'
        f',"request_id":"{record.request_id}"{cache}{_fields(record.fields)}{others}}}\n'
    )


def _lost(count: int, seconds: float) -> str:
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
    """A line of the server's own log; where it would have to wait for a reader, there is none."""

    def emit(self, record: logging.LogRecord) -> None:
        if _takes(self.stream):
            super().emit(record)


def _takes(stream: TextIO) -> bool:
    """Whether a pipe has room for a line, or what it is can be written to at any time."""
    try:
        poll = select.poll()
        poll.register(stream, select.POLLOUT)
        return bool(poll.poll(0))
    except (OSError, ValueError):
        return True


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
        "handlers": {"stdout": {"()": LineHandler, "formatter": "json", "stream": "ext://sys.stdout"}},
        "root": {"level": level, "handlers": ["stdout"]},
        # gunicorn gives these two handlers of their own; the root's is enough.
        "loggers": {name: {"handlers": [], "propagate": True} for name in ("gunicorn.error", "gunicorn.access")},
    }
