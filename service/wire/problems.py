"""Problems: the JSON of every answer outside 2xx (RFC 9457), from its status, key, details and faults."""

import json
from collections.abc import Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from service.limits import MAX_BATCH_BYTES, MAX_BODY_BYTES, MAX_FAULTS
from service.wire.faults import Fault
from service.wire.messages.problems import problem_message
from service.wire.messages.sentences import NO_DETAILS, Details
from service.wire.strict_json import MalformedJson

MEDIA_TYPE: Final = "application/problem+json"


class Problem:
    """A problem: its status, the key of its message, the details that the message names, and its faults."""

    def __init__(self, status: int, key: str, details: Details = NO_DETAILS, faults: Sequence[Fault] = ()) -> None:
        self.status: Final = status
        self.title: Final = HTTPStatus(status).phrase
        self.key: Final = key
        self.details: Final = details
        self.faults: Final = faults

    @property
    def code(self) -> str:
        """What the contract calls the problem; the key may go on with a variant of its message."""
        return self.key.partition(".")[0]

    @property
    def detail(self) -> str:
        """The sentence about the problem."""
        return problem_message(self.key, self.details)

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


# The problems that a status alone stands for.
_OF_STATUS: Final = {
    problem.status: problem
    for problem in (
        Problem(400, "BAD_REQUEST"),
        Problem(404, "NOT_FOUND"),
        Problem(405, "METHOD_NOT_ALLOWED"),
        Problem(408, "REQUEST_TIMEOUT"),
        Problem(413, "BODY_TOO_LARGE", {"most": MAX_BODY_BYTES, "most_of_batch": MAX_BATCH_BYTES}),
        Problem(415, "UNSUPPORTED_MEDIA_TYPE"),
        Problem(422, "INVALID_REQUEST"),
        Problem(500, "INTERNAL"),
        Problem(503, "NOT_READY"),
    )
}


def status_problem(status: int) -> Problem:
    """The problem that a status stands for; one that the contract does not name has the code of its class."""
    title = HTTPStatus(status).phrase
    return _OF_STATUS.get(status) or Problem(
        status, "INTERNAL.OTHER" if status >= 500 else "BAD_REQUEST.OTHER", {"title": title}
    )


def malformed_json(error: MalformedJson) -> Problem:
    """The body is no JSON."""
    return Problem(400, error.key, error.details)


def invalid_request(faults: Sequence[Fault]) -> Problem:
    """The body is JSON, with these faults."""
    count = len(faults)
    if count > MAX_FAULTS:
        return Problem(422, "INVALID_REQUEST.MORE", {"most": MAX_FAULTS}, faults)
    return Problem(422, "INVALID_REQUEST.ONE" if count == 1 else "INVALID_REQUEST.MANY", {"count": count}, faults)


def unread_problem(problem: Problem, request_id: str, kept: bool) -> bytes:
    """The whole HTTP answer to what never became a request of the application; `kept` is the connection after it."""
    # The id, which is plain, stands last in the body: see `Problem.text`.
    head, body = _unread(problem, kept)
    text = f'{body}{request_id}"}}\n'
    return f"{head}Content-Length: {len(text)}\r\nX-Request-ID: {request_id}\r\n\r\n{text}".encode()


@lru_cache
def _unread(problem: Problem, kept: bool) -> tuple[str, str]:
    head = (
        f"HTTP/1.1 {problem.status} {problem.title}",
        f"Content-Type: {MEDIA_TYPE}",
        "Cache-Control: no-store",
        f"Connection: {'keep-alive' if kept else 'close'}",
        *(["Retry-After: 1"] if problem.status == HTTPStatus.SERVICE_UNAVAILABLE else []),
    )
    return "\r\n".join((*head, "")), problem.text("").removesuffix('"}')
