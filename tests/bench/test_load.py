"""The load test asks what it says it does, and notices every wrong answer. No locust here: it patches Python."""

import json
import sys
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from flask.testing import FlaskClient

from bench.corpora import rule_sets
from bench.http.bodies import SCORE, VALIDATE
from bench.load import mix, report
from bench.load.__main__ import MAX_USERS, main

ASKED = tuple(islice(mix.stream(), 10_000))
BAD = {kind: next(ask for ask in ASKED if ask.kind == f"bad: {kind}") for kind in [*mix.BAD_BODIES, *mix.BAD_TARGETS]}
HISTORY = """\
Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,99%,100%,Total Request Count
100,0,,Aggregated,0.0,0.0,N/A,N/A,N/A,0
101,4,POST,/score,20.0,0.0,2,5,9,20
101,4,,Aggregated,30.0,0.5,3,7,12,30
102,8,,Aggregated,60.0,0.0,4,8,13,90
"""
STATS = """\
Type,Name,Request Count,Failure Count,Requests/s,50%,99%,99.9%,100%
POST,/score,{0},{1},20.0,2,5,6,9
,Aggregated,{0},{1},20.0,2,5,6,9
"""


@pytest.fixture(scope="module")
def service() -> FlaskClient:
    return mix.client()


@pytest.fixture(scope="module")
def exchanges(service: FlaskClient) -> list[mix.Exchange]:
    """The first requests, and one of each bad kind."""
    return [mix.Exchange(ask, mix.answer_to(ask, service)) for ask in [*ASKED[:200], *BAD.values()]]


def test_seven_in_ten_score_and_the_others_show() -> None:
    paths = Counter(ask.path for ask in ASKED if not ask.kind.startswith("bad"))
    assert paths.keys() == {SCORE, VALIDATE}
    assert paths[SCORE] / paths.total() == pytest.approx(0.70, abs=0.02)


def test_one_in_fifty_is_bad_in_one_of_many_ways() -> None:
    kinds = Counter(ask.kind for ask in ASKED if ask.kind.startswith("bad"))
    assert kinds.total() / len(ASKED) == pytest.approx(0.02, abs=0.005)
    assert kinds.keys() == {f"bad: {kind}" for kind in BAD}


def test_one_in_twenty_asks_for_a_hand_again() -> None:
    """No other request has a hand that was asked for before."""
    seen: set[str] = set()
    again = 0
    for ask in ASKED:
        if ask.kind.startswith("bad"):
            continue
        assert (ask.line in seen) == ask.kind.endswith(", again")
        again += ask.line in seen
        seen.add(ask.line)
    assert again / len(ASKED) == pytest.approx(0.05, abs=0.01)


def test_every_rule_set_has_its_share_of_every_kind_of_hand() -> None:
    found = Counter(deal.rules.name for deal in islice(mix.deals(Random(1)), 1500))
    assert found == dict.fromkeys(rule_sets(), 300)
    many_jokers = Counter(
        deal.rules.name
        for deal in islice(mix.deals(Random(1)), 1500)
        if sum(card.rank in {None, deal.wild} for card in deal.hand) >= 3
    )
    # A hundred hands of each were made so, and a few others came so.
    assert all(90 <= count <= 200 for count in many_jokers.values())
    assert len(many_jokers) == len(rule_sets())


def test_the_stream_is_the_same_every_time() -> None:
    assert tuple(islice(mix.stream(), 1000)) == ASKED[:1000]


@pytest.mark.parametrize(
    ("kind", "status", "code", "faults"),
    [
        ("cut off", 400, "MALFORMED_JSON", {}),
        ("a key twice", 400, "MALFORMED_JSON", {}),
        ("a form", 415, "UNSUPPORTED_MEDIA_TYPE", {}),
        ("too long", 413, "BODY_TOO_LARGE", {}),
        ("no rule set", 422, "INVALID_REQUEST", {"/rule_set": "MISSING_FIELD"}),
        ("unknown rule set", 422, "INVALID_REQUEST", {"/rule_set": "UNKNOWN_RULE_SET"}),
        ("a field too many", 422, "INVALID_REQUEST", {"/bet": "UNKNOWN_FIELD"}),
        ("number as text", 422, "INVALID_REQUEST", {"/players": "WRONG_TYPE"}),
        ("a card too few", 422, "INVALID_REQUEST", {"/hand": "WRONG_HAND_SIZE"}),
        ("no such card", 422, "INVALID_REQUEST", {"/hand/0": "UNKNOWN_CARD"}),
        ("two faults", 422, "INVALID_REQUEST", {"/rule_set": "MISSING_FIELD", "/wild_rank": "UNKNOWN_RANK"}),
        ("no such path", 404, "NOT_FOUND", {}),
        ("no such rule set", 404, "NOT_FOUND", {}),
        ("not a GET", 405, "METHOD_NOT_ALLOWED", {}),
    ],
)
def test_a_bad_request_has_its_problem(
    kind: str, status: int, code: str, faults: dict[str, str], service: FlaskClient
) -> None:
    answer = mix.answer_to(BAD[kind], service)
    problem = json.loads(answer.text)
    assert (answer.status, problem["status"], problem["code"]) == (status, status, code)
    assert {fault["pointer"]: fault["code"] for fault in problem.get("errors", [])} == faults
    assert "request_id" not in problem


@pytest.mark.parametrize(
    ("kind", "code"), [("one card only", "IMPOSSIBLE_HAND"), ("a group of other cards", "CARDS_NOT_IN_HAND")]
)
def test_how_often_a_card_is_too_many_depends_on_the_hand(kind: str, code: str, service: FlaskClient) -> None:
    problem = json.loads(mix.answer_to(BAD[kind], service).text)
    assert problem["code"] == "INVALID_REQUEST"
    assert code in {fault["code"] for fault in problem["errors"]}


def test_the_right_answers_pass(service: FlaskClient, exchanges: list[mix.Exchange]) -> None:
    """Asked again: a problem then has another request id."""
    for ask, expected in exchanges:
        got = service.open(ask.path, method=ask.method, data=ask.body.encode(), content_type=ask.content_type)
        assert mix.fault(expected, got.status_code, got.content_type or "", got.data) == "", ask


def test_a_wrong_answer_is_noticed(exchanges: list[mix.Exchange]) -> None:
    for _, expected in exchanges:
        right = expected.text.encode()
        kind = expected.content_type
        # The answers to other requests, too few bytes, too many, none.
        for wrong in {each.answer.text.encode() for each in exchanges[:50]} - {right} | {right[:-2], right + b"1", b""}:
            assert mix.fault(expected, expected.status, kind, wrong)
        assert mix.fault(expected, 500, kind, right) == f"status 500 in place of {expected.status}"
        assert "in place of" in mix.fault(expected, expected.status, "text/html", right)


@pytest.mark.parametrize("field", ["code", "detail", "status", "title"])
def test_a_problem_must_be_the_same_in_every_field(field: str, service: FlaskClient) -> None:
    expected = mix.answer_to(BAD["cut off"], service)
    problem = json.loads(expected.text)
    assert not mix.fault(expected, 400, mix.PROBLEM, json.dumps(problem | {"request_id": "another"}).encode())
    assert mix.fault(expected, 400, mix.PROBLEM, json.dumps(problem | {field: "another"}).encode())
    assert mix.fault(expected, 400, mix.PROBLEM, b"[]") == "not a problem"


def test_a_wrong_pointer_is_noticed(service: FlaskClient) -> None:
    expected = mix.answer_to(BAD["a card too few"], service)
    body = expected.text.replace('"/hand"', '"/hand/0"').encode()
    assert mix.fault(expected, 422, mix.PROBLEM, body) == "another problem"


def test_a_mislabelled_request_stops_the_preparation(service: FlaskClient) -> None:
    """A request that is called bad and answered with 200 would be no test."""
    with pytest.raises(ValueError, match="bad: cut off: 200"):
        mix.answer_to(replace(ASKED[0], kind="bad: cut off"), service)


def test_exchanges_are_read_as_they_were_written(tmp_path: Path, exchanges: list[mix.Exchange]) -> None:
    mix.write(tmp_path / "exchanges", 100, processes=1)
    assert mix.read(tmp_path / "exchanges") == exchanges[:100]


def test_a_run_is_read_from_what_locust_wrote(tmp_path: Path) -> None:
    file = tmp_path / "history.csv"
    file.write_text(HISTORY, encoding="utf-8")
    run = report.moments(file)
    assert [(moment.at, moment.users, moment.per_second) for moment in run] == [(0, 4, 30), (1, 8, 60)]
    assert run[0].latencies == {"50%": 3, "99%": 7, "100%": 12}
    assert len(report.plot(run).axes) == 2


@pytest.mark.parametrize(
    ("requests", "failures", "said"),
    [(20, 0, ""), (20, 1, "1 of 20 answers were wrong or missing"), (0, 0, "nothing was answered")],
)
def test_one_failure_fails_the_run(tmp_path: Path, requests: int, failures: int, said: str) -> None:
    """And so does a run without any answer."""
    file = tmp_path / "stats.csv"
    file.write_text(STATS.format(requests, failures), encoding="utf-8")
    assert report.verdict(report.totals(file)) == said


def test_a_run_without_figures_has_failed() -> None:
    assert report.verdict([]) == "nothing was answered"


@pytest.mark.parametrize("arguments", [["--users", str(MAX_USERS + 1)], ["--seconds", "0"], ["--rate", "0"]])
def test_a_run_is_bounded(arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)


def test_locust_is_not_imported_here() -> None:
    assert not {"locust", "gevent"} & sys.modules.keys()
