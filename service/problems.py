"""Problems: every answer outside 2xx is made here, as `application/problem+json` (RFC 9457)."""

import json
from collections.abc import Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from service.questions import Fault, InvalidRequest
from service.records import current_record, note
from service.schemas import MOST_FAULTS
from service.strict_json import MalformedJson

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


def problem(status: int, code: str | None = None, detail: str | None = None, faults: Sequence[Fault] = ()) -> Response:
    """A problem answer; code and detail come from the status where none are given. At most `MOST_FAULTS` are listed."""
    made = Response(mimetype=MEDIA_TYPE)
    _fill(made, status, code, detail, faults)
    return made


def _fill(answer: Response, status: int, code: str | None, detail: str | None, faults: Sequence[Fault]) -> None:
    body = _body(status, code, detail, current_record().request_id, faults)
    note(outcome=body["code"])
    answer.status_code = status
    answer.mimetype = MEDIA_TYPE
    answer.set_data(_encode(body) + "\n")


def _body(
    status: int, code: str | None, detail: str | None, request_id: str, faults: Sequence[Fault] = ()
) -> dict[str, Any]:
    phrase = HTTPStatus(status).phrase
    # A status that the contract does not name is told by its class.
    known_code, known_detail = _KNOWN.get(status) or (_KNOWN[500 if status >= 500 else 400][0], f"{phrase}.")
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": phrase,
        "status": status,
        "detail": detail or known_detail,
        "code": code or known_code,
        "request_id": request_id,
    }
    if faults:
        body["errors"] = [
            {"pointer": fault.pointer, "code": fault.code, "detail": fault.detail} for fault in faults[:MOST_FAULTS]
        ]
    return body


def problem_text(status: int, request_id: str) -> str:
    """The JSON of a problem that stands inside another answer."""
    return _encode(_body(status, None, None, request_id))


def malformed_json_text(error: MalformedJson, request_id: str) -> str:
    """The JSON of the problem that this is no JSON, inside another answer."""
    return _encode(_body(400, *_malformed(error), request_id))


def invalid_request_text(faults: Sequence[Fault], request_id: str) -> str:
    """The JSON of the problem with these faults, inside another answer."""
    return _encode(_body(422, None, _counted(faults), request_id, faults))


def _malformed(error: MalformedJson) -> tuple[str, str]:
    return "MALFORMED_JSON", f"The body is not the JSON that is asked for: {error}."


def _counted(faults: Sequence[Fault]) -> str:
    count = len(faults)
    if count > MOST_FAULTS:
        return f"The request has more than {MOST_FAULTS} faults, of which {MOST_FAULTS} are listed."
    return f"The request has {count} fault{'s'[: count > 1]}."


def _encode(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def unread_problem(status: int, code: str, detail: str | None, request_id: str, kept: bool) -> bytes:
    """The whole HTTP answer to what never became a request of the application; `kept` is the connection after it."""
    # The id, which is plain, stands last in the body: see `_body`.
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
    return "\r\n".join((*head, "")), _encode(_body(status, code, detail, "")).removesuffix('"}')


def register(app: Flask) -> None:
    """Let every error of `app` leave as a problem."""

    @app.errorhandler(MalformedJson)
    def malformed_json(error: MalformedJson) -> Response:
        return problem(400, *_malformed(error))

    @app.errorhandler(InvalidRequest)
    def invalid_request(error: InvalidRequest) -> Response:
        note(faults=sorted({fault.code for fault in error.faults}))
        return problem(422, detail=_counted(error.faults), faults=error.faults)

    @app.errorhandler(Exception)
    def internal(error: Exception) -> Response | HTTPException:
        if isinstance(error, HTTPException):
            return error
        note(exc_info=error)
        return problem(500)

    @app.after_request
    def as_problem(answer: Response) -> Response:
        """Flask's and werkzeug's own errors, redirects included, keep their headers (Allow) and get a problem body."""
        if answer.status_code >= 300 and answer.mimetype != MEDIA_TYPE:
            _fill(answer, answer.status_code, None, None, ())
        return answer
