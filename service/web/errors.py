"""Errors: every answer outside 2xx leaves as `application/problem+json`."""

from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from service.telemetry.events import annotate, current_event
from service.wire.faults import InvalidRequest
from service.wire.problems import MEDIA_TYPE, Problem, invalid_request, malformed_json, status_problem
from service.wire.strict_json import MalformedJson


def problem_response(problem: Problem) -> Response:
    """The answer that a problem is."""
    made = Response(mimetype=MEDIA_TYPE)
    _fill(made, problem)
    return made


def _fill(answer: Response, problem: Problem) -> None:
    annotate(outcome=problem.code)
    answer.status_code = problem.status
    answer.mimetype = MEDIA_TYPE
    answer.set_data(problem.text(current_event().request_id) + "\n")


def register_errors(app: Flask) -> None:
    """Let every error of `app` leave as a problem."""

    @app.errorhandler(MalformedJson)
    def malformed(error: MalformedJson) -> Response:
        return problem_response(malformed_json(error))

    @app.errorhandler(InvalidRequest)
    def invalid(error: InvalidRequest) -> Response:
        annotate(faults=sorted({fault.code for fault in error.faults}))
        return problem_response(invalid_request(error.faults))

    @app.errorhandler(Exception)
    def internal(error: Exception) -> Response | HTTPException:
        if isinstance(error, HTTPException):
            return error
        annotate(exc_info=error)
        return problem_response(status_problem(500))

    @app.after_request
    def as_problem(answer: Response) -> Response:
        """Flask's and werkzeug's own errors, redirects included, keep their headers (Allow) and get a problem body."""
        if answer.status_code >= 300 and answer.mimetype != MEDIA_TYPE:
            _fill(answer, status_problem(answer.status_code))
        return answer
