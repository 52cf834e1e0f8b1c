"""Request hooks: what is done around every request, on both ports."""

from flask import Flask, Response, abort, request

from service.telemetry.events import begin_event, current_event
from service.telemetry.request_log import RequestLog
from service.web.admin import ADMIN_PATHS


def register_hooks(app: Flask, request_log: RequestLog, admin_port: int) -> None:
    """Keep the two ports apart; give every answer its headers, and hand its event to the request log."""

    @app.before_request
    def begin() -> None:
        environ, rule = request.environ, request.url_rule
        # The server fills in SERVER_PORT from its socket; a forged Host header does not change it.
        admin = environ["SERVER_PORT"] == str(admin_port)
        route = None if rule is None else rule.rule
        path = environ["PATH_INFO"]
        # Routing drops leading slashes: "//metrics" would pass for another path here, and reach /metrics there.
        hidden = path.startswith("//") or admin != (path in ADMIN_PATHS or route in ADMIN_PATHS)
        callers_id, method = environ.get("HTTP_X_REQUEST_ID", ""), environ["REQUEST_METHOD"]
        begin_event(callers_id, method, None if hidden else route, admin)
        if hidden:
            abort(404)

    @app.after_request
    def finish(answer: Response) -> Response:
        event = current_event()
        answer.headers["X-Request-ID"] = event.request_id
        answer.headers["Cache-Control"] = "no-store"
        event.end(answer.status_code)
        request_log.put(event)
        return answer
