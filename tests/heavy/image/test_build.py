"""The image as it lies there: what is in it, what is not, what it says about itself, and when there is none."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.heavy.image.conftest import REVISION, build, copy_of_the_tree, engine, output
from tests.servers import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MEGABYTE = 1_000_000
# What Debian's Python (some 45 MB), the packages that run (11) and the service (2) may come to.
MAX_ADDED = 80 * MEGABYTE


def names(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if not file.is_dir()}


def test_the_labels_say_what_it_is(config: dict[str, Any]) -> None:
    prefix = "org.opencontainers.image."
    labels = {name.removeprefix(prefix): text for name, text in config["Labels"].items() if name.startswith(prefix)}
    assert labels == {
        "title": PROJECT["name"],
        "description": PROJECT["description"],
        "version": PROJECT["version"],
        "revision": REVISION,
    }


def test_it_runs_gunicorn_itself_as_a_user_known_by_number(config: dict[str, Any]) -> None:
    assert config["Config"]["Entrypoint"] == ["python3", "-m", "service", "serve"]
    assert config["Config"]["User"] == "10001:10001"
    assert config["Config"]["ExposedPorts"].keys() == {"8080/tcp", "9090/tcp"}


def test_it_holds_the_service_and_nothing_else_of_the_tree(files: Path) -> None:
    tracked = subprocess.run(["git", "ls-files", "service"], cwd=ROOT, capture_output=True, text=True, check=True)
    found = {name for name in names(files / "app") if not name.endswith((".so", ".pyc"))}
    assert found == {*tracked.stdout.split(), "LICENSE", "gunicorn.conf.py", "openapi.yaml", "pyproject.toml"}


def test_it_holds_no_compiled_code_but_its_own(files: Path) -> None:
    app = files / "app"
    modules = {file.parent / file.name.split(".")[0] for file in app.glob("service/**/*.so")}
    assert app / "service/game/solver" in modules
    assert all(module.with_suffix(".py").exists() for module in modules)
    assert len(list(app.rglob("*.so"))) == len(modules) + 1
    assert len(list(app.glob("*__mypyc.*.so"))) == 1


def test_no_start_has_to_translate_the_source(files: Path) -> None:
    """Bytecode counts only if it knows the time of its source, and where nothing can be written it is never renewed."""
    sources = list((files / "app/service").rglob("*.py"))
    assert sources
    for source in sources:
        (bytecode,) = source.parent.glob(f"__pycache__/{source.stem}.*.pyc")
        assert int.from_bytes(bytecode.read_bytes()[8:12], "little") == int(source.stat().st_mtime)


def test_every_user_can_read_it(files: Path) -> None:
    for file in (files / "app").rglob("*"):
        assert file.stat().st_mode & 0o777 in ((0o755,) if file.is_dir() or file.suffix == ".so" else (0o644,)), file


def test_nothing_in_it_compiles_or_installs(files: Path) -> None:
    programs = {
        file.name
        for folder in ("usr/bin", "usr/sbin", "usr/local/bin", "opt/venv/bin")
        for file in (files / folder).iterdir()
    }
    assert {"python3", "gunicorn"} <= programs
    assert programs.isdisjoint({"as", "c++", "cc", "clang", "cpp", "g++", "gcc", "git", "ld", "make", "pip", "pip3"})
    packages = {file.parent.name for file in files.rglob("__init__.py")}
    assert {"flask", "service"} <= packages
    assert packages.isdisjoint({"ensurepip", "mypy", "mypyc", "pip", "setuptools", "tests"})
    assert not list(files.rglob("Python.h"))


def test_nothing_is_left_of_what_was_downloaded(files: Path) -> None:
    assert names(files / "var/lib/apt/lists") == set()
    assert names(files / "var/cache/apt") == set()
    assert not {".cache", ".local"} & {folder.name for folder in (files / "root").iterdir()}


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "service/game/held.py",
            "\nPOINT: Final = 64\n",
            "\nPOINT: int = '64'\n",
            "Incompatible types in assignment",
        ),
        (
            "Dockerfile",
            "\nWORKDIR /build/app\n",
            "\nWORKDIR /build/app\nENV CC=false\n",
            "Command '['false'",
        ),
    ],
    ids=["source that cannot be compiled", "compiler that fails"],
)
def test_there_is_no_image_with_an_interpreted_core(
    image: str, tmp_path: Path, file: str, old: str, new: str, said: str
) -> None:
    broken = copy_of_the_tree(tmp_path) / file
    text = broken.read_text(encoding="utf-8")
    assert old in text
    broken.write_text(text.replace(old, new, 1), encoding="utf-8")
    refuse(tmp_path, "setup.py", said)


def test_there_is_no_image_under_the_version_of_another(image: str, tmp_path: Path) -> None:
    refuse(copy_of_the_tree(tmp_path), "grep", "another version than 99.0", "VERSION=99.0")


def refuse(context: Path, step: str, said: str, *variables: str) -> None:
    """Try to build; that has to fail at the step, for the reason, and to leave no image."""
    refused = build(context, "localhost/showcheck-refused", *variables)
    assert refused.returncode != 0
    *_, last = re.findall(r"^Error: building at STEP \"(.*)", refused.stderr, re.MULTILINE)
    assert step in last
    assert said in refused.stdout + refused.stderr
    assert engine("podman", "image", "exists", "localhost/showcheck-refused").returncode == 1


def test_it_stays_small(base: str, config: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    bare = int(output("podman", "image", "inspect", "--format={{.Size}}", base))
    added = config["Size"] - bare
    with capsys.disabled():
        sys.stdout.write(
            f"\nThe image: {config['Size'] / MEGABYTE:.0f} MB, {added / MEGABYTE:.0f} MB of them on top of Debian\n"
        )
    assert added < MAX_ADDED
