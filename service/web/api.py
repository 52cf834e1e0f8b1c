"""API: the routes that game backends call. A view reads the body, has it answered, and annotates the request event."""

import json
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response, abort, request
from werkzeug.exceptions import HTTPException

from service.game.verdict import Operation
from service.limits import MAX_BATCH_BYTES, MAX_BODY_BYTES
from service.startup.engine import Engine
from service.startup.state import State
from service.telemetry.events import annotate, current_event
from service.web.errors import problem_response
from service.wire.batch import answer_batch
from service.wire.operations import Call
from service.wire.problems import Problem
from service.wire.schemas import dump_rule_set
from service.wire.strict_json import read_json

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

# How long a batch goes on before single calls have their turn: as long as two or three of them take.
TURN_SECONDS: Final = 0.001
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def create_api(state: State, engine: Engine) -> Blueprint:
    """The routes of the API port, over the rule sets, keys and contract of `state`."""
    api = Blueprint("api", __name__)
    calls = engine.calls

    @api.post("/validate")
    def validate() -> Response:
        return _answer(calls[Operation.VALIDATE])

    @api.post("/score")
    def score() -> Response:
        return _answer(calls[Operation.SCORE])

    @api.post("/settle")
    def settle() -> Response:
        return _answer(calls[Operation.SETTLE])

    @api.post("/batch")
    def batch() -> Response:
        event = current_event()
        answer = answer_batch(read_json(_read_body(MAX_BATCH_BYTES)), calls, event.request_id, _Turns().pause)
        event.verdicts.extend(answer.verdicts)
        annotate(outcome="ANSWERED", verdicts=len(answer.verdicts), faulty=answer.faulty)
        return _json(answer.text)

    @api.post("/verify")
    def verify() -> Response:
        text = engine.writer.verify(read_json(_read_body(MAX_BODY_BYTES)))
        annotate(outcome="VERIFIED")
        return _json(text)

    @api.get("/keys")
    def show_keys() -> Response:
        return _json(_ENCODER.encode(state.keys.jwks))

    @api.get("/rule-sets")
    def list_rule_sets() -> Response:
        listed = [{**dump_rule_set(rules), "title": rules.title} for rules in state.rule_sets.values()]
        return _json(_ENCODER.encode({"rule_sets": listed}))

    @api.get("/rule-sets/<name>")
    def show_rule_set(name: str) -> Response:
        rules = state.rule_sets.get(name)
        if rules is None:
            known = ", ".join(state.rule_sets)
            return problem_response(Problem(404, detail=f"There is no such rule set; there are {known}."))
        return _json(_ENCODER.encode({**rules.parameters, "digest": rules.digest}))

    @api.get("/openapi.yaml")
    def show_contract() -> Response:
        return Response(state.contract, mimetype="application/yaml")

    return api


def _answer(call: Call) -> Response:
    answer = call(read_json(_read_body(MAX_BODY_BYTES)))
    current_event().verdicts.extend(answer.verdicts)
    annotate(rule_set=answer.rule_set, outcome=answer.outcome)
    return _json(answer.text)


class _Turns:
    """Lets other threads have the interpreter every now and then, which a batch would else keep for 5 ms at a time."""

    def __init__(self) -> None:
        self._next = time.perf_counter() + TURN_SECONDS

    def pause(self) -> None:
        """Hand over if this thread has had its turn."""
        if time.perf_counter() > self._next:
            # Sleeping for no time is enough.
            time.sleep(0)
            self._next = time.perf_counter() + TURN_SECONDS


def _read_body(limit: int) -> bytes:
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
            # One byte more tells that it is too long: a chunked body is cut off here without a word.
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


def _json(text: str) -> Response:
    return _Finished(text + "\n", content_type="application/json")
