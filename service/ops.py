"""Operations: probes, metrics and version on the admin port, and what is done around every request."""

import json
import platform
import time
from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Flask, Response, abort, request
from prometheus_client import CONTENT_TYPE_LATEST

from service.cards import NATURAL_CARDS, parse_card
from service.config import is_compiled, load_version
from service.metrics import Metrics
from service.problems import problem
from service.records import PAUSE_SECONDS, Recorder, begin_record, current_record
from service.rules import RuleSet
from service.schemas import dump_rule_set
from service.verdict import Solve

ADMIN_PATHS: Final = frozenset({"/livez", "/readyz", "/metrics", "/version"})
# Every rule set takes the thirteen spades as a show, and finds nothing at all in the hand without a pair or a run.
_SHOW: Final = NATURAL_CARDS[:13]
_NOTHING: Final = tuple(map(parse_card, ("AS", "4S", "9S", "QS", "3H", "6H", "JH", "5D", "8D", "KD", "2C", "7C", "TC")))


def solves_right(rule_sets: Mapping[str, RuleSet], solve: Solve) -> bool:
    """Whether two known hands, a show and one with nothing in it, come out right under every rule set."""
    return all(_show_is_found(rules, solve) and _nothing_is_found(rules, solve) for rules in rule_sets.values())


def _show_is_found(rules: RuleSet, solve: Solve) -> bool:
    best = solve(_SHOW, None, rules)
    return best.declarable and best.points == 0


def _nothing_is_found(rules: RuleSet, solve: Solve) -> bool:
    best = solve(_NOTHING, None, rules)
    total = sum(rules.values)
    return not best.declarable and best.points == (total if rules.cap is None else min(total, rules.cap))


def create_admin(rule_sets: Mapping[str, RuleSet], metrics: Metrics, recorder: Recorder, ready: bool) -> Blueprint:
    """The routes of the admin port."""
    admin = Blueprint("admin", __name__)
    about = {
        "version": load_version(),
        "python": platform.python_version(),
        "compiled": is_compiled(),
        "rule_sets": [dump_rule_set(rules) for rules in rule_sets.values()],
    }

    @admin.get("/livez")
    def livez() -> Response:
        return _json({"status": "ok"})

    @admin.get("/readyz")
    def readyz() -> Response:
        return _json({"status": "ready"}) if ready else problem(503)

    @admin.get("/metrics")
    def show_metrics() -> Response:
        recorder.count()
        # So long the other workers may take to count what they have answered.
        time.sleep(2 * PAUSE_SECONDS)
        return Response(metrics.text(), content_type=CONTENT_TYPE_LATEST)

    @admin.get("/version")
    def show_version() -> Response:
        return _json(about)

    return admin


def _json(body: Mapping[str, Any]) -> Response:
    return Response(json.dumps(body, separators=(",", ":")) + "\n", mimetype="application/json")


def observe(app: Flask, recorder: Recorder, admin_port: int) -> None:
    """Keep the two ports apart; give every answer its headers, and put down what there is to tell of it."""

    @app.before_request
    def begin() -> None:
        environ, rule = request.environ, request.url_rule
        # The server fills in SERVER_PORT from its socket; a forged Host header does not change it.
        admin = environ["SERVER_PORT"] == str(admin_port)
        route = None if rule is None else rule.rule
        path = environ["PATH_INFO"]
        # Routing drops leading slashes: "//metrics" would pass for another path here, and reach /metrics there.
        hidden = path.startswith("//") or admin != (path in ADMIN_PATHS or route in ADMIN_PATHS)
        given_id, method = environ.get("HTTP_X_REQUEST_ID", ""), environ["REQUEST_METHOD"]
        begin_record(given_id, method, None if hidden else route, admin)
        if hidden:
            abort(404)

    @app.after_request
    def finish(answer: Response) -> Response:
        record = current_record()
        answer.headers["X-Request-ID"] = record.request_id
        answer.headers["Cache-Control"] = "no-store"
        record.end(answer.status_code)
        recorder.put(record)
        return answer
