"""Problems: their JSON, with the code of the status where nothing else is known."""

import json

import pytest

from service.wire.problems import Problem, malformed_json, status_problem, unread_problem
from service.wire.strict_json import MalformedJson


@pytest.mark.parametrize(("status", "code"), [(404, "NOT_FOUND"), (418, "BAD_REQUEST"), (507, "INTERNAL")])
def test_a_status_has_its_code_or_that_of_its_class(status: int, code: str) -> None:
    assert status_problem(status).code == code


def test_malformed_json_is_quoted_in_the_detail() -> None:
    problem = malformed_json(MalformedJson("MALFORMED_JSON.EMPTY"))
    assert (problem.status, problem.code) == (400, "MALFORMED_JSON")
    assert problem.detail == "The body is not the JSON that is asked for: it is empty."


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("problem", [status_problem(408), Problem(503, "OVERLOADED")], ids=["timeout", "overload"])
def test_unread_requests_have_the_same_problem(problem: Problem, kept: bool) -> None:
    head, _, body = unread_problem(problem, "deal-1", kept).decode().partition("\r\n\r\n")
    assert body == problem.text("deal-1") + "\n"
    headers = dict(line.split(": ") for line in head.split("\r\n")[1:])
    assert headers["Content-Length"] == str(len(body))
    assert headers["X-Request-ID"] == json.loads(body)["request_id"] == "deal-1"
    assert headers["Connection"] == ("keep-alive" if kept else "close")
    assert ("Retry-After" in headers) == (problem.status == 503)
