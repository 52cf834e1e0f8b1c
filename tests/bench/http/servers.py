"""Servers under load: one core for the server, the other for wrk. Loopback only, and every run ends by itself."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import requests

ROOT: Final = Path(__file__).parents[3]
COMPILED: Final = ROOT / "build" / "compiled"
SERVER_CORE, LOAD_CORE = "0", "1"


@dataclass(frozen=True)
class Server:
    """A running server: where it answers, and the worker that does."""

    port: int
    worker: int

    def cpu_seconds(self) -> float:
        """The CPU time that the worker has used so far."""
        fields = Path(f"/proc/{self.worker}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_megabytes(self) -> float:
        """The resident memory of the worker."""
        for line in Path(f"/proc/{self.worker}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("no VmRSS")


def free_ports(count: int) -> list[int]:
    """Ports of the loopback address that nothing listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextmanager
def service(tree: Path, **settings: str) -> Iterator[Server]:
    """Showcheck from a tree of the project, with these settings."""
    with _running([], tree, settings) as server:
        yield server


@contextmanager
def floor(answers: Path) -> Iterator[Server]:
    """The floor under the same server settings: only the application is another."""
    with _running(["tests.bench.http.floor:create_app()"], ROOT, {"FLOOR_ANSWERS": str(answers)}) as server:
        yield server


@contextmanager
def _running(application: list[str], tree: Path, settings: dict[str, str]) -> Iterator[Server]:
    port, admin_port = free_ports(2)
    env = {"SHOWCHECK_PORT": str(port), "SHOWCHECK_ADMIN_PORT": str(admin_port), **settings}
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", "gunicorn.conf.py", *application]
    process = subprocess.Popen(
        ["taskset", "-c", SERVER_CORE, *gunicorn], cwd=tree, env={**os.environ, **env}, stdout=subprocess.DEVNULL
    )
    try:
        _wait_until_up(port, process)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
        yield Server(port, int(children[-1]))
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_until_up(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(400):
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            requests.get(f"http://127.0.0.1:{port}/rule-sets", timeout=2)
        except requests.ConnectionError:
            time.sleep(0.01)
        else:
            return
    raise RuntimeError("the server did not come up")


def load(server: Server, path: str, bodies: Path, seconds: float, clients: int) -> dict[str, Any]:
    """Load the server for a while; what wrk measured (latencies in microseconds), and the CPU time of a request."""
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is needed for this: apt-get install wrk")
    command = ["taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{clients}", f"-d{seconds:g}s", "--timeout", "10s"]
    script = str(Path(__file__).with_name("load.lua"))
    before = server.cpu_seconds()
    done = subprocess.run(
        [*command, "-s", script, f"http://127.0.0.1:{server.port}{path}"],
        env={**os.environ, "BODIES": str(bodies)},
        capture_output=True,
        text=True,
        check=True,
        timeout=seconds + 60,
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    result: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
    if result["failed"]:
        raise RuntimeError(f"{path}: {result['failed']} of {result['requests']} requests failed")
    result["per_second"] = result["requests"] / result["microseconds"] * 1e6
    result["cpu_microseconds"] = (server.cpu_seconds() - before) / result["requests"] * 1e6
    return result
