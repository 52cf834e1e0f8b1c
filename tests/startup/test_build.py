"""The build: its version and its contract."""

import tomllib
from pathlib import Path

import pytest

from service.startup import build
from service.startup.build import load_contract, load_version
from service.startup.start_error import StartError

ROOT = Path(__file__).parents[2]


def test_without_its_contract_the_service_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(build, "OPENAPI_FILE", tmp_path / "openapi.yaml")
    with pytest.raises(StartError, match=r"openapi\.yaml: No such file or directory"):
        load_contract()


def test_a_checkout_has_its_own_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is installed."""
    monkeypatch.setattr(build, "version", lambda name: f"1.2.3 of {name}")
    assert load_version() == tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    monkeypatch.setattr(build, "_IS_CHECKOUT", False)
    assert load_version() == "1.2.3 of showcheck"
