"""Problems: the JSON of every answer outside 2xx (RFC 9457), from its status, code, detail and faults."""

import json
from collections.abc import Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from service.limits import MAX_FAULTS
from service.wire.faults import Fault
from service.wire.strict_json import MalformedJson

MEDIA_TYPE: Final = "application/problem+json"

# Code and detail for the statuses of the contract; a detail of its own may stand in for the one given here.
_KNOWN: Final = {
    400: ("BAD_REQUEST", "The request could not be read."),
    404: ("NOT_FOUND", "There is nothing here."),
    405: ("METHOD_NOT_ALLOWED", "This path has no such method; the Allow header names those that it has."),
    408: ("REQUEST_TIMEOUT", "The request had not arrived in time."),
    413: ("BODY_TOO_LARGE", "The body is too long: at most 64 KiB are read, and 2 MiB on /batch."),
    415: ("UNSUPPORTED_MEDIA_TYPE", "The body must be application/json in UTF-8, not compressed."),
    422: ("INVALID_REQUEST", "The request was understood, but it is faulty."),
    500: ("INTERNAL", "The fault is on this side; the log has it under this request id."),
    503: ("NOT_READY", "A known hand is not solved right, so no verdict would be safe."),
}


class Problem:
    """A problem: its status, code and detail, which come from the status where none are given, and its faults."""

    def __init__(
        self, status: int, code: str | None = None, detail: str | None = None, faults: Sequence[Fault] = ()
    ) -> None:
        self.title: Final = HTTPStatus(status).phrase
        # A status that the contract does not name has the code of its class.
        known_code, known_detail = _KNOWN.get(status) or (_KNOWN[500 if status >= 500 else 400][0], f"{self.title}.")
        self.status: Final = status
        self.code: Final = code or known_code
        self.detail: Final = detail or known_detail
        self.faults: Final = faults

    def text(self, request_id: str) -> str:
        """The problem as compact JSON; at most `MAX_FAULTS` faults are listed."""
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "request_id": request_id,
        }
        if self.faults:
            listed = self.faults[:MAX_FAULTS]
            body["errors"] = [{"pointer": each.pointer, "code": each.code, "detail": each.detail} for each in listed]
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def malformed_json(error: MalformedJson) -> Problem:
    """The body is no JSON."""
    return Problem(400, "MALFORMED_JSON", f"The body is not the JSON that is asked for: {error}.")


def invalid_request(faults: Sequence[Fault]) -> Problem:
    """The body is JSON, with these faults."""
    count = len(faults)
    detail = f"The request has {count} fault{'s'[: count > 1]}."
    if count > MAX_FAULTS:
        detail = f"The request has more than {MAX_FAULTS} faults, of which {MAX_FAULTS} are listed."
    return Problem(422, detail=detail, faults=faults)


def unread_problem(status: int, code: str, detail: str | None, request_id: str, kept: bool) -> bytes:
    """The whole HTTP answer to what never became a request of the application; `kept` is the connection after it."""
    # The id, which is plain, stands last in the body: see `Problem.text`.
    head, body = _unread(status, code, detail, kept)
    text = f'{body}{request_id}"}}\n'
    return f"{head}Content-Length: {len(text)}\r\nX-Request-ID: {request_id}\r\n\r\n{text}".encode()


@lru_cache
def _unread(status: int, code: str, detail: str | None, kept: bool) -> tuple[str, str]:
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"Content-Type: {MEDIA_TYPE}",
        "Cache-Control: no-store",
        f"Connection: {'keep-alive' if kept else 'close'}",
        *(["Retry-After: 1"] if status == HTTPStatus.SERVICE_UNAVAILABLE else []),
    )
    return "\r\n".join((*head, "")), Problem(status, code, detail).text("").removesuffix('"}')
