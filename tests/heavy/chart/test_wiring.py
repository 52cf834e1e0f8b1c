"""Things find each other: selectors match labels, ports have one name, and nothing leads where it should not."""

import json
import re

import pytest
import yaml

from tests.heavy.chart.charts import (
    CASES,
    CHART,
    RELEASE,
    Manifest,
    container,
    labels,
    name_of,
    of_kind,
    pod_template,
    port_names,
    render,
    service,
    the,
)


def selects(selector: dict[str, str], manifest: Manifest) -> bool:
    assert selector, "nothing asked for is everything"
    return selector.items() <= labels(manifest).items()


def selectors(case: str) -> dict[str, dict[str, str]]:
    """Everything that chooses pods, by what it is."""
    spec = {manifest["kind"]: manifest["spec"] for manifest in render(case) if "spec" in manifest}
    found = {
        "Deployment": spec["Deployment"]["selector"]["matchLabels"],
        "Service": service(case, "server")["spec"]["selector"],
        "Service of the admin port": service(case, "admin")["spec"]["selector"],
    }
    for index, constraint in enumerate(pod_template(case)["spec"]["topologySpreadConstraints"]):
        found[f"spread {index}"] = constraint["labelSelector"]["matchLabels"]
    if "PodDisruptionBudget" in spec:
        found["PodDisruptionBudget"] = spec["PodDisruptionBudget"]["selector"]["matchLabels"]
    if "NetworkPolicy" in spec:
        found["NetworkPolicy"] = spec["NetworkPolicy"]["podSelector"]["matchLabels"]
    return found


@pytest.mark.parametrize("case", CASES)
def test_selectors_choose_the_pods_of_the_service(case: str) -> None:
    """The pod of `helm test` would otherwise be sent hands to judge, and count for disruptions."""
    for what, selector in selectors(case).items():
        assert selects(selector, pod_template(case)), what
        assert not selects(selector, the(case, "Pod")), what
        assert selector["app.kubernetes.io/instance"] == RELEASE, what


@pytest.mark.parametrize("case", CASES)
def test_ports_have_one_name_everywhere(case: str) -> None:
    assert port_names(case).keys() == {"http", "admin"}
    for component, name in (("server", "http"), ("admin", "admin")):
        (port,) = service(case, component)["spec"]["ports"]
        assert (port["name"], port["targetPort"]) == (name, name)


@pytest.mark.parametrize("case", CASES)
def test_the_admin_port_does_not_leave_the_cluster(case: str) -> None:
    """What leads out leads to the Service of the API, which has no other port; the other has not even an address."""
    admin = service(case, "admin")["spec"]
    assert admin["clusterIP"] == "None"
    assert "type" not in admin
    api = name_of(service(case, "server"))
    for ingress in of_kind(case, "Ingress"):
        backends = [path["backend"]["service"] for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]]
        assert backends == [{"name": api, "port": {"name": "http"}}] * 2
    for route in of_kind(case, "HTTPRoute"):
        (rule,) = route["spec"]["rules"]
        assert rule["backendRefs"] == [{"name": api, "port": service(case, "server")["spec"]["ports"][0]["port"]}]


def test_an_ingress_serves_its_hosts_with_their_certificate() -> None:
    spec = the("ingress", "Ingress")["spec"]
    hosts = ["showcheck.example.com", "rummy.example.com"]
    assert [rule["host"] for rule in spec["rules"]] == hosts
    assert spec["tls"] == [{"hosts": hosts, "secretName": "showcheck-tls"}]
    assert spec["ingressClassName"] == "nginx"


def test_a_route_hangs_on_its_gateway() -> None:
    spec = the("http-route", "HTTPRoute")["spec"]
    assert spec["parentRefs"] == [{"name": "public", "namespace": "gateways", "sectionName": "https"}]
    assert spec["hostnames"] == ["showcheck.example.com"]


def test_a_load_balancer_is_the_service_of_the_api() -> None:
    api = service("load-balancer", "server")
    assert (api["spec"]["type"], api["spec"]["ports"][0]["port"]) == ("LoadBalancer", 8000)
    assert api["metadata"]["annotations"] == {"example.com/internal": "true"}


def test_autoscaling_is_of_the_deployment_by_its_cpu() -> None:
    for case, numbers in (("default", (2, 10, 60)), ("autoscaling", (4, 200, 55))):
        scaler, deployment = the(case, "HorizontalPodAutoscaler")["spec"], the(case, "Deployment")
        assert scaler["scaleTargetRef"] == {
            "apiVersion": deployment["apiVersion"],
            "kind": "Deployment",
            "name": name_of(deployment),
        }
        (metric,) = scaler["metrics"]
        target = metric["resource"]["target"]
        assert (metric["resource"]["name"], target["type"]) == ("cpu", "Utilization")
        assert (scaler["minReplicas"], scaler["maxReplicas"], target["averageUtilization"]) == numbers
        # A percentage of what is asked for: without that, there is nothing to compare with.
        assert container(pod_template(case))["resources"]["requests"]["cpu"]


@pytest.mark.parametrize(("case", "number"), [("default", 1), ("rollout", "20%")])
def test_a_drain_takes_a_few_pods_at_a_time(case: str, number: int | str) -> None:
    assert the(case, "PodDisruptionBudget")["spec"]["maxUnavailable"] == number


def test_the_network_policy_opens_the_right_ports() -> None:
    """Callers come to the API, and monitoring to the admin port."""
    policy = the("network-policy", "NetworkPolicy")["spec"]
    api, admin = policy["ingress"]
    assert [[port["port"] for port in rule["ports"]] for rule in (api, admin)] == [["http"], ["admin"]]
    *callers, test = api["from"]
    assert callers == [
        {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "game-backend"}}},
        {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress-nginx"}}},
    ]
    assert selects(test["podSelector"]["matchLabels"], the("network-policy", "Pod"))
    assert admin["from"] == [
        {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}},
            "podSelector": {"matchLabels": {"app.kubernetes.io/name": "prometheus"}},
        },
        {"ipBlock": {"cidr": "10.0.0.0/24"}},
    ]


@pytest.mark.parametrize("case", ["network-policy", "network-policy-unwatched"])
def test_the_network_lets_in_nobody_else_and_nothing_out(case: str) -> None:
    policy = the(case, "NetworkPolicy")["spec"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert "egress" not in policy
    # A rule without ports is for all of them, one without peers for everybody.
    assert all(rule["ports"] and rule["from"] for rule in policy["ingress"])


def test_without_monitoring_the_admin_port_is_shut() -> None:
    rules = the("network-policy-unwatched", "NetworkPolicy")["spec"]["ingress"]
    assert [[port["port"] for port in rule["ports"]] for rule in rules] == [["http"]]


def test_every_pod_is_scraped_once() -> None:
    """On its admin port."""
    monitor = the("service-monitor", "ServiceMonitor")["spec"]
    selector = monitor["selector"]["matchLabels"]
    chosen = [each for each in of_kind("service-monitor", "Service") if selects(selector, each)]
    assert chosen == [service("service-monitor", "admin")]
    (endpoint,) = monitor["endpoints"]
    assert endpoint == {"port": chosen[0]["spec"]["ports"][0]["name"], "path": "/metrics", "interval": "15s"}


def test_the_job_of_prometheus_is_called_like_the_release() -> None:
    label = the("service-monitor", "ServiceMonitor")["spec"]["jobLabel"]
    assert labels(service("service-monitor", "admin"))[label] == RELEASE


def test_the_alerts_arrive_as_they_are_written() -> None:
    """With the braces that are for Prometheus and not for Helm."""
    alerts = (CHART / "files" / "alerts.yaml").read_text(encoding="utf-8")
    assert "{{ $" in alerts
    assert the("prometheus-rule", "PrometheusRule")["spec"] == yaml.safe_load(alerts)


def test_the_alerts_watch_the_container_of_the_deployment() -> None:
    watched = set(re.findall(r'container="([^"]*)"', (CHART / "files" / "alerts.yaml").read_text(encoding="utf-8")))
    assert watched == {container(pod_template("default"))["name"]}


def test_the_dashboard_arrives_as_it_is_written() -> None:
    (text,) = the("dashboard", "ConfigMap")["data"].values()
    dashboard = json.loads((CHART / "files" / "dashboard.json").read_text(encoding="utf-8"))
    assert dashboard["title"]
    assert json.loads(text) == dashboard
