"""The set-up keeps its promises: exact pins, a core that needs no package, docs that say what is."""

import json
import re
import subprocess
import sys
import tomllib
from io import StringIO
from pathlib import Path

import pytest

from service.game.reasons import ReasonCode
from service.limits import (
    MAX_ARRIVAL_SECONDS,
    MAX_BATCH_BYTES,
    MAX_BODY_BYTES,
    MAX_FAULTS,
    MAX_ITEMS,
    MAX_QUEUED,
    MAX_QUEUED_BATCHES,
)
from service.startup.settings import Settings
from service.startup.state import read_state
from service.telemetry.metrics import Metrics
from service.web.app import create_app
from service.wire.messages.faults import FAULTS
from service.wire.messages.problems import PROBLEMS

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-build.lock", "requirements-dev.lock", "requirements-ops.lock")


def pins(lock: str) -> set[str]:
    return set(
        re.findall(r"^([a-z0-9._-]+(?:\[[a-z,]+\])?==\S+) \\$", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE)
    )


def test_tests_run_with_the_versions_of_the_service() -> None:
    assert pins("requirements.lock")
    assert pins("requirements.lock") <= pins("requirements-build.lock") <= pins("requirements-dev.lock")
    assert pins("requirements.lock") <= pins("requirements-ops.lock")


def test_operations_change_no_version() -> None:
    dev, ops = (dict(pin.split("==") for pin in pins(f"requirements-{lock}.lock")) for lock in ("dev", "ops"))
    assert all(dev[name] == ops[name] for name in dev.keys() & ops.keys())


def test_the_image_has_the_version_of_the_project() -> None:
    """The build refuses another one, `make image` sets it, and the default is for builds without make."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    defaults = re.findall(r"^ARG VERSION=(.*)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"showcheck:([\w.]+)", (ROOT / "docs/operations.md").read_text(encoding="utf-8"))
    assert set(defaults) == set(named) == {version}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_names_no_place_that_packages_came_from(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.search(r"://|^--|^-[a-z] |(?<![\w.)])/\w", text, re.MULTILINE)


def test_the_core_imports_the_standard_library_only() -> None:
    """Without site-packages (-S) there is nothing else to import."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import service.game.verdict"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_make_help_lists_every_target() -> None:
    """Fifteen at most: what is done less often is a variable of one of them."""
    phony = re.search(r"^\.PHONY: help (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert phony
    run = subprocess.run(["make", "-C", str(ROOT), "--no-print-directory"], capture_output=True, text=True, check=True)
    listed = re.findall(r"^  make ([a-z-]+)  ", run.stdout, re.MULTILINE)
    assert listed == phony[1].split()
    assert len(listed) <= 15


@pytest.mark.parametrize(("page", "path"), [("README.md", "/validate"), ("docs/api.md", "/settle")])
def test_an_answer_in_the_docs_is_the_answer(page: str, path: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    ((asked, body),) = re.findall(
        r"^curl \S* localhost:8080(/\w+) [^\n]* -d '(\{.*?\})'$", text, re.MULTILINE | re.DOTALL
    )
    (shown,) = re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    client = create_app(read_state(Settings()), StringIO()).test_client()
    assert asked == path
    assert client.post(path, data=body, content_type="application/json").get_json() == json.loads(shown)


def test_the_docs_explain_every_code() -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    codes = {key.partition(".")[0] for key in (*ReasonCode, *FAULTS, *PROBLEMS)}
    assert codes <= set(re.findall(r"`([A-Z_]+)`", page))


def test_every_metric_and_limit_is_documented() -> None:
    """In the page for operators."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    names = {name for name, _ in re.findall(r"^# TYPE (\S+) (\S+)", Metrics().text().decode(), re.MULTILINE)}
    assert all(f"`{name}`" in text for name in names if not name.endswith("_created"))
    assert f"{MAX_ARRIVAL_SECONDS} s from its first byte" in text
    assert (
        f"body | {MAX_BODY_BYTES // 1024} KiB, on `/batch` {MAX_BATCH_BYTES >> 20} MiB and {MAX_ITEMS:,} items" in text
    )
    assert f"problem | {MAX_FAULTS} " in text
    assert f"a worker | {MAX_QUEUED} calls, {MAX_QUEUED_BATCHES} batches" in text
