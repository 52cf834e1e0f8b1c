"""The application: the engine, the routes, the hooks and the request log, put together."""

import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

from flask import Flask, Request
from flask.sessions import SecureCookieSession, SessionInterface
from werkzeug.routing import MapAdapter

from service.game.verdict import best_arrangement
from service.startup.engine import create_engine
from service.startup.state import State, load_state
from service.telemetry.events import current_event
from service.telemetry.json_lines import line_writer
from service.telemetry.metrics import FOLDER, create_metrics
from service.telemetry.request_log import RequestLog
from service.web.admin import create_admin
from service.web.api import create_api
from service.web.errors import register_errors
from service.web.request_hooks import register_hooks
from service.web.self_check import solves_right
from service.web.solve_cache import SolveCache


class _NoSession(SessionInterface):
    """Requests have nothing in common, and no cookie is read."""

    _none = SecureCookieSession()

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:  # noqa: ARG002
        return self._none

    def is_null_session(self, obj: object) -> bool:
        return obj is self._none


class _Application(Flask):
    """Flask without what it would find out anew for every request."""

    session_interface = _NoSession()

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """No route here asks for a host, and no URL is built: what Flask would read from the request is left out."""
        if request is None:
            return None
        environ = request.environ
        return self.url_map.bind("", path_info=environ["PATH_INFO"], default_method=environ["REQUEST_METHOD"])

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """No view and no hook here is a coroutine."""
        return func


def create_app(
    state: State | None = None, log_stream: TextIO | None = None, metrics_folder: str | None = None
) -> Flask:
    """The WSGI application; by default as the environment sets it, with its log on standard output.

    `metrics_folder` is where the workers of a server share their metrics. Raises `StartError` for a faulty setting, key
    or rule-set file in the environment.
    """
    if state is None:
        state, metrics_folder = load_state(), metrics_folder or os.environ.get(FOLDER)

    def report(solver_seconds: float | None) -> None:
        current_event().lookups.append(solver_seconds)

    cache = SolveCache(best_arrangement, state.settings.cache_size, report)
    metrics = create_metrics(metrics_folder)
    request_log = RequestLog(
        lambda events: metrics.count(events, len(cache)),
        line_writer(state.settings.log_level, log_stream or sys.stdout),
    )
    app = _Application(__name__, static_folder=None)
    # A method that a path does not name is 405, OPTIONS too: callers are servers, there is no CORS to ask about.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    # One spelling for each path: the others are 404, not a redirect.
    app.url_map.merge_slashes = False
    # Hooks after a request run last one first: an error becomes a problem before it is measured.
    register_hooks(app, request_log, state.settings.admin_port)
    register_errors(app)
    app.register_blueprint(create_api(state, create_engine(state, cache)))
    ready = solves_right(state.rule_sets, best_arrangement)
    app.register_blueprint(create_admin(state.rule_sets, metrics, request_log, ready))
    # For the server, which puts events of its own, and flushes it at the end.
    app.extensions["request_log"] = request_log
    return app
