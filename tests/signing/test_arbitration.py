"""`docs/arbitration.md` shows what really is: its attestation is proven in every way that it names."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app
from tests.contract import CheckedClient, value_of

DOCUMENT = (Path(__file__).parents[2] / "docs" / "arbitration.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


ATTESTATION = blocks("text")[0].strip()
VERIFIED, REFUSED, KEYS = map(json.loads, blocks("json"))


@pytest.fixture
def arbiter(tmp_path: Path) -> FlaskClient:
    """A client of a service that has the public keys of the document, and no key to sign with."""
    file = tmp_path / "keys.json"
    file.write_text(json.dumps(KEYS), encoding="utf-8")
    app = create_app(read_state(Settings(verify_keys_file=str(file))))
    app.test_client_class = CheckedClient
    return app.test_client()


def test_the_attestation_is_verified_as_shown(arbiter: FlaskClient) -> None:
    """Whatever version of the service verifies it: that is the point of it."""
    found: dict[str, Any] = value_of(arbiter.post("/verify", json={"attestation": ATTESTATION, "replay": True}))
    assert found["replay"]["statement"].pop("engine")
    assert VERIFIED["replay"]["statement"].pop("engine")
    assert found == VERIFIED
    assert value_of(arbiter.get("/keys")) == KEYS


def test_a_changed_one_is_refused_as_shown(arbiter: FlaskClient) -> None:
    body = {"attestation": ATTESTATION[:-4] + "AAAA"}
    assert value_of(arbiter.post("/verify", json=body, headers={"X-Request-ID": "dispute-1"})) == REFUSED


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A folder with what an arbiter has."""
    (tmp_path / "attestation").write_text(ATTESTATION + "\n", encoding="utf-8")
    (tmp_path / "keys.json").write_text(json.dumps(KEYS), encoding="utf-8")
    return tmp_path


def test_the_library_proves_it_without_the_service(records: Path) -> None:
    (program,) = blocks("python")
    run = subprocess.run([sys.executable, "-c", program], cwd=records, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == VERIFIED["statement"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_openssl_proves_it_without_any_library(records: Path) -> None:
    (script,) = (block for block in blocks("sh") if "openssl" in block)
    run = subprocess.run(["sh", "-ec", script], cwd=records, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["Signature Verified Successfully", blocks("text")[1].strip()]
    assert blocks("text")[1].split()[0] == VERIFIED["verdict_id"]
