"""Keys from files: a faulty one stops the start with a line that says why, and never with a part of the key."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import OKPKey

from service.cli.main import main
from service.signing.keys import new_key, read_signing_key
from service.startup.settings import Settings, load_keys, load_settings
from service.startup.start_error import StartError
from tests.signed import write_key, write_public
from tests.startup.test_settings import bare_environment, faults_of

__all__ = ["bare_environment"]

KEY, OTHER = new_key(), new_key()
NAMES = ("SHOWCHECK_SIGNING_KEY_FILE", "SHOWCHECK_VERIFY_KEYS_FILE")


def fault_of(monkeypatch: pytest.MonkeyPatch, path: object, name: str = NAMES[0]) -> str:
    (fault,) = faults_of(monkeypatch, **{name: str(path)})
    start = f"{name}: {str(path)!r}: "
    assert fault.startswith(start)
    # The path is the operator's; nothing of what is in the file is told.
    told = fault.removeprefix(start)
    assert not any(secret in told for secret in (KEY["d"], KEY["d"][:8], OTHER["d"][:8]))
    return told


def test_a_key_is_read_from_a_file_that_only_its_owner_and_its_group_may_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for mode in (0o400, 0o600, 0o440):
        path = write_key(tmp_path, KEY, f"{mode:o}.json", mode)
        monkeypatch.setenv(NAMES[0], path)
        assert load_settings() == Settings(signing_key_file=path)
        signing = load_keys(load_settings()).signing
        assert signing is not None
        assert signing.public.kid == KEY["kid"]


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o602, 0o777])
def test_a_key_that_is_open_to_everybody_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    told = f"it is open to everybody (mode {mode:04o}): make it 0400 or 0440"
    assert fault_of(monkeypatch, write_key(tmp_path, KEY, mode=mode)) == told


def test_a_link_is_followed_and_what_it_leads_to_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Kubernetes mounts a Secret: key.json is a link to ..data/key.json, and ..data to a folder."""
    folder = tmp_path / "..2026"
    folder.mkdir()
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "key.json").symlink_to("..data/key.json")
    write_key(folder, KEY, mode=0o440)
    monkeypatch.setenv(NAMES[0], str(tmp_path / "key.json"))
    assert load_keys(load_settings()).signing
    (folder / "key.json").chmod(0o444)
    assert "mode 0444" in fault_of(monkeypatch, tmp_path / "key.json")


PRIVATE = {name: KEY[name] for name in ("kty", "crv", "x", "d")}
DAMAGED = "it is damaged: its parts are not 32 bytes in base64url"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "it is not JSON"),
        (KEY["d"], "it is not JSON"),
        ('{"d": "' + KEY["d"], "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        (b"\xff", "it is not UTF-8"),
        (json.dumps(KEY["d"]), "it is no JSON object"),
        ({}, "it is no Ed25519 key (kty OKP, crv Ed25519)"),
        (OKPKey.generate_key("Ed448").as_dict(private=True), "it is no Ed25519 key (kty OKP, crv Ed25519)"),
        (OKPKey.generate_key("X25519").as_dict(private=True), "it is no Ed25519 key (kty OKP, crv Ed25519)"),
        ({"kty": "oct", "k": KEY["d"]}, "it is no Ed25519 key (kty OKP, crv Ed25519)"),
        ({name: PRIVATE[name] for name in ("kty", "crv", "x")}, "it has no private part (d)"),
        ({name: PRIVATE[name] for name in ("kty", "crv", "d")}, DAMAGED),
        (PRIVATE | {"d": KEY["d"][:20]}, DAMAGED),
        (PRIVATE | {"d": KEY["d"] + "!"}, DAMAGED),
        (PRIVATE | {"d": 5}, DAMAGED),
        (PRIVATE | {"d": None}, DAMAGED),
        (PRIVATE | {"x": [KEY["x"]]}, DAMAGED),
        (PRIVATE | {"x": "é"}, DAMAGED),
        (PRIVATE | {"x": OTHER["x"]}, "its private part (d) and its public part (x) are of two different keys"),
        (PRIVATE | {"kid": ""}, "its name (kid) must be of 1 to 128 letters, digits and _.:-"),
        (PRIVATE | {"kid": 7}, "its name (kid) must be of 1 to 128 letters, digits and _.:-"),
        (PRIVATE | {"use": "enc"}, "it is for another use (use) or another algorithm (alg) than Ed25519 signatures"),
        (PRIVATE | {"alg": "HS256"}, "it is for another use (use) or another algorithm (alg) than Ed25519 signatures"),
    ],
    ids=range(23),
)
def test_what_is_no_signing_key_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: Any, told: str
) -> None:
    file = tmp_path / "key.json"
    text = content if isinstance(content, (bytes, str)) else json.dumps(content)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    file.chmod(0o600)
    assert fault_of(monkeypatch, file) == told


def test_what_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert fault_of(monkeypatch, pipe) == "it is no regular file"
    assert fault_of(monkeypatch, tmp_path) == "Is a directory"
    assert fault_of(monkeypatch, tmp_path / "missing") == "No such file or directory"
    assert fault_of(monkeypatch, "") == "No such file or directory"


def test_a_key_without_a_name_is_called_by_its_thumbprint() -> None:
    assert read_signing_key(json.dumps(PRIVATE)).public.kid == OKPKey.import_key(dict(PRIVATE)).thumbprint()
    assert read_signing_key(json.dumps(PRIVATE | {"kid": "2026-11"})).public.kid == "2026-11"


def test_public_keys_may_be_open_to_everybody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_public(tmp_path, KEY, OTHER)
    Path(path).chmod(0o644)
    monkeypatch.setenv(NAMES[1], path)
    keys = load_keys(load_settings())
    assert keys.signing is None
    assert list(keys.public) == [KEY["kid"], OTHER["kid"]]
    # A key that also signs is there once.
    monkeypatch.setenv(NAMES[0], write_key(tmp_path, OTHER))
    assert list(load_keys(load_settings()).public) == [OTHER["kid"], KEY["kid"]]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "it is no JSON object"),
        ({}, 'it is no JSON Web Key Set: {"keys": […]}'),
        ({"keys": {}}, 'it is no JSON Web Key Set: {"keys": […]}'),
        ({"keys": ["a"]}, 'it is no JSON Web Key Set: {"keys": […]}'),
        ({"keys": [KEY]}, "keys[0]: it has a private part (d), and this file is for public keys only"),
        ({"keys": [{"kty": "RSA"}]}, "keys[0]: it is no Ed25519 key (kty OKP, crv Ed25519)"),
        (
            {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": key["x"]} for key in (KEY, OTHER)]},
            "two keys are called a",
        ),
    ],
    ids=range(7),
)
def test_what_is_no_set_of_public_keys_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: Any, told: str
) -> None:
    file = tmp_path / "public.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    assert fault_of(monkeypatch, file, NAMES[1]) == told


def test_faults_of_keys_are_named_with_all_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = write_key(tmp_path, KEY, mode=0o644)
    faults = faults_of(monkeypatch, **dict(zip(NAMES, (key, "missing"), strict=True)), SHOWCHECK_PORT="x")
    assert [fault.partition(":")[0] for fault in faults] == ["SHOWCHECK_PORT", *NAMES]
    with pytest.raises(StartError, match="mode 0644"):
        load_keys(Settings(signing_key_file=key))


def test_keygen_writes_a_key_that_signs_and_tells_the_public_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "key.json"
    assert main(["keygen", str(file)]) == 0
    assert file.stat().st_mode & 0o777 == 0o600
    told = capsys.readouterr()
    keys = load_keys(Settings(signing_key_file=str(file)))
    assert json.loads(told.out) == keys.jwks["keys"][0]
    private = json.loads(file.read_text(encoding="utf-8"))
    assert private["d"] not in told.out + told.err


def test_keygen_never_writes_over_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "key.json"
    file.write_text("mine", encoding="utf-8")
    assert main(["keygen", str(file)]) == 1
    assert file.read_text(encoding="utf-8") == "mine"
    assert capsys.readouterr().err == f"showcheck keygen: {file}: File exists\n"


def test_the_commands_are_those_of_the_module(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-m", "service", "--help"], capture_output=True, text=True, check=True)
    assert re.findall(r"^ {4}(\w+) ", run.stdout, re.MULTILINE) == ["serve", "judge", "keygen"]
    assert subprocess.run([sys.executable, "-m", "service"], capture_output=True, check=False).returncode == 2
