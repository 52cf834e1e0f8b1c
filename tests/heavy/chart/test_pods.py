"""A pod: hardened, told everything that the service can be told, and gone only when nobody is served any more."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from service.signing.keys import new_key
from service.startup import settings as config
from service.startup.settings import Settings, load_keys, load_settings
from tests.heavy.chart.charts import (
    ABOUT,
    CASES,
    ROOT,
    Manifest,
    container,
    environment,
    labels,
    name_of,
    pod_template,
    port_names,
    the,
)

KEY = new_key()
KEY_FILES = {"SHOWCHECK_SIGNING_KEY_FILE": "signing_key_file", "SHOWCHECK_VERIFY_KEYS_FILE": "verify_keys_file"}
# What a pod may mount beside its own memory.
MOUNTED = {"signing": {"signing", "verify"}, "verifying": {"verify"}}


def pods(case: str) -> list[Manifest]:
    """The pod of the Deployment and that of `helm test`."""
    return [pod_template(case), the(case, "Pod")]


def load(monkeypatch: pytest.MonkeyPatch, folder: Path, case: str) -> Settings:
    """What the service makes of the environment of a pod."""
    for name in list(os.environ):
        if name.startswith("SHOWCHECK_") or name == "WEB_CONCURRENCY":
            monkeypatch.delenv(name)
    for name, value in environment(case).items():
        monkeypatch.setenv(name, str(folder / value[1:]) if name in KEY_FILES else value)
    # The files that the kubelet would mount.
    template = pod_template(case)
    mounts = {mount["name"]: folder / mount["mountPath"][1:] for mount in container(template)["volumeMounts"]}
    for volume in template["spec"]["volumes"]:
        for item in volume.get("secret", volume.get("configMap", {})).get("items", []):
            (file := mounts[volume["name"]] / item["path"]).parent.mkdir(parents=True)
            file.write_text(json.dumps(KEY if "secret" in volume else {"keys": []}), encoding="utf-8")
            file.chmod(volume["secret"]["defaultMode"] | 0o040 if "secret" in volume else 0o644)
    return load_settings()


@pytest.mark.parametrize("case", CASES)
def test_a_pod_is_as_restricted_as_kubernetes_knows(case: str) -> None:
    """More than the Pod Security Standard "restricted": the root file system is read-only too."""
    for pod in pods(case):
        spec = pod["spec"]
        group = spec["securityContext"].get("fsGroup")
        # So that it may read the key, and only then.
        assert group == (10_001 if case == "signing" and pod == pod_template(case) else None)
        assert {name: value for name, value in spec["securityContext"].items() if name != "fsGroup"} == {
            "runAsNonRoot": True,
            "runAsUser": 10_001,
            "runAsGroup": 10_001,
            "seccompProfile": {"type": "RuntimeDefault"},
        }
        assert container(pod)["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & spec.keys()
        mounted = {volume["name"] for volume in spec.get("volumes", []) if volume.keys() != {"name", "emptyDir"}}
        assert mounted <= MOUNTED.get(case, set())


@pytest.mark.parametrize("case", CASES)
def test_no_pod_gets_a_token_of_the_cluster(case: str) -> None:
    assert all(pod["spec"]["automountServiceAccountToken"] is False for pod in pods(case))
    if case not in {"bare", "service-account"}:
        account = the(case, "ServiceAccount")
        assert account["automountServiceAccountToken"] is False
        assert {pod["spec"]["serviceAccountName"] for pod in pods(case)} == {name_of(account)}
        assert name_of(account) == name_of(the(case, "Deployment"))


@pytest.mark.parametrize(("case", "account"), [("bare", "default"), ("service-account", "games")])
def test_an_account_that_is_not_made_is_one_that_is_there(case: str, account: str) -> None:
    assert {pod["spec"]["serviceAccountName"] for pod in pods(case)} == {account}


@pytest.mark.parametrize("case", CASES)
def test_the_service_starts_with_the_environment_of_the_pod(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, case: str
) -> None:
    settings = load(monkeypatch, tmp_path, case)
    assert {"http": settings.port, "admin": settings.admin_port} == port_names(case)
    files = {KEY_FILES[name]: getattr(settings, KEY_FILES[name]) for name in environment(case).keys() & KEY_FILES}
    assert all(files.values())
    assert len(files) == len(MOUNTED.get(case, ()))
    assert settings == (
        Settings(18_080, 19_090, 10_000_000, "DEBUG", 2, 2) if case == "settings" else Settings(**files)
    )
    assert (load_keys(settings).signing is not None) == (case == "signing")


def test_every_setting_of_the_service_is_in_the_environment() -> None:
    """But for the one that is the image's own: whether its core has to be compiled."""
    known = config._NEEDED.keys() - {"SHOWCHECK_REQUIRE_COMPILED"} | {"PROMETHEUS_MULTIPROC_DIR"}
    assert environment("signing").keys() == known
    assert environment("default").keys() == known - KEY_FILES.keys()


def test_keys_are_mounted_read_only() -> None:
    """And nobody else can read the secret."""
    template = pod_template("signing")
    mounts = {mount["name"]: mount for mount in container(template)["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in template["spec"]["volumes"]}
    assert all(mounts[name]["readOnly"] for name in MOUNTED["signing"])
    assert volumes["signing"]["secret"] == {
        "secretName": "showcheck-signing",
        "defaultMode": 0o400,
        "items": [{"key": "2026-11.json", "path": "key.json"}],
    }
    assert volumes["verify"]["configMap"]["items"] == [{"key": "verify-keys.json", "path": "keys.json"}]
    given = environment("signing")
    assert given["SHOWCHECK_SIGNING_KEY_FILE"] == mounts["signing"]["mountPath"] + "/key.json"
    assert given["SHOWCHECK_VERIFY_KEYS_FILE"] == mounts["verify"]["mountPath"] + "/keys.json"


@pytest.mark.parametrize("case", CASES)
def test_no_service_puts_its_address_among_the_settings(case: str) -> None:
    """A Service called showcheck would make SHOWCHECK_PORT tcp://10.0.0.1:80."""
    assert all(pod["spec"]["enableServiceLinks"] is False for pod in pods(case))


@pytest.mark.parametrize("case", CASES)
def test_written_files_lie_in_bounded_memory(case: str) -> None:
    template = pod_template(case)
    volumes = {volume["name"]: volume["emptyDir"] for volume in template["spec"]["volumes"] if "emptyDir" in volume}
    written = [mount for mount in container(template)["volumeMounts"] if not mount.get("readOnly")]
    mounts = {mount["mountPath"]: mount["name"] for mount in written}
    assert mounts.keys() == {"/tmp", "/dev/shm"}  # noqa: S108
    assert set(mounts.values()) == volumes.keys()
    assert all(volume["medium"] == "Memory" for volume in volumes.values())
    assert all(re.fullmatch(r"\d+Mi", volume["sizeLimit"]) for volume in volumes.values())
    assert environment(case)["PROMETHEUS_MULTIPROC_DIR"].startswith("/tmp/")  # noqa: S108


@pytest.mark.parametrize("case", CASES)
def test_a_pod_has_time_to_answer_all_that_it_was_sent(case: str) -> None:
    spec = pod_template(case)["spec"]
    sleep = container(pod_template(case))["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert sleep == (30 if case == "rollout" else 10)
    configuration = (ROOT / "gunicorn.conf.py").read_text(encoding="utf-8")
    (server,) = re.findall(r"^graceful_timeout = (\d+)$", configuration, re.MULTILINE)
    assert spec["terminationGracePeriodSeconds"] >= sleep + int(server) + 5


@pytest.mark.parametrize("case", CASES)
def test_a_rollout_never_has_fewer_pods_than_before(case: str) -> None:
    spec = the(case, "Deployment")["spec"]
    assert spec["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": "25%"}}
    assert spec["minReadySeconds"] == (60 if case == "rollout" else 10)


@pytest.mark.parametrize("case", CASES)
def test_the_probes_ask_the_admin_port(case: str) -> None:
    server = container(pod_template(case))
    probes = {name: server[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert probes == {
        "startupProbe": {"path": "/livez", "port": "admin"},
        "livenessProbe": {"path": "/livez", "port": "admin"},
        "readinessProbe": {"path": "/readyz", "port": "admin"},
    }


def test_a_pod_is_unready_before_it_is_restarted() -> None:
    server = container(pod_template("default"))
    probes = (server["readinessProbe"], server["livenessProbe"])
    assert [probe["periodSeconds"] * probe["failureThreshold"] for probe in probes] == [15, 60]


@pytest.mark.parametrize("case", CASES)
def test_pods_are_spread_over_nodes_and_zones(case: str) -> None:
    constraints = pod_template(case)["spec"]["topologySpreadConstraints"]
    assert [each["topologyKey"] for each in constraints] == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    policy = "DoNotSchedule" if case == "placement" else "ScheduleAnyway"
    assert {each["whenUnsatisfiable"] for each in constraints} == {policy}


def test_autoscaling_alone_sets_the_number_of_pods() -> None:
    """A number in the Deployment would be gone back to with every upgrade."""
    assert "replicas" not in the("default", "Deployment")["spec"]
    assert the("fixed-replicas", "Deployment")["spec"]["replicas"] == 5
    assert the("bare", "Deployment")["spec"]["replicas"] == 2


@pytest.mark.parametrize("case", CASES)
def test_memory_is_bounded_and_cpu_is_not(case: str) -> None:
    for pod in pods(case):
        resources = container(pod)["resources"]
        assert resources["requests"].keys() == {"cpu", "memory"}
        assert resources["limits"].keys() == {"memory"}
        assert all(re.fullmatch(r"[\d.]+[MG]i", part["memory"]) for part in resources.values())


@pytest.mark.parametrize(("case", "least"), [("default", 1), ("settings", 2)])
def test_every_worker_has_a_core_to_ask_for(case: str, least: int) -> None:
    assert int(container(pod_template(case))["resources"]["requests"]["cpu"]) >= least


@pytest.mark.parametrize("case", CASES)
def test_the_image_is_that_of_this_version(case: str) -> None:
    """Unless another is named."""
    given = "registry.example.com:5000/games/showcheck@sha256:" + "0123456789abcdef" * 4
    wanted = (given, "Always") if case == "image" else (f"showcheck:{ABOUT['appVersion']}", "IfNotPresent")
    assert {(container(pod)["image"], container(pod)["imagePullPolicy"]) for pod in pods(case)} == {wanted}
    secrets = [{"name": "registry"}] if case == "image" else None
    assert all(pod["spec"].get("imagePullSecrets") == secrets for pod in pods(case))


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("nodeSelector", {"kubernetes.io/arch": "amd64"}),
        ("tolerations", [{"key": "dedicated", "operator": "Equal", "value": "games", "effect": "NoSchedule"}]),
    ],
)
def test_pods_run_where_they_are_allowed_to(key: str, wanted: Any) -> None:
    assert [pod["spec"][key] for pod in pods("placement")] == [wanted, wanted]
    assert all(key not in pod["spec"] for pod in pods("default"))


def test_affinity_and_priority_are_the_operator_s() -> None:
    spec = pod_template("placement")["spec"]
    assert spec["priorityClassName"] == "games"
    assert spec["affinity"].keys() == {"nodeAffinity"}
    assert not {"priorityClassName", "affinity"} & pod_template("default")["spec"].keys()


def test_labels_and_annotations_are_added() -> None:
    template = pod_template("labels")
    assert labels(template) == labels(pod_template("default")) | {"team": "arbiters"}
    assert template["metadata"]["annotations"] == {"example.com/note": "{{ not a template }}"}
