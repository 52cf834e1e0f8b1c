"""The admin port, request ids, the log line of a request, and the metrics."""

import logging
import platform
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from service.game import search
from service.game.arrangement import Arrangement
from service.game.cards import CARD_PATTERN, Card, Rank
from service.game.rules import RuleSet
from service.game.verdict import best_arrangement
from service.startup.rule_files import load_rule_sets
from service.startup.settings import Settings
from service.telemetry.json_lines import server_logging
from service.telemetry.metrics import Durations, Metrics
from service.web import self_check
from service.web.admin import ADMIN_PATHS
from service.web.self_check import solves_right
from tests.apps import Log, on_admin_port
from tests.contract import value_of
from tests.examples import HAND, SHOW_HAND, question

API_PATHS = ["/validate", "/score", "/rule-sets", "/rule-sets/online-13", "/openapi.yaml"]


# Ports.


@pytest.mark.parametrize("path", sorted(ADMIN_PATHS))
def test_an_admin_path_is_on_the_admin_port_only(client: FlaskClient, admin: FlaskClient, path: str) -> None:
    assert admin.get(path).status_code == 200
    assert admin.post(path).status_code == 405
    for method in ("GET", "POST"):
        assert client.open(path, method=method).status_code == 404


@pytest.mark.parametrize("path", API_PATHS)
def test_an_api_path_is_not_on_the_admin_port(admin: FlaskClient, path: str) -> None:
    for method in ("GET", "POST"):
        assert admin.open(path, method=method).status_code == 404


def test_a_forged_host_header_opens_no_admin_path(client: FlaskClient) -> None:
    forged = {"Host": "localhost:9090", "X-Forwarded-Port": "9090", "X-Forwarded-Host": "localhost:9090"}
    assert client.get("/metrics", headers=forged).status_code == 404


# Probes and version.


def test_the_probes(admin: FlaskClient) -> None:
    assert value_of(admin.get("/livez")) == {"status": "ok"}
    assert value_of(admin.get("/readyz")) == {"status": "ready"}


def test_the_version_names_what_runs(admin: FlaskClient, client: FlaskClient) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    answer = value_of(admin.get("/version"))
    assert answer["version"] == project["version"]
    assert answer["python"] == platform.python_version()
    assert answer["compiled"] == (Path(search.__file__).suffix != ".py")
    listed = value_of(client.get("/rule-sets"))["rule_sets"]
    assert answer["rule_sets"] == [{key: each[key] for key in ("name", "version", "digest")} for each in listed]


def test_the_known_hands_come_out_right_under_every_rule_set() -> None:
    assert solves_right(load_rule_sets(), best_arrangement)


def test_a_solver_that_finds_too_much_or_too_little_is_noticed() -> None:
    def blind(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
        return best_arrangement(self_check._NOTHING, wild, rules)

    def rosy(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
        return best_arrangement(self_check._SHOW, wild, rules)

    assert not solves_right(load_rule_sets(), blind)
    assert not solves_right(load_rule_sets(), rosy)


def test_a_service_that_solves_wrong_is_not_ready_but_lives(
    monkeypatch: pytest.MonkeyPatch, start: Callable[[Settings], Flask]
) -> None:
    monkeypatch.setattr(self_check, "_SHOW", self_check._NOTHING)
    admin = on_admin_port(start(Settings()).test_client())
    response = admin.get("/readyz")
    assert (response.status_code, value_of(response)["code"]) == (503, "NOT_READY")
    assert admin.get("/livez").status_code == 200


# Request ids.


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


# Log lines.


def test_a_verdict_is_one_line_with_everything_an_operator_asks_for(client: FlaskClient, log: Log) -> None:
    client.post("/validate", json=question(), headers={"X-Request-ID": "deal-1"})
    (line,) = log.read()
    assert line.pop("wall_ms") > 0
    assert 0 < line.pop("cpu_ms") < 1000
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


def test_a_refused_request_tells_the_codes_of_its_faults(client: FlaskClient, log: Log) -> None:
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


# Metrics.


def samples(admin: FlaskClient) -> dict[tuple[str, ...], float]:
    """The value of every sample by its name and the values of its labels, in the order of the labels' names."""
    text = admin.get("/metrics").text
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_every_request_is_counted_by_route_template(client: FlaskClient, admin: FlaskClient) -> None:
    for _ in range(3):
        client.post("/validate", json=question())
    client.get("/rule-sets/online-13")
    client.get("/rule-sets/nothing")
    client.get("/nothing/at/all")
    client.open("/validate", method="BREW")
    admin.get("/livez")
    counted = {
        key[1:]: value
        for key, value in samples(admin).items()
        if key[0] == "http_server_request_duration_seconds_count"
    }
    assert counted == {
        ("POST", "200", "/validate"): 3,
        ("GET", "200", "/rule-sets/<name>"): 1,
        ("GET", "404", "/rule-sets/<name>"): 1,
        ("GET", "404", "unmatched"): 1,
        ("_OTHER", "405", "unmatched"): 1,
    }


def test_verdicts_reasons_and_the_cache_are_counted(client: FlaskClient, admin: FlaskClient) -> None:
    for _ in range(2):
        client.post("/validate", json=question())
        client.post("/score", json=question(groups=[HAND[:3], ["KS", "KH"]]))
        client.post("/validate", json=question(hand=SHOW_HAND, groups=..., rule_set="rulebook-13"))
        client.post("/validate", json=question(hand=[]))
    seen = samples(admin)
    assert seen["showcheck_verdicts_total", "WRONG_SHOW", "online-13"] == 2
    assert seen["showcheck_verdicts_total", "SCORED", "online-13"] == 2
    assert seen["showcheck_verdicts_total", "VALID_SHOW", "rulebook-13"] == 2
    assert seen["showcheck_reasons_total", "UNGROUPED_CARDS"] == 4
    assert seen["showcheck_reasons_total", "TOO_FEW_CARDS"] == 2
    assert seen["showcheck_cache_requests_total", "miss"] == 2
    assert seen["showcheck_cache_requests_total", "hit"] == 4
    assert seen[("showcheck_cache_entries",)] == 2
    assert seen[("showcheck_solver_seconds_count",)] == 2
    assert 0 < seen[("showcheck_solver_seconds_sum",)] < 1
    assert ("showcheck_solver_seconds_bucket", "5e-05") in seen


def test_without_a_cache_every_request_is_a_miss(start: Callable[[Settings], Flask], log: Log) -> None:
    app = start(Settings(cache_size=0))
    for _ in range(3):
        app.test_client().post("/validate", json=question())
    assert [line["cache"] for line in log.read()] == ["miss", "miss", "miss"]


def test_metrics_that_cannot_be_written_stop_no_verdict_and_no_line(
    client: FlaskClient, log: Log, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Counter, "inc", full)
    monkeypatch.setattr(Histogram, "observe", full)
    assert client.post("/validate", json=question()).status_code == 200
    assert [line["status"] for line in log.read()] == [200]
    assert {record.message for record in caplog.records} == {"a metric could not be written"}


def test_the_names_of_the_metrics_are_stable() -> None:
    names = re.findall(r"^# TYPE (\S+) (\S+)", Metrics().text().decode(), re.MULTILINE)
    assert [name for name in names if not name[0].endswith("_created")] == [
        ("http_server_request_duration_seconds", "histogram"),
        ("showcheck_verdicts_total", "counter"),
        ("showcheck_reasons_total", "counter"),
        ("showcheck_solver_seconds", "histogram"),
        ("showcheck_cache_requests_total", "counter"),
        ("showcheck_cache_entries", "gauge"),
    ]


@pytest.mark.parametrize("seconds", [0.0, 0.25, 0.375, 7.0])
def test_durations_that_are_alike_count_as_so_many(seconds: float) -> None:
    one, many = CollectorRegistry(), CollectorRegistry()
    usual = Histogram("seconds", "Seconds.", buckets=(0.25, 0.5), registry=one)
    for _ in range(5):
        usual.observe(seconds)
    Durations("seconds", "Seconds.", buckets=(0.25, 0.5), registry=many).observe_alike(seconds, 5)
    told = [re.sub(rb"(?m)^seconds_created .*$", b"", generate_latest(registry)) for registry in (one, many)]
    assert told[0] == told[1]
