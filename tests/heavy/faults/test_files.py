"""A full disk, a folder that is gone, a log that nobody reads: verdicts are given all the same."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.telemetry.metrics import FOLDER
from tests.e2e.scrape import count
from tests.examples import question
from tests.heavy.faults.conftest import measure, tell
from tests.servers import COMMAND, ROOT, Server, environment, free_ports, running

RATE = 200.0
SECONDS = 3.0


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 900 KiB: three files of metrics fit."""
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=900k", "none", str(folder)], check=False).returncode:
        pytest.skip("needs root to mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Take all that is left of a disk."""
    with Path(folder, "filler").open("ab", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass


def verdicts(server: Server, fault: str) -> None:
    """Under load every request is answered, by workers that stay."""
    before = server.workers()
    counts = measure(server.port, rate=RATE, seconds=SECONDS, connections=200)
    tell(fault, counts)
    assert counts["failed"] == {}
    assert server.workers() == before
    # Metrics that were never seen before have no room: other routes, other statuses.
    assert server.call("GET", "/rule-sets").status_code == 200
    assert server.call("GET", "/nowhere").status_code == 404
    assert server.call("GET", "/metrics", admin=True).status_code == 200
    assert server.workers() == before


def kill_worker(server: Server) -> None:
    (killed,) = server.workers()
    os.kill(killed, signal.SIGKILL)
    server.wait(lambda: len(server.workers() - {killed}) == 1, "new worker")
    server.wait(server.is_ready, "readiness")


def test_a_full_disk_kills_without_reserved_files(tmp_path: Path) -> None:
    """Why the files are given their place on the disk when they are made. Let this fail, and that can go."""
    with small_disk(tmp_path / "disk") as folder:
        code = "from prometheus_client import Counter; import sys; sys.stdin.readline(); c = Counter('a', 'a', ['b'])\n"
        code += "for i in range(2000): c.labels(i).inc()"
        code = f"from prometheus_client import Counter\nCounter('x', 'x')\nprint(flush=True)\n{code}"
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            env=environment(**{FOLDER: str(folder)}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdout
        process.stdout.readline()
        fill(folder)
        process.communicate(b"\n")
        assert process.returncode == -signal.SIGBUS


def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as folder, running(**{FOLDER: str(folder)}) as server:
        fill(folder)
        verdicts(server, "disk full after the start")
        kill_worker(server)
        verdicts(server, "disk full, worker replaced")


def test_a_disk_that_is_full_at_the_start(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as folder:
        fill(folder)
        with running(**{FOLDER: str(folder)}) as server:
            verdicts(server, "disk full at the start")
            assert count(server, "showcheck_verdicts_total") == RATE * SECONDS


def test_a_disk_that_becomes_read_only(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as folder, running(**{FOLDER: str(folder)}) as server:
        (worker,) = server.workers()
        os.kill(worker, signal.SIGKILL)
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=False)
        server.wait(lambda: len(server.workers() - {worker}) == 1, "new worker")
        server.wait(server.is_ready, "readiness")
        verdicts(server, "disk read-only")


def test_a_folder_of_metrics_that_vanishes(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    with running(**{FOLDER: str(folder)}) as server:
        shutil.rmtree(folder)
        verdicts(server, "metrics folder gone")
        assert count(server, "showcheck_verdicts_total") == RATE * SECONDS
        kill_worker(server)
        verdicts(server, "metrics folder gone, worker replaced")
        assert folder.exists()


def test_files_that_are_no_metrics(tmp_path: Path) -> None:
    with running(**{FOLDER: str(tmp_path)}) as server:
        server.call("POST", "/validate", json=question())
        for name in ("counter_1.db", "players.db", "histogram_99999.db"):
            Path(tmp_path, name).touch()
        Path(tmp_path, "counter_2.db").write_bytes(b"\xff" * 100)
        assert count(server, "showcheck_verdicts_total") == 1


@contextmanager
def logging_to(output: int) -> Iterator[tuple[subprocess.Popen[bytes], Server]]:
    """A server that logs there."""
    ports = free_ports()
    settings = {"SHOWCHECK_PORT": str(ports[0]), "SHOWCHECK_ADMIN_PORT": str(ports[1])}
    process = subprocess.Popen(COMMAND, cwd=ROOT, env=environment(**settings), stdout=output, stderr=subprocess.DEVNULL)
    try:
        server = Server(process, ports, Path())
        until = time.monotonic() + 20
        while not server.is_ready():
            assert time.monotonic() < until
            time.sleep(0.1)
        yield process, server
        process.terminate()
        # Neither the master nor a worker waits for a reader.
        assert process.wait(10) is not None
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "unread"])
def test_a_log_that_nobody_reads(closed: bool) -> None:
    reading, writing = os.pipe()
    try:
        with logging_to(writing) as (_, server):
            if closed:
                os.close(reading)
            counts = measure(server.port, rate=500, seconds=3, connections=500)
            tell(f"log {'closed' if closed else 'that nobody reads'}", counts)
            assert counts["failed"] == {}
            # gunicorn logs each of these itself.
            for _ in range(20):
                assert server.call("GET", "/nowhere", headers={"Host": "h", "X": "y"}).status_code == 404
            for _ in range(600):
                refused(server)
            assert server.call("POST", "/validate", json=question()).status_code == 200
    finally:
        os.close(writing)
        if not closed:
            os.close(reading)


def refused(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(b"BROKEN\r\n\r\n")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 400 ")
