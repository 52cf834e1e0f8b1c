"""Logs: JSON, one object a line, on standard output. What a request has to tell is noted while it is handled."""

import os
import re
import uuid
from typing import Any, Final, TextIO

import structlog
from flask import g, request
from structlog.processors import JSONRenderer, TimeStamper, format_exc_info
from structlog.stdlib import ProcessorFormatter, add_log_level, add_logger_name

_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_TIME: Final = TimeStamper(fmt="iso", utc=True, key="time")


def create_logger(level: str, stream: TextIO) -> structlog.typing.FilteringBoundLogger:
    """A logger that writes its lines to `stream`, from `level` ("INFO") upwards."""
    logger: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(stream),
        processors=[add_log_level, _TIME, format_exc_info, JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        pid=os.getpid(),
    )
    return logger


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


def request_id() -> str:
    """The id of the current request: the caller's `X-Request-ID` where it is well formed, else a new one."""
    if "request_id" not in g:
        given = request.headers.get("X-Request-ID", "")
        g.request_id = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
    made: str = g.request_id
    return made


def note(**fields: object) -> None:
    """Add fields to the log line of the current request. Never the hand: a log is no place for a player's cards."""
    noted().update(fields)


def noted() -> dict[str, Any]:
    """What has been noted for the current request so far."""
    if "noted" not in g:
        g.noted = {}
    fields: dict[str, Any] = g.noted
    return fields
