"""Admin: the routes of the second port, for operators: probes, metrics and version."""

import platform
import time
from collections.abc import Mapping
from typing import Final

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_LATEST

from service.game.rules import RuleSet
from service.startup.build import is_compiled, load_version
from service.telemetry.metrics import Metrics
from service.telemetry.request_log import PAUSE_SECONDS, RequestLog
from service.web.bodies import json_response
from service.web.errors import problem_response
from service.wire.problems import status_problem

ADMIN_PATHS: Final = frozenset({"/livez", "/readyz", "/metrics", "/version"})


def create_admin(rule_sets: Mapping[str, RuleSet], metrics: Metrics, request_log: RequestLog, ready: bool) -> Blueprint:
    """The routes of the admin port; `ready` is the result of the self check."""
    admin = Blueprint("admin", __name__)
    about = {
        "version": load_version(),
        "python": platform.python_version(),
        "compiled": is_compiled(),
        "rule_sets": [rules.reference for rules in rule_sets.values()],
    }

    @admin.get("/livez")
    def livez() -> Response:
        return json_response({"status": "ok"})

    @admin.get("/readyz")
    def readyz() -> Response:
        return json_response({"status": "ready"}) if ready else problem_response(status_problem(503))

    @admin.get("/metrics")
    def show_metrics() -> Response:
        request_log.count()
        # How long the other workers may take to count what they have answered.
        time.sleep(2 * PAUSE_SECONDS)
        return Response(metrics.text(), content_type=CONTENT_TYPE_LATEST)

    @admin.get("/version")
    def show_version() -> Response:
        return json_response(about)

    return admin
