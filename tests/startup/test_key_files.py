"""Key files: one that cannot be used stops the start with a line that says why, and never with a part of the key."""

import os
from pathlib import Path

import pytest

from service.signing.keys import new_key
from service.startup.settings import Settings, load_keys, load_settings
from service.startup.start_error import StartError
from tests.signed import write_key, write_public
from tests.startup.faults import faults_of

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


def test_a_private_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that only its owner and its group may read."""
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


def test_the_mode_of_a_linked_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_what_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert fault_of(monkeypatch, pipe) == "it is no regular file"
    assert fault_of(monkeypatch, tmp_path) == "Is a directory"
    assert fault_of(monkeypatch, tmp_path / "missing") == "No such file or directory"
    assert fault_of(monkeypatch, "") == "No such file or directory"


def test_what_is_no_key_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key.json"
    file.touch(0o600)
    assert fault_of(monkeypatch, file) == "it is not JSON"
    file.write_bytes(b"\xff")
    assert fault_of(monkeypatch, file) == "it is not UTF-8"


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


def test_faults_of_keys_are_named_with_all_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = write_key(tmp_path, KEY, mode=0o644)
    faults = faults_of(monkeypatch, **dict(zip(NAMES, (key, "missing"), strict=True)), SHOWCHECK_PORT="x")
    assert [fault.partition(":")[0] for fault in faults] == ["SHOWCHECK_PORT", *NAMES]
    with pytest.raises(StartError, match="mode 0644"):
        load_keys(Settings(signing_key_file=key))
