"""Signed verdicts from the real server: faulty keys stop its start, and a rotation leaves no verdict unproven."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from service.signing.keys import new_key
from tests.e2e.test_start import start
from tests.examples import question
from tests.servers import running
from tests.signed import write_key, write_public

KEY, OTHER = new_key(), new_key()


@pytest.mark.parametrize(
    ("jwk", "mode", "told"),
    [
        (KEY, 0o644, "it is open to everybody (mode 0644): make it 0400 or 0440"),
        ({name: value for name, value in KEY.items() if name != "d"}, 0o600, "it has no private part (d)"),
    ],
    ids=["open", "public"],
)
def test_a_key_that_cannot_be_used_stops_the_start(tmp_path: Path, jwk: dict[str, str], mode: int, told: str) -> None:
    path = write_key(tmp_path, jwk, mode=mode)
    ended = start(SHOWCHECK_SIGNING_KEY_FILE=path, SHOWCHECK_THREADS="0")
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        "showcheck cannot start:",
        "  SHOWCHECK_THREADS: must be a whole number from 1 to 256, not '0'",
        f"  SHOWCHECK_SIGNING_KEY_FILE: {path!r}: {told}",
    ]
    assert KEY["d"] not in ended.stderr + ended.stdout


def test_a_key_in_place_of_its_files_name_is_not_shown() -> None:
    for name in ("SHOWCHECK_SIGNING_KEY_FILE", "SHOWCHECK_VERIFY_KEYS_FILE", "SHOWCHECK_PORT"):
        ended = start(**{name: json.dumps(KEY)})  # type: ignore[arg-type]
        assert ended.returncode == 1
        assert name in ended.stderr
        assert KEY["d"] not in ended.stderr + ended.stdout


def test_a_rotation_leaves_no_verdict_unproven(tmp_path: Path) -> None:
    """In the middle of a rotation, old and new pods answer side by side."""
    old, new = (write_key(tmp_path, key, f"{number}.json", 0o440) for number, key in enumerate((KEY, OTHER)))
    both = write_public(tmp_path, KEY, OTHER)
    with ExitStack() as stack:
        servers = [
            stack.enter_context(running(SHOWCHECK_SIGNING_KEY_FILE=key, SHOWCHECK_VERIFY_KEYS_FILE=both))
            for key in (old, new)
        ]
        answers = [server.call("POST", "/validate", json=question()).json() for server in servers]
        assert answers[0]["verdict_id"] == answers[1]["verdict_id"]
        for server in servers:
            assert {key["kid"] for key in server.call("GET", "/keys").json()["keys"]} == {KEY["kid"], OTHER["kid"]}
            for answer, key in zip(answers, (KEY, OTHER), strict=True):
                body = {"attestation": answer["attestation"], "replay": True}
                found = server.call("POST", "/verify", json=body).json()
                assert (found["kid"], found["replay"]["result"]) == (key["kid"], "SAME")
                assert found["verdict_id"] == answer["verdict_id"]
            forged = server.call("POST", "/verify", json={"attestation": answers[0]["attestation"][:-4] + "AAAA"})
            assert forged.json()["errors"][0]["code"] == "BAD_SIGNATURE"
            assert server.call("GET", "/version", admin=True).status_code == 200
        told = "".join(server.output() for server in servers)
    assert '"/verify"' in told
    assert not any(part in told for part in (KEY["d"], OTHER["d"], answers[0]["attestation"]))
