"""`python -m tests.renew`: writes anew the ids, versions, digests and attestations that README, contract and docs show.

Needed when the version of the service or of a rule set changes, as every id does then. Tests hold what it writes
against the service; whoever runs it looks at the difference before it is committed.
"""

import io
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from flask.testing import FlaskClient

from service.signing.keys import new_key
from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app

ROOT: Final = Path(__file__).parents[1]
CALLS: Final = ("/validate", "/score", "/settle")


def marks(value: Any) -> Iterator[str]:
    """All verdict ids and digests in an answer, in order."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from [inner] if key in {"verdict_id", "digest"} else marks(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from marks(inner)


def rule_sets(value: Any) -> Iterator[dict[str, Any]]:
    """All rule sets that an answer names, in order."""
    if isinstance(value, dict):
        if "digest" in value:
            yield value
        for inner in value.values():
            yield from rule_sets(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from rule_sets(inner)


def renew(text: str, shown: Any, now: Any) -> str:
    """The text with the marks of the answer of today in place of those that it shows."""
    for then, today in zip(rule_sets(shown), rule_sets(now), strict=True):
        # Written as JSON in a page, as YAML in the contract.
        pattern = rf'(version"?: ){then["version"]}(,?\s+"?digest"?: "?{then["digest"]})'
        text = re.sub(pattern, rf"\g<1>{today['version']}\g<2>", text)
    for old, new in zip(marks(shown), marks(now), strict=True):
        text = text.replace(old, new)
    return text


def renew_contract(client: FlaskClient) -> None:
    """Put the id of today in the place of each in the examples of `openapi.yaml`."""
    file = ROOT / "openapi.yaml"
    text = file.read_text(encoding="utf-8")
    contract = yaml.safe_load(text)
    for path in CALLS:
        call = contract["paths"][path]["post"]
        body = call["requestBody"]["$ref"].rpartition("/")[2]
        asked = contract["components"]["requestBodies"][body]["content"]["application/json"]["examples"]
        answered = call["responses"]["200"]["content"]["application/json"]["examples"]
        for name, example in answered.items():
            now = client.post(path, json=asked[name]["value"]).get_json()
            text = renew(text, example["value"], now)
    file.write_text(text, encoding="utf-8")


def renew_answer(client: FlaskClient, page: str) -> Any:
    """Renew the answer that a page shows; returns its question."""
    file = ROOT / page
    text = file.read_text(encoding="utf-8")
    asked = re.findall(r"localhost:8080(/\w+) .*? -d '(\{.*?\n\})'\n```.*?```json\n(.*?)```", text, re.DOTALL)
    ((path, body, shown),) = asked
    question = json.loads(body)
    text = renew(text, json.loads(shown), client.post(path, json=question).get_json())
    file.write_text(text, encoding="utf-8")
    return question


def renew_proof(asked: Any) -> None:
    """Have the question of README signed by a new key, and put all that follows from it into `docs/arbitration.md`."""
    file = ROOT / "docs" / "arbitration.md"
    text = file.read_text(encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as key:
        key.write(json.dumps(new_key()))
        key.flush()
        client = create_app(read_state(Settings(signing_key_file=key.name)), io.StringIO()).test_client()
    token = client.post("/validate", json=asked).get_json()["attestation"]
    verified = client.post("/verify", json={"attestation": token, "replay": True}).get_json()
    keys = client.get("/keys").get_json()
    old = re.findall(r"^ *(eyJ[\w.-]+)$", text, re.MULTILINE)[0]
    blocks = re.findall(r"^( *)```json\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    before = json.loads(blocks[0][1])
    text = (
        text.replace(old, token)
        .replace(before["verdict_id"], verified["verdict_id"])
        .replace(before["kid"], verified["kid"])
    )
    text = text.replace(json.loads(blocks[2][1])["keys"][0]["x"], keys["keys"][0]["x"])
    text = re.sub(r"(?m)^x=.*$", f"x={keys['keys'][0]['x']}", text)
    for part in ("digest", "version"):
        then, now = (json.dumps({part: each["statement"]["rule_set"][part]})[1:-1] for each in (before, verified))
        text = text.replace(then, now)
    then, now = (json.dumps({"engine": each["statement"]["engine"]})[1:-1] for each in (before, verified))
    text = text.replace(then, now)
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    APP = create_app(read_state(Settings()), io.StringIO()).test_client()
    renew_contract(APP)
    renew_answer(APP, "docs/api.md")
    renew_proof(renew_answer(APP, "README.md"))
