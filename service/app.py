"""The application: everything is put together here, and nowhere else."""

import sys
from collections.abc import Callable
from typing import Any, TextIO

from flask import Flask, Request
from flask.sessions import SecureCookieSession, SessionInterface
from werkzeug.routing import MapAdapter

from service import api, ops, problems
from service.cache import SolveCache
from service.calls import create_calls
from service.config import Settings, load_keys, load_state, load_version
from service.logs import line_writer
from service.metrics import create_metrics
from service.notary import Notary
from service.records import Recorder, current_record
from service.verdict import best_arrangement


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


def create_app(settings: Settings | None = None, log_stream: TextIO | None = None) -> Flask:
    """The WSGI application, by default as the environment sets it, with its log on standard output.

    Raises `StartError` for a faulty setting, key or rule-set file.
    """
    state = load_state()
    keys = state.keys if settings is None else load_keys(settings)
    settings = settings or state.settings

    def report(solver_seconds: float | None) -> None:
        current_record().lookups.append(solver_seconds)

    cache = SolveCache(best_arrangement, settings.cache_size, report)
    metrics = create_metrics()
    recorder = Recorder(
        lambda records: metrics.count(records, len(cache)),
        line_writer(settings.log_level, log_stream or sys.stdout),
    )
    app = _Application(__name__, static_folder=None)
    # A method that a path does not name is 405, OPTIONS too: callers are servers, there is no CORS to ask about.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    # One spelling for each path: the others are 404, not a redirect.
    app.url_map.merge_slashes = False
    # Hooks after a request run last one first: an error becomes a problem before it is measured.
    ops.observe(app, recorder, settings.admin_port)
    problems.register(app)
    notary = Notary(state.rule_sets, cache, load_version(), keys)
    calls = create_calls(state.rule_sets, cache, notary.write)
    app.register_blueprint(api.create_api(state.rule_sets, calls, notary, keys, state.contract))
    app.register_blueprint(
        ops.create_admin(state.rule_sets, metrics, recorder, ops.solves_right(state.rule_sets, best_arrangement))
    )
    # For whoever ends the process, or must see now what was told.
    app.extensions["recorder"] = recorder
    return app
