"""What is counted in each of these tests is shown in a table at the end."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

import pytest
import requests

from tests.servers import ROOT, Server

# One for the server, one for the load.
CORES: Final = sorted(os.sched_getaffinity(0))
_ROWS: Final[list[tuple[str, dict[str, Any], str]]] = []


def tell(fault: str, counts: dict[str, Any], more: str = "") -> None:
    """Put what a load has counted into the table, with what else there is to tell."""
    _ROWS.append((fault, counts, more))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("requests under faults")
    terminalreporter.write_line(f"{'fault':<44} {'sent':>7} {'good':>7} {'failed':>7}")
    for fault, counts, more in _ROWS:
        failed = sum(counts["failed"].values())
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts["failed"].items())
        line = f"{fault:<44} {counts['sent']:>7} {counts['good']:>7} {failed:>7}  "
        terminalreporter.write_line(line + "; ".join(filter(None, (kinds, more))))


class Running:
    """A load that was begun."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def counts(self) -> dict[str, Any]:
        """What it has counted, once it has ended."""
        output, _ = self._process.communicate(timeout=120)
        assert self._process.returncode == 0
        counts: dict[str, Any] = json.loads(output)
        return counts


@contextmanager
def load(port: int, **options: float) -> Iterator[Running]:
    """A load on a core of its own, from when it has begun; see `load.py` for its options."""
    arguments = [f"--{name}={value:g}" for name, value in options.items()]
    command = ["taskset", "--cpu-list", str(CORES[1]), sys.executable, "-m", "tests.heavy.faults.load", str(port)]
    process = subprocess.Popen([*command, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    output = process.stdout
    assert output
    try:
        assert output.readline() == "ready\n"
        yield Running(process)
    finally:
        process.kill()
        process.wait()
        output.close()


def measure(port: int, **options: float) -> dict[str, Any]:
    """What a load counts, from its beginning to its end."""
    with load(port, **options) as running:
        return running.counts()


def pin(server: Server) -> None:
    """Let a server have one core, and leave the other to the load."""
    for pid in (server.process.pid, *server.workers()):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {CORES[0]})


class Probes:
    """Probes of a server, one after the other, until the end of the block."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._pool = ThreadPoolExecutor(1)
        self._ended = False
        self.slowest = 0.0
        self.count = 0
        self.memory = 0.0

    def _probe(self) -> None:
        while not self._ended:
            for path in ("/livez", "/readyz", "/metrics"):
                started = time.monotonic()
                # On a connection of its own, as a kubelet does.
                answer = requests.get(f"http://127.0.0.1:{self._server.admin_port}{path}", timeout=5)
                assert answer.status_code == 200
                self.slowest = max(self.slowest, time.monotonic() - started)
                self.count += 1
            self.memory = max(self.memory, self._server.memory())
            time.sleep(0.1)

    def __enter__(self) -> Self:
        self._running = self._pool.submit(self._probe)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        self._pool.shutdown()
        self._running.result()
