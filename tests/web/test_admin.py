"""The admin port: probes, version and metrics, and nothing of the API."""

import platform
import tomllib
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.game import search
from service.web.admin import ADMIN_PATHS
from tests.contract import value_of

API_PATHS = ["/validate", "/score", "/rule-sets", "/rule-sets/online-13", "/openapi.yaml"]


@pytest.mark.parametrize("path", sorted(ADMIN_PATHS))
def test_an_admin_path_is_on_the_admin_port_only(client: FlaskClient, admin: FlaskClient, path: str) -> None:
    assert admin.get(path).status_code == 200
    assert admin.post(path).status_code == 405
    for method in ("GET", "POST"):
        assert client.open(path, method=method).status_code == 404


@pytest.mark.parametrize("path", API_PATHS)
def test_an_api_path_is_not_on_the_admin_port(admin: FlaskClient, path: str) -> None:
    for method in ("GET", "POST"):
        assert admin.open(path, method=method).status_code == 404


def test_a_forged_host_header_opens_no_admin_path(client: FlaskClient) -> None:
    forged = {"Host": "localhost:9090", "X-Forwarded-Port": "9090", "X-Forwarded-Host": "localhost:9090"}
    assert client.get("/metrics", headers=forged).status_code == 404


def test_the_probes(admin: FlaskClient) -> None:
    assert value_of(admin.get("/livez")) == {"status": "ok"}
    assert value_of(admin.get("/readyz")) == {"status": "ready"}


def test_the_version_names_what_runs(admin: FlaskClient, client: FlaskClient) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    answer = value_of(admin.get("/version"))
    assert answer["version"] == project["version"]
    assert answer["python"] == platform.python_version()
    assert answer["compiled"] == (Path(search.__file__).suffix != ".py")
    listed = value_of(client.get("/rule-sets"))["rule_sets"]
    assert answer["rule_sets"] == [{key: each[key] for key in ("name", "version", "digest")} for each in listed]
