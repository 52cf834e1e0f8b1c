"""A real Prometheus that scrapes the real service: every query of the rules and of the dashboard has data."""

import os
import re
import signal
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.heavy.watch.conftest import (
    ALERTS,
    JOB,
    PANELS,
    RECORDED,
    Prometheus,
    comparisons_as_numbers,
    promtool,
)
from tests.heavy.watch.traffic import ROUNDS
from tests.servers import Server

Watched = tuple[Server, Prometheus]
QUERIES = [(panel["title"], target) for panel in PANELS for target in panel["targets"]]
# As Grafana fills them in where all is chosen.
VARIABLES = {"$namespace": ".*", "$job": JOB, "$__rate_interval": "1m"}


def filled_in(target: dict[str, Any]) -> str:
    return re.sub(r"\$\w+", lambda found: VARIABLES[found[0]], target["expr"])


SELECTORS = {
    selector
    for expr in [*RECORDED.values(), *(filled_in(target) for _, target in QUERIES)]
    for selector in re.findall(r"\w+\{[^}]*\}", expr)
}


def test_the_metrics_are_well_formed(watched: Watched) -> None:
    server, _ = watched
    promtool("check", "metrics", text=server.call("GET", "/metrics", admin=True).text)


def test_every_rule_is_evaluated_without_fault(watched: Watched) -> None:
    _, prometheus = watched
    rules = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
    assert len(rules) == len(RECORDED) + len(ALERTS)
    assert [(rule["name"], rule.get("lastError")) for rule in rules if rule["health"] != "ok"] == []


@pytest.mark.parametrize("selector", sorted(SELECTORS))
def test_what_a_query_selects_is_there(watched: Watched, selector: str) -> None:
    """So that no `or` hides a label that is misspelt. No request provokes a 5xx: a 2xx stands for it here."""
    _, prometheus = watched
    prometheus.data(selector.replace('"5..', '"2..'))


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_rule_has_data(watched: Watched, name: str) -> None:
    _, prometheus = watched
    prometheus.data(RECORDED[name])
    prometheus.data(name)


@pytest.mark.parametrize("name", ALERTS)
def test_every_operand_of_an_alert_has_data(watched: Watched, name: str) -> None:
    _, prometheus = watched
    prometheus.data(comparisons_as_numbers(ALERTS[name]["expr"]))


@pytest.mark.parametrize(("title", "target"), QUERIES, ids=[f"{title}-{target['refId']}" for title, target in QUERIES])
def test_a_query_of_the_dashboard_has_data(watched: Watched, title: str, target: dict[str, Any]) -> None:
    """With the labels of its legend."""
    _, prometheus = watched
    legend = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
    assert all(legend <= labels.keys() for labels, _ in prometheus.data(filled_in(target)))


def test_the_dashboard_shows_every_metric_of_the_service(watched: Watched) -> None:
    server, _ = watched
    text = server.call("GET", "/metrics", admin=True).text
    families = {family.name for family in text_string_to_metric_families(text)}
    assert families
    shown = " ".join(target["expr"] for _, target in QUERIES)
    assert {name for name in families if name not in shown} == set()


def test_only_the_jobs_that_are_showcheck_are_watched(watched: Watched) -> None:
    _, prometheus = watched
    assert prometheus.data("showcheck:known") == [({"__name__": "showcheck:known", "job": JOB}, 1)]
    assert {labels["job"] for labels, _ in prometheus.data("up")} == {JOB, "kube-state-metrics"}


def test_prometheus_counts_what_was_sent_to_both_workers(watched: Watched) -> None:
    server, prometheus = watched
    logged = [line for line in server.lines() if line.get("outcome") in {"VALID_SHOW", "WRONG_SHOW", "SCORED"}]
    assert {line["pid"] for line in logged} == server.workers()
    counted = prometheus.data("sum by (outcome) (showcheck_verdicts_total)")
    rule_sets = len(prometheus.data("showcheck:shows:rate30m"))
    assert {labels["outcome"]: count for labels, count in counted} == {
        "VALID_SHOW": len(ROUNDS) * rule_sets,
        "WRONG_SHOW": len(ROUNDS) * rule_sets,
        "SCORED": 2 * len(ROUNDS) * rule_sets,
    }


def test_half_of_the_shows_were_wrong_under_every_rule_set(watched: Watched) -> None:
    _, prometheus = watched
    ratios = prometheus.data("showcheck:wrong_show_ratio:rate30m")
    assert len(ratios) > 1
    # A rate over a handful of scrapes leaves out what the first of them saw, which need not be half and half.
    assert all(ratio == pytest.approx(0.5, abs=0.25) for _, ratio in ratios)


def test_nothing_critical_is_told_of_a_service_that_is_well(watched: Watched) -> None:
    _, prometheus = watched
    prometheus.data("showcheck:known")
    assert [alert for alert in prometheus.get("alerts")["alerts"] if alert["labels"]["severity"] == "critical"] == []


def test_a_worker_that_dies_is_seen_by_its_cache(watched: Watched) -> None:
    server, prometheus = watched
    assert prometheus.data("showcheck:caches_lost:resets30m")[0][1] == 0
    killed = min(server.workers())
    os.kill(killed, signal.SIGKILL)
    server.wait(lambda: prometheus.query("showcheck:caches_lost:resets30m > 0") != [], "lost cache")
    server.wait(server.is_ready, "readiness")
