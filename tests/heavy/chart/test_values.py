"""What can be set: every value is explained and checked, and nothing else is accepted."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.startup import settings as config
from tests.heavy.chart.charts import CHART, DEFAULTS, SCHEMA, template
from tests.heavy.chart.tools import HELMS

# Mappings of which anything may be left out: what they hold is Kubernetes' or the operator's.
OPEN = {"podLabels", "podAnnotations", "nodeSelector", "affinity", "resources"}

REFUSED: list[tuple[str, Any]] = [
    # Names that there are not, at every depth.
    ("replicaCount", 3),
    ("image.tagg", "1"),
    ("settings.treads", 4),
    ("signing.secret", "keys"),
    ("autoscaling.targetCPU", 70),
    ("resources.request", {}),
    ("podDisruptionBudget.minAvailable", 1),
    ("serviceAccount.token", True),
    ("service.adminPort", 9090),
    ("ingress.host", "showcheck.example.com"),
    ("httpRoute.gateway", "public"),
    ("networkPolicy.from", []),
    ("serviceMonitor.port", "admin"),
    ("prometheusRule.rules", []),
    ("dashboard.folder", "Games"),
    ("tolerations", [{"keys": "dedicated"}]),
    ("affinity.nodes", {}),
    ("imagePullSecrets", [{"secret": "registry"}]),
    ("networkPolicy.callers", [{"pods": {}}]),
    ("networkPolicy.callers", [{"podSelector": {"labels": {}}}]),
    ("networkPolicy.monitoring", [{"ipBlock": {"range": "10.0.0.0/8"}}]),
    ("httpRoute.parentRefs", [{"name": "public", "section": "https"}]),
    # Values of another type.
    ("fullnameOverride", 1),
    ("image.tag", 1.1),
    ("image.repository", None),
    ("imagePullSecrets", ["registry"]),
    ("settings", None),
    ("settings.port", "8080"),
    ("settings.threads", 1.5),
    ("replicas", "2"),
    ("autoscaling.enabled", "yes"),
    ("resources", []),
    ("resources.limits.memory", ["1Gi"]),
    ("preStopSleepSeconds", "10s"),
    ("podLabels", {"team": 1}),
    ("podAnnotations", {"enabled": True}),
    ("nodeSelector", ["amd64"]),
    ("tolerations", {"key": "dedicated"}),
    ("ingress.hosts", "showcheck.example.com"),
    ("ingress.hosts", [{"host": "showcheck.example.com"}]),
    ("networkPolicy.callers", {"podSelector": {}}),
    ("serviceMonitor.interval", 30),
    ("dashboard.labels", {"grafana_dashboard": 1}),
    # Values out of range.
    ("replicas", -1),
    ("settings.port", 0),
    ("settings.port", 80),
    ("settings.adminPort", 65_536),
    ("settings.workers", 0),
    ("settings.workers", 65),
    ("settings.threads", 257),
    ("settings.cacheSize", -1),
    ("settings.cacheSize", 10_000_001),
    ("settings.logLevel", "info"),
    ("settings.logLevel", "TRACE"),
    ("signing.existingSecret", "My Secret"),
    ("signing.key", "../key.json"),
    ("signing.verifyKeys", ""),
    ("autoscaling.minReplicas", 0),
    ("autoscaling.targetCPUPercent", 101),
    ("preStopSleepSeconds", 0),
    ("preStopSleepSeconds", 301),
    ("minReadySeconds", -1),
    ("podDisruptionBudget.maxUnavailable", 0),
    ("podDisruptionBudget.maxUnavailable", "0%"),
    ("podDisruptionBudget.maxUnavailable", "one"),
    ("service.port", 65_536),
    # Values of another form.
    ("fullnameOverride", "Showcheck"),
    ("fullnameOverride", "s" * 54),
    ("image.repository", "showcheck:latest"),
    ("image.repository", "show check"),
    ("image.tag", "a/b"),
    ("image.digest", "sha256:0123"),
    ("image.pullPolicy", "Sometimes"),
    ("resources.requests.cpu", "one"),
    ("resources.limits.memory", "384 Mi"),
    ("resources.requests.memory", "-1Gi"),
    ("spread", "Evenly"),
    ("service.type", "ExternalName"),
    ("serviceAccount.name", "my account"),
    ("priorityClassName", "High!"),
    ("ingress.tlsSecret", "a secret"),
    ("ingress.hosts", ["https://showcheck.example.com"]),
    ("ingress.hosts", ["a.example.com", "a.example.com"]),
    ("httpRoute.hostnames", ["showcheck.example.com:443"]),
    ("serviceMonitor.interval", "half a minute"),
    ("tolerations", [{"effect": "NoEntry"}]),
    ("networkPolicy.callers", [{}]),
    ("networkPolicy.callers", [{"ipBlock": {}}]),
    ("httpRoute.parentRefs", [{"namespace": "gateways"}]),
    # What makes no sense without another value: nobody would be served, or everybody.
    ("ingress.enabled", True),
    ("httpRoute.enabled", True),
    ("networkPolicy.enabled", True),
]


def properties(schema: Any) -> dict[str, Any]:
    found: dict[str, Any] = schema["properties"]
    return {name: inner for name, inner in found.items() if name != "global"}


@pytest.mark.parametrize("name", HELMS)
@pytest.mark.parametrize(("path", "value"), REFUSED, ids=json.dumps)
def test_what_cannot_be_meant_is_refused_and_named(name: str, path: str, value: Any, tmp_path: Path) -> None:
    *way, last = path.split(".")
    values: dict[str, Any] = {last: value}
    for key in reversed(way):
        values = {key: values}
    file = tmp_path / "values.yaml"
    file.write_text(json.dumps(values), encoding="utf-8")
    run = template(name, "--values", file)
    assert run.returncode != 0, run.stdout
    assert "values don't meet the specifications of the schema" in run.stderr
    assert last in run.stderr or way[-1] in run.stderr


@pytest.mark.parametrize("name", HELMS)
@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ("settings.port=9090", "settings.adminPort: must differ from settings.port, both are 9090"),
        ("autoscaling.minReplicas=11", "autoscaling: minReplicas 11 is above maxReplicas 10"),
    ],
)
def test_what_a_schema_cannot_say_is_refused_as_well(name: str, options: str, fault: str) -> None:
    run = template(name, "--set", options)
    assert run.returncode != 0
    assert fault in run.stderr


@pytest.mark.parametrize("name", HELMS)
@pytest.mark.parametrize(
    "option",
    ["resources.limits=null", "resources.requests.cpu=0.5", "global.imageRegistry=example.com", "replicas=0"],
)
def test_what_operators_do_is_accepted(name: str, option: str) -> None:
    run = template(name, "--set", option)
    assert run.returncode == 0, run.stderr


def number_of(values: Any) -> int:
    """How many values there are; an empty list or mapping is one too."""
    return sum(map(number_of, values.values())) if isinstance(values, dict) and values else 1


def objects(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema of an object, however deep, with the way to it."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield path, schema
        for name, inner in schema.items():
            yield from objects(inner, f"{path}/{name}")


@pytest.mark.parametrize("name", [None, *(name for name in DEFAULTS if isinstance(DEFAULTS[name], dict))])
def test_the_schema_has_exactly_the_values(name: str | None) -> None:
    values, schema = (DEFAULTS[name], SCHEMA["properties"][name]) if name else (DEFAULTS, SCHEMA)
    if name in OPEN:
        assert "required" not in schema
        assert values.keys() <= properties(schema).keys() if "properties" in schema else "$ref" in schema
    else:
        assert list(properties(schema)) == list(values)
        # So that a null, which takes a default away, is refused by name.
        assert schema["required"] == list(values)


def test_an_object_of_the_schema_says_which_keys_it_takes() -> None:
    assert [path for path, schema in objects(SCHEMA) if "additionalProperties" not in schema] == [
        "/definitions/selector/properties/matchExpressions/items",
        "/properties/global",
        "/properties/affinity/properties/nodeAffinity",
        "/properties/affinity/properties/podAffinity",
        "/properties/affinity/properties/podAntiAffinity",
    ]


def test_every_value_has_its_comment() -> None:
    lines = (CHART / "values.yaml").read_text(encoding="utf-8").splitlines()
    values = [number for number, line in enumerate(lines) if re.match(r"\s*\w+: \S", line)]
    assert len(values) == number_of(DEFAULTS)
    assert [lines[number] for number in values if not re.match(r"\s*# \S", lines[number - 1])] == []


def test_the_schema_allows_what_the_service_accepts() -> None:
    settings = properties(SCHEMA["properties"]["settings"])
    for field, name in (("cache_size", "cacheSize"), ("threads", "threads"), ("workers", "workers")):
        _, low, high = config._NUMBERS[field]
        assert settings[name] == {"type": "integer", "minimum": low, "maximum": high}
    assert settings["logLevel"]["enum"] == list(config.LOG_LEVELS)


def test_the_defaults_are_those_of_the_service() -> None:
    given, own = DEFAULTS["settings"], config.Settings()
    assert given == {
        "port": own.port,
        "adminPort": own.admin_port,
        "workers": own.workers,
        "threads": own.threads,
        "cacheSize": own.cache_size,
        "logLevel": own.log_level,
    }
