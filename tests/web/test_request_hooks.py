"""Request ids: a good one is kept, another is replaced."""

import re

import pytest
from flask.testing import FlaskClient

from tests.apps import Log
from tests.contract import value_of


@pytest.mark.parametrize("given", ["a", "deal-4711", "A.b_c:d-0", "x" * 128])
def test_a_good_request_id_is_taken_over(client: FlaskClient, log: Log, given: str) -> None:
    for path in ("/rule-sets", "/nothing"):
        assert client.get(path, headers={"X-Request-ID": given}).headers["X-Request-ID"] == given
    assert [line["request_id"] for line in log.read()] == [given, given]


@pytest.mark.parametrize("given", ["", " ", "a b", "a,b", "é", "x" * 129, "<script>", "{}"])
def test_another_request_id_is_replaced(client: FlaskClient, given: str) -> None:
    made = client.get("/rule-sets", headers={"X-Request-ID": given}).headers["X-Request-ID"]
    assert re.fullmatch(r"[0-9a-f]{32}", made)


def test_every_request_without_an_id_gets_its_own(client: FlaskClient) -> None:
    assert len({client.get("/rule-sets").headers["X-Request-ID"] for _ in range(20)}) == 20


def test_a_problem_carries_the_request_id(client: FlaskClient) -> None:
    assert value_of(client.post("/score", headers={"X-Request-ID": "deal-1"}))["request_id"] == "deal-1"
