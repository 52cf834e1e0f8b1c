"""The wheel gives a `showcheck` command that runs in any folder: all that it needs is inside."""

import json
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.examples import question
from tests.servers import ROOT, environment, running

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# What an installer calls, without network. Without mypyc too, as compiling takes half a minute.
BUILD = """
import sys
sys.modules["mypyc"] = None
from setuptools import build_meta
getattr(build_meta, sys.argv[1])(sys.argv[2])
"""


def run(*command: str, folder: Path, **variables: str) -> str:
    ended = subprocess.run(
        command, cwd=folder, env=environment(**variables), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def build(kind: str, source: Path, folder: Path) -> Path:
    """The one file that a hook of the build backend makes of `source`."""
    run(sys.executable, "-c", BUILD, kind, str(folder), folder=source)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the wheel of the source archive is installed, without what it depends on."""
    tree, archives, sources, wheels, target = map(tmp_path_factory.mktemp, ("tree", "sdist", "src", "wheel", "target"))
    shutil.copytree(ROOT / "service", tree / "service", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for file in ROOT.iterdir():
        if file.is_file() and file.suffix != ".so":
            shutil.copy(file, tree)
    with tarfile.open(build("build_sdist", tree, archives)) as archive:
        archive.extractall(sources, filter="data")
    wheel = build("build_wheel", next(sources.iterdir()), wheels)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "install")
    run(*pip, "--quiet", "--no-index", "--no-deps", f"--target={target}", str(wheel), folder=wheels)
    return target


def showcheck(installed: Path, folder: Path, *arguments: str) -> str:
    return run(str(installed / "bin/showcheck"), *arguments, folder=folder, PYTHONPATH=str(installed))


def test_help_shows_its_name(installed: Path, tmp_path: Path) -> None:
    assert showcheck(installed, tmp_path, "--help").startswith("usage: showcheck [-h] [--version] COMMAND")
    assert showcheck(installed, tmp_path, "judge", "--help").startswith("usage: showcheck judge [-h]")


def test_it_makes_a_key_and_judges_a_file(installed: Path, tmp_path: Path) -> None:
    public = json.loads(showcheck(installed, tmp_path, "keygen", "key.json"))
    assert public["kid"] == json.loads((tmp_path / "key.json").read_text(encoding="utf-8"))["kid"]
    (tmp_path / "in.ndjson").write_text(json.dumps({"id": "a", "op": "validate", **question()}), encoding="utf-8")
    assert json.loads(showcheck(installed, tmp_path, "judge", "in.ndjson", "--cores", "1"))["status"] == 200


def test_it_serves_from_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    with running([str(installed / "bin/showcheck"), "serve"], tmp_path, PYTHONPATH=str(installed)) as server:
        assert server.call("POST", "/validate", json=question()).json()["points"] == 80
        assert server.call("GET", "/openapi.yaml").content == (ROOT / "openapi.yaml").read_bytes()
        assert server.call("GET", "/version", admin=True).json()["version"] == PROJECT["version"]
    assert not list(tmp_path.iterdir())
