"""The chart as Helm renders it, case by case, and ways to find something in that."""

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from kubernetes_validate import latest_version

from tests.heavy.chart.tools import FOLDER, HELMS

ROOT: Final = Path(__file__).parents[3]
CHART: Final = ROOT / "helm" / "showcheck"
ABOUT: Final = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
DEFAULTS: Final = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SCHEMA: Final = yaml.safe_load((CHART / "values.schema.json").read_text(encoding="utf-8"))
# What an operator may want, one file each.
CASES: Final = sorted(path.name.removesuffix("-values.yaml") for path in (CHART / "ci").iterdir())
# The oldest Kubernetes that the chart allows, and the newest whose schemas there are.
OLDEST: Final = str(re.findall(r"^>=(\d+\.\d+)\.0-0$", ABOUT["kubeVersion"])[0])
NEWEST: Final = ".".join(latest_version().split(".")[:2])
RELEASE: Final = "demo"
NAMESPACE: Final = "games"

Manifest = dict[str, Any]


def values_file(case: str) -> Path:
    return CHART / "ci" / f"{case}-values.yaml"


def run_helm(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Helm with nobody's configuration, and no cluster."""
    assert name in HELMS
    binary = FOLDER / name
    assert binary.exists(), "python -m tests.heavy.chart.tools fetches it"
    home = {"HOME": str(FOLDER / "home")}
    return subprocess.run([binary, *arguments], env=home, capture_output=True, text=True, timeout=60, check=False)


def template(name: str, *arguments: str | Path, kubernetes: str = NEWEST) -> subprocess.CompletedProcess[str]:
    where = ("--namespace", NAMESPACE, "--kube-version", kubernetes)
    return run_helm(name, "template", RELEASE, CHART, *where, *arguments)


@cache
def render(case: str, name: str = "helm4", kubernetes: str = NEWEST) -> list[Manifest]:
    """All that Helm would install; the list is shared, so look and do not touch."""
    run = template(name, "--values", values_file(case), kubernetes=kubernetes)
    assert run.returncode == 0, run.stderr
    return [manifest for manifest in yaml.safe_load_all(run.stdout) if manifest]


def of_kind(case: str, kind: str) -> list[Manifest]:
    return [manifest for manifest in render(case) if manifest["kind"] == kind]


def the(case: str, kind: str) -> Manifest:
    """The only one of its kind."""
    (manifest,) = of_kind(case, kind)
    return manifest


def service(case: str, component: str) -> Manifest:
    """The Service of the API, `server`, or the one of the `admin` port."""
    (found,) = (each for each in of_kind(case, "Service") if labels(each)["app.kubernetes.io/component"] == component)
    return found


def labels(manifest: Manifest) -> dict[str, str]:
    found: dict[str, str] = manifest["metadata"]["labels"]
    return found


def name_of(manifest: Manifest) -> str:
    return str(manifest["metadata"]["name"])


def pod_template(case: str) -> Manifest:
    found: Manifest = the(case, "Deployment")["spec"]["template"]
    return found


def container(pod: Manifest) -> Manifest:
    """The only container of a pod, or of a pod's template."""
    (found,) = pod["spec"]["containers"]
    return dict(found)


def environment(case: str) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container(pod_template(case))["env"]}


def port_names(case: str) -> dict[str, int]:
    return {each["name"]: each["containerPort"] for each in container(pod_template(case))["ports"]}
