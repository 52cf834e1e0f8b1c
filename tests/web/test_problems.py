"""Every answer outside 2xx is a problem (RFC 9457), whoever raised it."""

from collections.abc import Iterator

import pytest
from flask import Flask, abort
from flask.testing import FlaskClient
from werkzeug import exceptions
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

from tests.apps import Log
from tests.contract import CheckedClient, validator, value_of
from tests.examples import question


def _all_http_exceptions(root: type[HTTPException] = HTTPException) -> Iterator[type[HTTPException]]:
    for each in root.__subclasses__():
        if each.code is not None and each.__module__ == exceptions.__name__:
            yield each
        yield from _all_http_exceptions(each)


EXCEPTIONS = sorted(set(_all_http_exceptions()), key=lambda each: (each.code or 0, each.__name__))


@pytest.fixture
def raising(app: Flask) -> FlaskClient:
    """A client of an application with a route that raises what it is told to; no contract knows this route."""
    app.test_client_class = None
    raised: list[Exception] = []
    app.extensions["raised"] = raised

    @app.get("/raise")
    def view() -> str:
        raise raised[0]

    return app.test_client()


def test_werkzeug_has_the_exceptions_that_are_tested() -> None:
    assert {each.code for each in EXCEPTIONS} >= set(exceptions.default_exceptions)
    assert len(EXCEPTIONS) > 30


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=lambda each: each.__name__)
def test_every_http_exception_leaves_as_a_problem(
    app: Flask, raising: FlaskClient, exception: type[HTTPException]
) -> None:
    app.extensions["raised"].append(exception())
    response = raising.get("/raise")
    assert response.status_code == exception.code
    assert response.content_type == "application/problem+json"
    validator("/components/schemas/Problem").validate(value_of(response))
    assert value_of(response)["status"] == exception.code
    assert value_of(response)["request_id"] == response.headers["X-Request-ID"]
    assert response.headers["Cache-Control"] == "no-store"


def test_headers_of_an_exception_are_kept(app: Flask, raising: FlaskClient) -> None:
    app.extensions["raised"].append(exceptions.TooManyRequests(retry_after=7))
    assert raising.get("/raise").headers["Retry-After"] == "7"


def test_a_redirect_leaves_as_a_problem_too(app: Flask, raising: FlaskClient) -> None:
    app.extensions["raised"].append(RequestRedirect("http://localhost/validate"))
    response = raising.get("/raise")
    assert (response.status_code, response.content_type) == (308, "application/problem+json")
    assert response.headers["Location"] == "http://localhost/validate"


def test_a_fault_of_the_service_is_logged(app: Flask, raising: FlaskClient, log: Log) -> None:
    """And not shown in the answer."""
    app.extensions["raised"].append(ZeroDivisionError("the secret of the service"))
    response = raising.get("/raise", headers={"X-Request-ID": "deal-1"})
    assert response.status_code == 500
    assert value_of(response)["code"] == "INTERNAL"
    assert "secret" not in response.text
    assert "Traceback" not in response.text
    (line,) = log.read()
    assert line["level"] == "error"
    assert line["request_id"] == "deal-1"
    assert line["exception"].endswith("ZeroDivisionError: the secret of the service")
    assert "Traceback" in line["exception"]


def test_a_crash_of_the_solver_is_a_problem(app: Flask, client: FlaskClient, log: Log) -> None:
    @app.before_request
    def crash() -> None:
        raise RecursionError

    response = client.post("/validate", json=question())
    assert (response.status_code, value_of(response)["code"]) == (500, "INTERNAL")
    assert log.read()[0]["outcome"] == "INTERNAL"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/nothing",
        "/validate/",
        "//validate",
        "/Validate",
        "/rule-sets/",
        "/rule-sets/a/b",
        "/static/a",
        "/%00%ff/",
    ],
)
def test_there_is_nothing_at_other_paths_and_no_redirect(client: FlaskClient, path: str) -> None:
    for method in ("GET", "POST"):
        response = client.open(path, method=method)
        assert (response.status_code, value_of(response)["code"]) == (404, "NOT_FOUND")


def test_an_unknown_rule_set_lists_the_known_ones(client: FlaskClient) -> None:
    response = client.get("/rule-sets/nothing")
    assert (response.status_code, value_of(response)["code"]) == (404, "NOT_FOUND")
    names = [each["name"] for each in value_of(client.get("/rule-sets"))["rule_sets"]]
    assert value_of(response)["detail"] == f"There is no such rule set; there are {', '.join(names)}."


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_another_method_is_not_allowed(client: FlaskClient, method: str) -> None:
    response = client.open("/validate", method=method)
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
    assert response.content_type == "application/problem+json"
    assert method == "HEAD" or value_of(response)["code"] == "METHOD_NOT_ALLOWED"


def test_head_is_get_without_the_body(client: FlaskClient) -> None:
    got, head = client.get("/rule-sets"), client.head("/rule-sets")
    assert (head.status_code, head.data) == (200, b"")
    for name in ("Content-Length", "Content-Type", "Cache-Control"):
        assert head.headers[name] == got.headers[name]


def test_what_a_view_aborts_with_is_a_problem(app: Flask) -> None:
    @app.get("/gone")
    def gone() -> str:
        abort(410, "<b>gone</b>")

    app.test_client_class = None
    response = app.test_client().get("/gone")
    assert value_of(response) == {
        "type": "about:blank",
        "title": "Gone",
        "status": 410,
        "detail": "Gone.",
        "code": "BAD_REQUEST",
        "request_id": response.headers["X-Request-ID"],
    }


def test_the_contract_is_enforced(app: Flask) -> None:
    """The judge is judged: an answer that the contract does not have must not pass."""

    @app.after_request
    def spoil(response: object) -> object:
        response.data = response.data.replace(b'"valid"', b'"good"')  # type: ignore[attr-defined]
        return response

    assert app.test_client_class is CheckedClient
    with pytest.raises(Exception, match=r"'good' was unexpected|'valid' is a required property"):
        app.test_client().post("/validate", json=question())
