"""Log lines: what the service and the server write, one JSON object a line."""

import io
import json
import logging
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.game.cards import CARD_PATTERN
from service.startup.settings import Settings
from service.telemetry.events import RequestEvent
from service.telemetry.json_lines import line_writer, server_logging
from tests.apps import Log, on_admin_port
from tests.examples import HAND, SHOW_HAND, question


def test_the_log_says_how_many_lines_were_lost() -> None:
    stream = io.StringIO()
    event = RequestEvent("r1", "POST", "/score", admin=False)
    event.end(200)
    line_writer("INFO", stream)([event], 7)
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert (first["event"], first["count"], first["level"]) == ("log lines were lost", 7, "warning")
    assert (second["event"], second["request_id"]) == ("request", "r1")
    assert first.keys() >= {"time", "pid"}


@pytest.mark.parametrize(("level", "seen"), [("DEBUG", "abc"), ("INFO", "bc"), ("WARNING", "c"), ("ERROR", "c")])
def test_the_level_says_which_requests_are_logged(level: str, seen: str) -> None:
    stream = io.StringIO()
    probe, request, crash = (RequestEvent(each, "GET", None, admin=each == "a") for each in "abc")
    probe.end(200)
    request.end(404)
    crash.end(500)
    line_writer(level, stream)([probe, request, crash], 0)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert "".join(line["request_id"] for line in lines) == seen
    assert [line["level"] for line in lines] == [{"a": "debug", "b": "info", "c": "error"}[each] for each in seen]


def test_a_method_is_quoted_whatever_it_is() -> None:
    stream = io.StringIO()
    event = RequestEvent("", 'A"B\\\n', None, admin=False)
    event.end(405)
    line_writer("INFO", stream)([event], 0)
    assert json.loads(stream.getvalue())["method"] == 'A"B\\\n'


def test_a_verdict_is_one_line(client: FlaskClient, log: Log) -> None:
    """With everything that an operator asks for."""
    client.post("/validate", json=question(), headers={"X-Request-ID": "deal-1"})
    (line,) = log.read()
    assert line.pop("wall_ms") > 0
    assert line.pop("cpu_ms") > 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", line.pop("time"))
    assert line.pop("pid") > 0
    assert line == {
        "event": "request",
        "level": "info",
        "method": "POST",
        "route": "/validate",
        "status": 200,
        "request_id": "deal-1",
        "rule_set": "online-13",
        "outcome": "WRONG_SHOW",
        "cache": "miss",
    }


def test_the_outcomes_and_the_cache(client: FlaskClient, log: Log) -> None:
    for path, body in [
        ("/validate", question(hand=SHOW_HAND, groups=...)),
        ("/score", question(hand=SHOW_HAND[::-1], groups=...)),
        ("/validate", question()),
    ]:
        client.post(path, json=body)
    seen = [(line["outcome"], line["cache"]) for line in log.read()]
    assert seen == [("VALID_SHOW", "miss"), ("SCORED", "hit"), ("WRONG_SHOW", "miss")]


def test_a_refused_request_is_logged_with_its_codes(client: FlaskClient, log: Log) -> None:
    client.post("/score", json=question(hand=["XX"] * 13, players=0))
    (line,) = log.read()
    assert (line["status"], line["outcome"]) == (422, "INVALID_REQUEST")
    assert line["faults"] == ["UNKNOWN_CARD", "WRONG_PLAYERS"]
    assert "cache" not in line


@pytest.mark.parametrize("changes", [{}, {"hand": HAND[:12]}, {"hand": [*HAND[:12], "XX"]}])
def test_no_hand_is_logged(client: FlaskClient, log: Log, changes: dict[str, Any]) -> None:
    client.post("/validate", json=question(**changes))
    text = log.stream.getvalue()
    assert not re.search(rf"\b({CARD_PATTERN}|XX)\b|[♠♥♦♣]", text)


def test_routes_are_logged_by_template(client: FlaskClient, log: Log) -> None:
    client.get("/rule-sets/online-13")
    client.get("/some/secret")
    # There is no such thing on this port.
    client.get("/metrics")
    assert [line["route"] for line in log.read()] == ["/rule-sets/<name>", "unmatched", "unmatched"]


def test_probes_and_scrapes_are_logged_at_debug_only(
    admin: FlaskClient, log: Log, start: Callable[[Settings], Flask]
) -> None:
    admin.get("/livez")
    admin.get("/metrics")
    assert log.read() == []
    verbose = on_admin_port(start(Settings(log_level="DEBUG")).test_client())
    verbose.get("/livez")
    assert [(line["level"], line["route"]) for line in log.read()] == [("debug", "/livez")]


def test_what_the_server_logs_has_the_same_form(capsys: pytest.CaptureFixture[str]) -> None:
    config = server_logging("INFO")
    formatter = config["formatters"]["json"]
    made = formatter["()"](foreign_pre_chain=formatter["foreign_pre_chain"], processors=formatter["processors"])
    try:
        int("boom")
    except ValueError:
        record = logging.LogRecord("gunicorn.error", 40, "", 1, "worker %s died", (7,), sys.exc_info())
    line = made.format(record)
    assert "\n" not in line
    assert '"event": "worker 7 died"' in line
    assert '"logger": "gunicorn.error"' in line
    assert "ValueError: invalid literal" in line


def test_without_a_cache_every_request_is_a_miss(start: Callable[[Settings], Flask], log: Log) -> None:
    app = start(Settings(cache_size=0))
    for _ in range(3):
        app.test_client().post("/validate", json=question())
    assert [line["cache"] for line in log.read()] == ["miss", "miss", "miss"]
