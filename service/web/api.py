"""API: the routes that game backends call. A view reads the body, has it answered, and annotates the request event."""

import time
from typing import Final

from flask import Blueprint, Response

from service.game.verdict import Operation
from service.limits import MAX_BATCH_BYTES, MAX_BODY_BYTES
from service.startup.engine import Engine
from service.startup.state import State
from service.telemetry.events import annotate, current_event
from service.web.bodies import json_response, read_body, text_response
from service.web.errors import problem_response
from service.wire.batch import answer_batch
from service.wire.operations import Operate
from service.wire.problems import Problem
from service.wire.strict_json import read_json

# How long a batch goes on before single calls have their turn: as long as two or three of them take.
TURN_SECONDS: Final = 0.001


def create_api(state: State, engine: Engine) -> Blueprint:
    """The routes of the API port, over the rule sets, keys and contract of `state`."""
    api = Blueprint("api", __name__)
    operations = engine.operations

    @api.post("/validate")
    def validate() -> Response:
        return _answer(operations[Operation.VALIDATE])

    @api.post("/score")
    def score() -> Response:
        return _answer(operations[Operation.SCORE])

    @api.post("/settle")
    def settle() -> Response:
        return _answer(operations[Operation.SETTLE])

    @api.post("/batch")
    def batch() -> Response:
        event = current_event()
        answer = answer_batch(read_json(read_body(MAX_BATCH_BYTES)), operations, event.request_id, _Turns().pause)
        event.verdicts.extend(answer.verdicts)
        annotate(outcome="ANSWERED", verdicts=len(answer.verdicts), faulty=answer.faulty)
        return text_response(answer.text)

    @api.post("/verify")
    def verify() -> Response:
        text = engine.writer.verify(read_json(read_body(MAX_BODY_BYTES)))
        annotate(outcome="VERIFIED")
        return text_response(text)

    @api.get("/keys")
    def show_keys() -> Response:
        return json_response(state.keys.jwks)

    @api.get("/rule-sets")
    def list_rule_sets() -> Response:
        listed = [{**rules.reference, "title": rules.title} for rules in state.rule_sets.values()]
        return json_response({"rule_sets": listed})

    @api.get("/rule-sets/<name>")
    def show_rule_set(name: str) -> Response:
        rules = state.rule_sets.get(name)
        if rules is None:
            return problem_response(Problem(404, "NOT_FOUND.RULE_SET", {"known": list(state.rule_sets)}))
        return json_response({**rules.parameters, "digest": rules.digest})

    @api.get("/openapi.yaml")
    def show_contract() -> Response:
        return Response(state.contract, mimetype="application/yaml")

    return api


def _answer(operate: Operate) -> Response:
    answer = operate(read_json(read_body(MAX_BODY_BYTES)))
    current_event().verdicts.extend(answer.verdicts)
    annotate(rule_set=answer.rule_set, outcome=answer.outcome)
    return text_response(answer.text)


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
