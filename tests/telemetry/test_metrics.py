"""Metrics: what is counted, under names that stay."""

import re

import pytest
from flask.testing import FlaskClient
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from service.telemetry.metrics import Durations, Metrics
from tests.apps import Log
from tests.examples import HAND, SHOW_HAND, question


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
    assert seen[("showcheck_solver_seconds_sum",)] > 0
    assert ("showcheck_solver_seconds_bucket", "5e-05") in seen


def test_unwritable_metrics_stop_no_verdict(
    client: FlaskClient, log: Log, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And no line of the log."""

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
def test_equal_durations_count_as_many(seconds: float) -> None:
    one, many = CollectorRegistry(), CollectorRegistry()
    usual = Histogram("seconds", "Seconds.", buckets=(0.25, 0.5), registry=one)
    for _ in range(5):
        usual.observe(seconds)
    Durations("seconds", "Seconds.", buckets=(0.25, 0.5), registry=many).observe_alike(seconds, 5)
    told = [re.sub(rb"(?m)^seconds_created .*$", b"", generate_latest(registry)) for registry in (one, many)]
    assert told[0] == told[1]
