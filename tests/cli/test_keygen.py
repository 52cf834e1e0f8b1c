"""keygen: a new key in a new file."""

import json
from pathlib import Path

import pytest

from service.cli.main import main
from service.startup.settings import Settings, load_keys


def test_a_new_key_signs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The private key goes to the file, and the public one is printed."""
    file = tmp_path / "key.json"
    assert main(["keygen", str(file)]) == 0
    assert file.stat().st_mode & 0o777 == 0o600
    told = capsys.readouterr()
    keys = load_keys(Settings(signing_key_file=str(file)))
    assert json.loads(told.out) == keys.jwks["keys"][0]
    private = json.loads(file.read_text(encoding="utf-8"))
    assert private["d"] not in told.out + told.err


def test_a_file_is_never_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "key.json"
    file.write_text("mine", encoding="utf-8")
    assert main(["keygen", str(file)]) == 1
    assert file.read_text(encoding="utf-8") == "mine"
    assert capsys.readouterr().err == f"showcheck keygen: {file}: File exists\n"
