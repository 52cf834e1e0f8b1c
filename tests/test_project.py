"""The set-up keeps its promises: exact pins, a core that needs no package, a README that says what is."""

import json
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from service.app import create_app
from service.config import Settings

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-build.lock", "requirements-dev.lock", "requirements-ops.lock")


def pins(lock: str) -> set[str]:
    return set(
        re.findall(r"^([a-z0-9._-]+(?:\[[a-z,]+\])?==\S+) \\$", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE)
    )


def test_tests_run_with_the_very_versions_that_the_service_runs_with() -> None:
    assert pins("requirements.lock")
    assert pins("requirements.lock") <= pins("requirements-build.lock") <= pins("requirements-dev.lock")
    assert pins("requirements.lock") <= pins("requirements-ops.lock")


def test_what_operations_add_changes_no_version_that_tests_run_with() -> None:
    dev, ops = (dict(pin.split("==") for pin in pins(f"requirements-{lock}.lock")) for lock in ("dev", "ops"))
    assert all(dev[name] == ops[name] for name in dev.keys() & ops.keys())


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_names_no_place_that_packages_came_from(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.search(r"://|^--|^-[a-z] |(?<![\w.)])/\w", text, re.MULTILINE)


def test_the_core_imports_the_standard_library_only() -> None:
    """Without site-packages (-S) there is nothing else to import."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import service.verdict"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_make_help_lists_every_target() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert phony
    run = subprocess.run(["make", "-C", str(ROOT), "--no-print-directory"], capture_output=True, text=True, check=True)
    assert re.findall(r"^  make ([a-z-]+)  ", run.stdout, re.MULTILINE) == phony[1].split()


def test_the_answer_in_the_readme_is_the_answer() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    asked = re.search(r"^curl \S* localhost:8080(/\w+) .* -d '(\{.*?\})'$", readme, re.MULTILINE | re.DOTALL)
    shown = re.search(r"^```json\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert asked
    assert shown
    client = create_app(Settings(), StringIO()).test_client()
    answer = client.post(asked[1], data=asked[2], content_type="application/json")
    assert answer.get_json() == json.loads(shown[1])


@pytest.mark.parametrize("module", ["reasons", "questions", "problems", "attestations"])
def test_the_readme_explains_every_code(module: str) -> None:
    source = (ROOT / "service" / f"{module}.py").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    codes = set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+)"', source))
    assert codes
    assert codes <= set(re.findall(r"`([A-Z_]+)`", readme))
