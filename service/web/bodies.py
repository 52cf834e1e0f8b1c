"""Bodies: the JSON of a request, and the JSON of an answer."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from flask import Response, abort, request
from werkzeug.exceptions import HTTPException

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def read_body(limit: int) -> bytes:
    """The JSON body of the current request, of at most `limit` bytes; aborts with 400, 413 or 415."""
    if request.environ.get("CONTENT_TYPE") != "application/json" or request.content_encoding:
        _check_media_type()
    if request.environ.get("HTTP_TRANSFER_ENCODING", "chunked").lower() != "chunked":
        abort(415)  # compressed on the way; the server does not undo that
    try:
        length = request.environ.get("CONTENT_LENGTH", "")
        if length.isdecimal() and int(length) <= limit:
            # The usual case, without the wrappers that guard against a body of another length.
            body: bytes = request.environ["wsgi.input"].read(int(length))
            if len(body) < int(length):
                abort(400)  # cut off: what came could still be JSON, and another question
        else:
            # One byte more shows that it is too long: Flask cuts a chunked body off without an error.
            request.max_content_length = limit + 1
            body = request.get_data(cache=False)
    except HTTPException:
        raise
    except Exception:  # noqa: BLE001
        # What a server raises for broken chunks has no common type; the sender is at fault, not this service.
        abort(400)
    if len(body) > limit:
        abort(413)
    return body


def _check_media_type() -> None:
    charset = request.mimetype_params.get("charset", "utf-8")
    if request.mimetype != "application/json" or charset.lower() != "utf-8" or request.content_encoding:
        abort(415)


class _Finished(Response):
    """An answer with nothing left to find out when it is sent, nor to be done afterwards."""

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        start_response(self.status, self.headers.to_wsgi_list())
        return () if environ["REQUEST_METHOD"] == "HEAD" else self.response  # type: ignore[return-value]


def text_response(text: str) -> Response:
    """The answer with a JSON text."""
    return _Finished(text + "\n", content_type="application/json")


def json_response(value: object) -> Response:
    """The answer with a value as compact JSON."""
    return text_response(_ENCODER.encode(value))
