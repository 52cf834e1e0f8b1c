"""The application: everything is put together here, and nowhere else."""

import sys
from collections.abc import Callable
from typing import Any, TextIO

from flask import Flask

from service import api, ops, problems
from service.cache import SolveCache
from service.config import Settings, load_contract, load_rule_sets, load_settings
from service.logs import create_logger, note
from service.metrics import Metrics
from service.verdict import best_arrangement


class _Application(Flask):
    """Flask, told that no view and no hook here is a coroutine: it would look again at every call."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


def create_app(settings: Settings | None = None, log_stream: TextIO | None = None) -> Flask:
    """The WSGI application, by default as the environment sets it, with its log on standard output.

    Raises `StartError` for a faulty setting or rule-set file.
    """
    settings = settings or load_settings()
    rule_sets = load_rule_sets()
    metrics = Metrics()

    def report(solver_seconds: float | None) -> None:
        metrics.count_lookup(solver_seconds, len(cache))
        note(cache="hit" if solver_seconds is None else "miss")

    cache = SolveCache(best_arrangement, settings.cache_size, report)
    app = _Application(__name__, static_folder=None)
    # Not the limit itself: werkzeug cuts a chunked body off here without a word, so the API measures what it reads.
    app.config["MAX_CONTENT_LENGTH"] = api.MAX_READ_BYTES
    # A method that a path does not name is 405, OPTIONS too: callers are servers, there is no CORS to ask about.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    # One spelling for each path: the others are 404, not a redirect.
    app.url_map.merge_slashes = False
    # Hooks after a request run last one first: an error becomes a problem before it is measured.
    ops.observe(app, create_logger(settings.log_level, log_stream or sys.stdout), metrics, settings.admin_port)
    problems.register(app)
    app.register_blueprint(api.create_api(rule_sets, cache, metrics, load_contract()))
    app.register_blueprint(ops.create_admin(rule_sets, metrics, ops.solves_right(rule_sets, best_arrangement)))
    return app
