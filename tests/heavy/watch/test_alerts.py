"""The alerts, as Prometheus reads them, and over made-up series."""

import re
from typing import Any

import pytest
import yaml

from tests.heavy.watch.conftest import ALERTS, ALERTS_FILE, RECORDED, promtool
from tests.servers import ROOT

SERIES_FILES = ("tests/heavy/watch/alerts_test.yaml", "tests/heavy/watch/alerts_day_test.yaml")
TESTS: list[dict[str, Any]] = [
    test for file in SERIES_FILES for test in yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))["tests"]
]


def firing(test: dict[str, Any]) -> list[dict[str, str]]:
    """The labels of all that the test expects to fire, at any of its times."""
    samples = [sample["labels"] for each in test["promql_expr_test"] for sample in each["exp_samples"]]
    alerts = [dict(re.findall(r'(\w+)="([^"]*)"', labels)) for labels in samples]
    return [labels for labels in alerts if labels["alertstate"] == "firing"]


def test_prometheus_understands_the_rules() -> None:
    promtool("check", "rules", "--lint-fatal", str(ALERTS_FILE))


def test_what_fires_over_made_up_series_is_what_is_expected() -> None:
    promtool("test", "rules", *SERIES_FILES)


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_is_tried_both_ways(name: str) -> None:
    """Where it fires, and where it does not."""
    tried = [
        name in {labels["alertname"] for labels in firing(test)} for test in TESTS if test["name"].startswith(name)
    ]
    assert set(tried) == {True, False}


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_says_what_it_means(name: str) -> None:
    """How bad it is, what it means, and where to read on."""
    alert = ALERTS[name]
    assert alert["labels"].keys() == {"severity"}
    assert alert["labels"]["severity"] in {"critical", "warning"}
    assert alert["annotations"].keys() == {"summary", "description", "runbook"}
    assert all(alert["annotations"].values())
    assert alert["annotations"]["runbook"] == f"docs/operations.md#{name.lower()}"


@pytest.mark.parametrize("name", ALERTS)
def test_what_to_do_on_an_alert_is_written_down(name: str) -> None:
    lines = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8").splitlines()
    assert f"### {name}" in lines
    assert len(lines[lines.index(f"### {name}") + 2]) > 40


@pytest.mark.parametrize("name", ALERTS)
def test_a_text_names_labels_of_its_alert(name: str) -> None:
    named = set(re.findall(r"\$labels\.(\w+)", str(ALERTS[name]["annotations"])))
    fired = [labels for test in TESTS for labels in firing(test) if labels["alertname"] == name]
    assert fired
    assert all(named <= labels.keys() for labels in fired)


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_compares_recorded_series_only(name: str) -> None:
    words = set(re.findall(r"[a-zA-Z_:][\w:]*", ALERTS[name]["expr"]))
    assert words - {"abs", "and", "on", "namespace", "job", "rule_set"} <= RECORDED.keys()


@pytest.mark.parametrize("name", RECORDED)
def test_no_rule_names_an_installation(name: str) -> None:
    """Neither a job, a namespace nor a pod: those are other ones elsewhere."""
    assert not re.search(r"\b(job|namespace|pod|instance|service)\s*[=!]", RECORDED[name])
