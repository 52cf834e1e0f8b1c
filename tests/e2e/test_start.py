"""What is wrong at the start ends the server at once, with every fault in plain words."""

import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from tests.servers import COMMAND, ROOT, environment, free_ports
from tests.waiting import DEADLINE_SECONDS


def start(folder: Path = ROOT, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        COMMAND,
        cwd=folder,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )


def test_bad_settings_are_all_named() -> None:
    ended = start(SHOWCHECK_PORT="x", SHOWCHECK_LOG_LEVEL="LOUD", SHOWCHECK_CACHE="1", WEB_CONCURRENCY="0")
    assert ended.returncode == 1
    assert [line.split(":")[0] for line in ended.stderr.splitlines()] == [
        "showcheck cannot start",
        "  SHOWCHECK_PORT",
        "  WEB_CONCURRENCY",
        "  SHOWCHECK_LOG_LEVEL",
        "  SHOWCHECK_CACHE",
    ]
    assert ended.stdout == ""


@pytest.mark.parametrize("workers", ["", "two", "1.5"])
def test_a_number_of_workers_that_is_none_is_named(workers: str) -> None:
    """Gunicorn reads this one itself, before our settings are checked: so they are checked before gunicorn."""
    ended = start(WEB_CONCURRENCY=workers)
    assert (ended.returncode, ended.stdout) == (1, "")
    first, fault = ended.stderr.splitlines()
    assert first == "showcheck cannot start:"
    assert fault.startswith("  WEB_CONCURRENCY: must be a whole number ")


def test_faulty_rule_set_files_are_all_named(tmp_path: Path) -> None:
    # A compiled core has a part beside the package.
    for name in ("service", "gunicorn.conf.py", "openapi.yaml", *(part.name for part in ROOT.glob("*.so"))):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    folder = tmp_path / "service/game/rulesets"
    for name, old, new in [("online-13", "cap = 80", "cap = -80"), ("family-13", "[drops]", "[drop]")]:
        file = folder / f"{name}.toml"
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    ended = start(tmp_path, PYTHONPATH=str(tmp_path))
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[0] == "showcheck cannot start:"
    assert [line.split(":")[0] for line in ended.stderr.splitlines()[1:]] == ["  family-13.toml"] * 2 + [
        "  online-13.toml"
    ]
    assert "Traceback" not in ended.stderr + ended.stdout


def test_a_port_that_is_taken_is_named() -> None:
    """Not shared with the one that has it, as `reuse_port` would, and not tried for ever."""
    port, admin_port = free_ports()
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("127.0.0.1", admin_port))
        taken.listen()
        ended = start(SHOWCHECK_PORT=str(port), SHOWCHECK_ADMIN_PORT=str(admin_port))
    assert ended.returncode == 1
    assert f"port {admin_port}: Address already in use" in ended.stderr
    assert "Traceback" not in ended.stderr + ended.stdout


def test_a_place_for_metric_files_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    ports = free_ports()
    ended = start(SHOWCHECK_PORT=str(ports[0]), SHOWCHECK_ADMIN_PORT=str(ports[1]), PROMETHEUS_MULTIPROC_DIR=str(file))
    assert ended.returncode != 0
    assert "PROMETHEUS_MULTIPROC_DIR: File exists" in ended.stderr + ended.stdout
