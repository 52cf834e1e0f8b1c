"""The command line as a whole."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.main import main
from service.startup.build import load_version


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"showcheck {load_version()}\n"


def test_the_commands_are_those_of_the_module(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-m", "service", "--help"], capture_output=True, text=True, check=True)
    assert re.findall(r"^ {4}(\w+) ", run.stdout, re.MULTILINE) == ["serve", "judge", "keygen"]
    assert subprocess.run([sys.executable, "-m", "service"], capture_output=True, check=False).returncode == 2
