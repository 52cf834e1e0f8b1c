"""API: the routes that game backends call. A view reads the question, asks the core, and writes the verdict."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from flask import Blueprint, Response, abort, request
from werkzeug.exceptions import HTTPException

from service.keys import KeyRing
from service.notary import Notary
from service.questions import read_question
from service.records import Given, current_record, note
from service.rules import RuleSet
from service.schemas import dump_rule_set
from service.strict_json import read_json
from service.verdict import Question, Solve, Verdict, judge_show, score_hand

# A request with a full hand in groups takes some 300 bytes.
MAX_BODY_BYTES: Final = 64 * 1024
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
# A body over the limit is read so far before it is refused: gunicorn closes a connection with more than 64 KiB unread.
MAX_READ_BYTES: Final = 1024 * 1024


def create_api(
    rule_sets: Mapping[str, RuleSet], solve: Solve, contract: bytes, notary: Notary, keys: KeyRing
) -> Blueprint:
    """The API over these rule sets; `contract` is the text of `openapi.yaml`."""
    api = Blueprint("api", __name__)

    def answer(judge: Callable[[Question, Solve], Verdict]) -> Response:
        question = read_question(read_json(_read_body()), rule_sets)
        note(rule_set=question.rules.name)
        verdict = judge(question, solve)
        outcome = _outcome(verdict)
        note(outcome=outcome)
        codes = tuple(reason.code for reason in verdict.reasons)
        current_record().verdicts.append(Given(question.rules.name, outcome, codes))
        return _json(notary.write(verdict))

    @api.post("/validate")
    def validate() -> Response:
        return answer(judge_show)

    @api.post("/score")
    def score() -> Response:
        return answer(score_hand)

    @api.post("/verify")
    def verify() -> Response:
        text = notary.verify(read_json(_read_body()))
        note(outcome="VERIFIED")
        return _json(text)

    @api.get("/keys")
    def show_keys() -> Response:
        return _json(_ENCODER.encode(keys.jwks))

    @api.get("/rule-sets")
    def list_rule_sets() -> Response:
        listed = [{**dump_rule_set(rules), "title": rules.title} for rules in rule_sets.values()]
        return _json(_ENCODER.encode({"rule_sets": listed}))

    @api.get("/rule-sets/<name>")
    def show_rule_set(name: str) -> Response:
        rules = rule_sets.get(name) or abort(404)
        return _json(_ENCODER.encode({**rules.parameters, "digest": rules.digest}))

    @api.get("/openapi.yaml")
    def show_contract() -> Response:
        return Response(contract, mimetype="application/yaml")

    return api


def _read_body() -> bytes:
    if request.environ.get("CONTENT_TYPE") != "application/json" or request.content_encoding:
        _check_media_type()
    try:
        length = request.environ.get("CONTENT_LENGTH", "")
        if length.isdecimal() and int(length) <= MAX_BODY_BYTES:
            # The usual case, without the wrappers that guard against a body of another length.
            body: bytes = request.environ["wsgi.input"].read(int(length))
            if len(body) < int(length):
                abort(400)  # cut off: what came could still be JSON, and another question
        else:
            body = request.get_data(cache=False)
    except HTTPException:
        raise
    except Exception:  # noqa: BLE001
        # What a server raises for broken chunks has no common type; the sender is at fault, not this service.
        abort(400)
    if len(body) > MAX_BODY_BYTES:
        abort(413)
    return body


def _check_media_type() -> None:
    charset = request.mimetype_params.get("charset", "utf-8")
    if request.mimetype != "application/json" or charset.lower() != "utf-8" or request.content_encoding:
        abort(415)


def _outcome(verdict: Verdict) -> str:
    if verdict.wrong_show is None:
        return "SCORED"
    return "WRONG_SHOW" if verdict.wrong_show else "VALID_SHOW"


def _json(text: str) -> Response:
    return Response(text + "\n", content_type="application/json")
