"""compose.yaml says what the project, the chart and the image say; no container engine is needed to see that."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from service.startup.settings import Settings, load_settings

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
SHOWCHECK, KEYGEN, PROMETHEUS = (SERVICES[name] for name in ("showcheck", "keygen", "prometheus"))


def mounts(service: dict[str, Any]) -> dict[str, str]:
    """Where in the container what is mounted lies, with its source."""
    return {target: source for source, target, *_ in (each.split(":") for each in service["volumes"])}


def test_the_image_has_the_version_of_the_project() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert SHOWCHECK["image"] == KEYGEN["image"] == f"showcheck:{version}"


def test_it_sets_what_the_chart_sets() -> None:
    chart = (ROOT / "helm/showcheck/templates/deployment.yaml").read_text(encoding="utf-8")
    names = set(re.findall(r"^ +- name: ([A-Z_]+)$", chart, re.MULTILINE))
    assert SHOWCHECK["environment"].keys() == names - {"SHOWCHECK_VERIFY_KEYS_FILE"}


def test_its_settings_are_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("SHOWCHECK_"):
            monkeypatch.delenv(name)
    for name, value in SHOWCHECK["environment"].items():
        if name not in {"SHOWCHECK_SIGNING_KEY_FILE", "PROMETHEUS_MULTIPROC_DIR"}:
            monkeypatch.setenv(name, value)
    assert load_settings() == Settings()


def test_only_the_api_can_be_reached_from_outside() -> None:
    assert SHOWCHECK["ports"] == [f"{Settings.port}:{Settings.port}"]
    assert all(port.startswith("127.0.0.1:") for port in PROMETHEUS["ports"])
    assert "ports" not in KEYGEN


@pytest.mark.parametrize("name", SERVICES)
def test_every_container_is_locked_down(name: str) -> None:
    """It has no rights, and a read-only root."""
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_the_health_check_is_the_images_own() -> None:
    assert "healthcheck" not in SHOWCHECK


def test_the_server_reads_the_key_that_keygen_makes() -> None:
    key = SHOWCHECK["environment"]["SHOWCHECK_SIGNING_KEY_FILE"]
    assert KEYGEN["entrypoint"][-2:] == ["keygen", key]
    assert mounts(KEYGEN) == mounts(SHOWCHECK) == {str(Path(key).parent): "signing"}


def test_what_is_mounted_is_there() -> None:
    sources = {source for service in SERVICES.values() for source in mounts(service).values()}
    assert {source for source in sources if not source.startswith("./")} == COMPOSE["volumes"].keys()
    assert all((ROOT / source).is_file() for source in sources if source.startswith("./"))


def test_prometheus_scrapes_the_admin_port() -> None:
    """And has the alerts of the chart."""
    mounted = mounts(PROMETHEUS)
    config = yaml.safe_load((ROOT / mounted["/etc/prometheus/prometheus.yml"]).read_text(encoding="utf-8"))
    (job,) = config["scrape_configs"]
    assert job["static_configs"] == [{"targets": [f"showcheck:{Settings.admin_port}"]}]
    assert [mounted[file] for file in config["rule_files"]] == ["./helm/showcheck/files/alerts.yaml"]
