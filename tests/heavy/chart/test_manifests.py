"""What is installed: the same from both Helms, known to Kubernetes to the last key, and only what was asked for."""

import tarfile
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes_validate import ValidationError, validate

from tests.heavy.chart.charts import (
    ABOUT,
    CASES,
    CHART,
    NAMESPACE,
    NEWEST,
    OLDEST,
    RELEASE,
    ROOT,
    Manifest,
    labels,
    name_of,
    of_kind,
    render,
    run_helm,
    template,
    the,
    values_file,
)
from tests.heavy.chart.tools import HELMS

CUSTOM = yaml.safe_load(Path(__file__).with_name("custom_resources.yaml").read_text(encoding="utf-8"))
CUSTOM_VERSIONS = {
    "HTTPRoute": "gateway.networking.k8s.io/v1",
    "PrometheusRule": "monitoring.coreos.com/v1",
    "ServiceMonitor": "monitoring.coreos.com/v1",
}
# With all of these, there is one of every kind.
FEATURES = ("ingress", "http-route", "network-policy", "service-monitor", "prometheus-rule", "dashboard")
NEEDED = ["Deployment", "Pod", "Service", "Service"]
USUAL = [*NEEDED, "HorizontalPodAutoscaler", "PodDisruptionBudget", "ServiceAccount"]
KINDS = {
    "autoscaling": USUAL,
    "bare": NEEDED,
    "dashboard": [*USUAL, "ConfigMap"],
    "default": USUAL,
    "fixed-replicas": [*NEEDED, "PodDisruptionBudget", "ServiceAccount"],
    "http-route": [*USUAL, "HTTPRoute"],
    "image": USUAL,
    "ingress": [*USUAL, "Ingress"],
    "labels": USUAL,
    "load-balancer": USUAL,
    "name": USUAL,
    "network-policy": [*USUAL, "NetworkPolicy"],
    "network-policy-unwatched": [*USUAL, "NetworkPolicy"],
    "placement": USUAL,
    "prometheus-rule": [*USUAL, "PrometheusRule"],
    "rollout": USUAL,
    "service-account": [*NEEDED, "HorizontalPodAutoscaler", "PodDisruptionBudget"],
    "service-monitor": [*USUAL, "ServiceMonitor"],
    "settings": USUAL,
    "signing": USUAL,
    "verifying": USUAL,
}


def unknown_keys(value: Any, known: Any, path: str = "spec") -> list[str]:
    """The ways to keys that `known`, a part of custom_resources.yaml, does not have."""
    if known is None:
        return []
    if isinstance(value, list):
        return [fault for inner in value for fault in unknown_keys(inner, known, f"{path}[]")]
    if not isinstance(value, dict):
        return [path]
    faults = []
    for key, inner in value.items():
        here = f"{path}.{key}"
        faults += unknown_keys(inner, known.get(key, known.get("*")), here) if {key, "*"} & known.keys() else [here]
    return faults


@pytest.mark.parametrize(("name", "version"), [("helm3", "v3."), ("helm4", "v4.")])
def test_both_major_versions_of_helm_are_really_tried(name: str, version: str) -> None:
    assert run_helm(name, "version", "--short").stdout.startswith(version)


def test_the_chart_has_the_version_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert ABOUT["appVersion"] == ABOUT["version"] == project["version"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", HELMS)
def test_lint_finds_nothing(name: str, case: str) -> None:
    run = run_helm(name, "lint", "--strict", CHART, "--values", values_file(case))
    assert run.returncode == 0, run.stdout + run.stderr
    assert "WARNING" not in run.stdout + run.stderr


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kubernetes", [OLDEST, NEWEST])
def test_both_helms_render_the_same(case: str, kubernetes: str) -> None:
    assert render(case, "helm3", kubernetes) == render(case, "helm4", kubernetes)


@pytest.mark.parametrize("name", HELMS)
def test_a_package_of_the_chart_installs_the_same(name: str, tmp_path: Path) -> None:
    """Without what only tests need."""
    run = run_helm(name, "package", CHART, "--destination", tmp_path)
    assert run.returncode == 0, run.stderr
    (package,) = tmp_path.iterdir()
    with tarfile.open(package) as files:
        assert not [path for path in files.getnames() if path.startswith("showcheck/ci")]
    everything = [option for case in FEATURES for option in ("--values", values_file(case))]
    packed, here = (run_helm(name, "template", RELEASE, chart, *everything) for chart in (package, CHART))
    assert packed.returncode == 0, packed.stderr
    assert packed.stdout == here.stdout


@pytest.mark.parametrize("name", HELMS)
def test_a_cluster_older_than_the_chart_needs_is_refused(name: str) -> None:
    major, minor = OLDEST.split(".")
    older = template(name, kubernetes=f"{major}.{int(minor) - 1}")
    assert older.returncode != 0
    assert "incompatible with Kubernetes" in older.stderr


def test_the_chart_names_the_newest_kubernetes() -> None:
    assert f"the newest, {NEWEST}." in (CHART / "Chart.yaml").read_text(encoding="utf-8")


def test_every_case_has_its_kinds_listed() -> None:
    assert list(KINDS) == CASES


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_installed_that_was_not_asked_for(case: str) -> None:
    assert sorted(manifest["kind"] for manifest in render(case)) == sorted(KINDS[case])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kubernetes", [OLDEST, NEWEST])
def test_kubernetes_knows_every_key(case: str, kubernetes: str) -> None:
    for manifest in render(case, kubernetes=kubernetes):
        if manifest["kind"] not in CUSTOM:
            # It answers with the version whose schemas it took.
            assert validate(manifest, kubernetes, strict=True) == kubernetes


@pytest.mark.parametrize("kubernetes", [OLDEST, NEWEST])
def test_a_key_that_kubernetes_does_not_know_would_be_found(kubernetes: str) -> None:
    deployment = deepcopy(the("default", "Deployment"))
    lifecycle = deployment["spec"]["template"]["spec"]["containers"][0]["lifecycle"]
    lifecycle["preStop"]["snooze"] = lifecycle["preStop"].pop("sleep")
    with pytest.raises(ValidationError, match="snooze"):
        validate(deployment, kubernetes, strict=True)


@pytest.mark.parametrize("case", CASES)
def test_the_definitions_of_custom_resources_know_every_key(case: str) -> None:
    for manifest in render(case):
        if manifest["kind"] in CUSTOM:
            assert manifest.keys() == {"apiVersion", "kind", "metadata", "spec"}
            assert manifest["apiVersion"] == CUSTOM_VERSIONS[manifest["kind"]]
            assert unknown_keys(manifest["spec"], CUSTOM[manifest["kind"]]) == []


def test_every_custom_resource_is_rendered_by_a_case() -> None:
    assert CUSTOM.keys() == CUSTOM_VERSIONS.keys()
    assert CUSTOM.keys() <= {manifest["kind"] for case in CASES for manifest in render(case)}


@pytest.mark.parametrize(
    ("spec", "faults"),
    [
        ({"endpoints": [{"port": "admin"}, {"prot": "admin"}]}, ["spec.endpoints[].prot"]),
        ({"selector": {"app": "showcheck"}}, ["spec.selector.app"]),
        ({"selector": {"matchLabels": {"app": "showcheck"}}}, []),
        ({"selector": "showcheck"}, ["spec.selector"]),
    ],
)
def test_a_key_that_no_definition_knows_would_be_found(spec: Manifest, faults: list[str]) -> None:
    assert unknown_keys(spec, CUSTOM["ServiceMonitor"]) == faults


@pytest.mark.parametrize("case", CASES)
def test_no_two_things_of_a_kind_have_one_name(case: str) -> None:
    names = [(manifest["kind"], name_of(manifest)) for manifest in render(case)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("release", "first"),
    [
        ("demo", "demo-showcheck"),
        ("showcheck", "showcheck"),
        ("eu-showcheck-2", "eu-showcheck-2"),
        # The longest that Helm allows.
        ("r" * 53, "r" * 53),
        # Cut where a hyphen would be the last.
        ("r" * 52, "r" * 52),
    ],
)
def test_names_are_the_release_s_and_fit(release: str, first: str) -> None:
    everything = [option for case in FEATURES for option in ("--values", values_file(case))]
    run = run_helm("helm4", "template", release, CHART, *everything)
    assert run.returncode == 0, run.stderr
    names = {name_of(manifest) for manifest in yaml.safe_load_all(run.stdout) if manifest}
    assert names == {first, f"{first}-admin", f"{first}-dashboard", f"{first}-helm-test"}
    assert max(map(len, names)) <= 63


def test_a_name_can_be_given() -> None:
    assert {name_of(manifest) for manifest in render("name")} == {"showcheck", "showcheck-admin", "showcheck-helm-test"}


@pytest.mark.parametrize("case", CASES)
def test_everything_says_what_it_belongs_to(case: str) -> None:
    for manifest in render(case):
        # Where it is installed is Helm's affair.
        assert manifest["metadata"].get("namespace", NAMESPACE) == NAMESPACE
        assert labels(manifest) | {
            "app.kubernetes.io/name": "showcheck",
            "app.kubernetes.io/instance": RELEASE,
            "app.kubernetes.io/version": ABOUT["appVersion"],
            "app.kubernetes.io/managed-by": "Helm",
            "helm.sh/chart": f"showcheck-{ABOUT['version']}",
        } == labels(manifest)


def test_usual_labels_are_there() -> None:
    """Operators and Grafana look for them."""
    assert labels(the("service-monitor", "ServiceMonitor"))["release"] == "kube-prometheus-stack"
    assert labels(the("prometheus-rule", "PrometheusRule"))["release"] == "kube-prometheus-stack"
    config = of_kind("dashboard", "ConfigMap")[0]
    assert (labels(config)["grafana_dashboard"], labels(config)["team"]) == ("1", "arbiters")
