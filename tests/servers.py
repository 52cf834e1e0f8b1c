"""Real servers, started by the tests on free ports."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests

from tests.contract import check
from tests.waiting import DEADLINE_SECONDS, wait_until

ROOT = Path(__file__).parents[1]


def free_ports() -> tuple[int, int]:
    """Two ports that were free a moment ago."""
    with socket.socket() as first, socket.socket() as second:
        for each in (first, second):
            each.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what would set the server, and with `changes`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SHOWCHECK_", "GUNICORN_", "PROMETHEUS_")) and name != "WEB_CONCURRENCY"
    }
    return kept | changes


COMMAND = [sys.executable, "-m", "service", "serve"]


class Server:
    """A running server: two ports, the process, and the folder for its output and its temporary files."""

    def __init__(self, process: subprocess.Popen[bytes], ports: tuple[int, int], folder: Path) -> None:
        self.process = process
        self.port, self.admin_port = ports
        self.folder = folder

    def call(self, method: str, path: str, *, admin: bool = False, **kwargs: Any) -> requests.Response:
        """The answer to a request on a connection of its own, held against the contract."""
        with requests.Session() as session:
            return self.call_on(session, method, path, admin=admin, **kwargs)

    def call_on(
        self, session: requests.Session, method: str, path: str, *, admin: bool = False, **kwargs: Any
    ) -> requests.Response:
        """The answer to a request on the connection that `session` keeps."""
        port = self.admin_port if admin else self.port
        response = session.request(method, f"http://127.0.0.1:{port}{path}", timeout=DEADLINE_SECONDS, **kwargs)
        sent = urlsplit(path).path
        check(method, sent, admin, response.status_code, response.headers, response.content)
        return response

    def lines(self) -> list[dict[str, Any]]:
        """What the server has logged so far; every line is JSON."""
        return [json.loads(line) for line in self.output().splitlines()]

    def output(self) -> str:
        return Path(self.folder, "output").read_text(encoding="utf-8")

    def workers(self) -> set[int]:
        """The process ids of the workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return {int(pid) for pid in children.read_text(encoding="utf-8").split()}

    def memory(self, kind: str = "VmRSS") -> float:
        """Megabytes that the workers hold; with "VmHWM" the most that they ever held."""
        status = [Path(f"/proc/{pid}/status").read_text(encoding="ascii") for pid in self.workers()]
        return sum(int(text.partition(f"{kind}:")[2].split()[0]) for text in status) * 1024 / 1e6

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until `condition` holds; fail with the server's output if it never does."""
        wait_until(condition, lambda: f"no {what}:\n{self.output()}")

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.output()
        try:
            return self.call("GET", "/readyz", admin=True).status_code == 200
        except requests.ConnectionError:
            return False


@contextmanager
def running(command: Sequence[str] = COMMAND, cwd: Path | None = None, /, **settings: str) -> Iterator[Server]:
    """A server on free ports, started by `command` in `cwd` (the project); stopped at the end whatever happens."""
    ports = free_ports()
    with tempfile.TemporaryDirectory() as folder, Path(folder, "output").open("wb") as output:
        given = {"SHOWCHECK_PORT": str(ports[0]), "SHOWCHECK_ADMIN_PORT": str(ports[1]), "TMPDIR": folder} | settings
        process = subprocess.Popen(
            command, cwd=cwd or ROOT, env=environment(**given), stdout=output, stderr=subprocess.STDOUT
        )
        ports = int(given["SHOWCHECK_PORT"]), int(given["SHOWCHECK_ADMIN_PORT"])
        try:
            server = Server(process, ports, Path(folder))
            server.wait(server.is_ready, "readiness")
            yield server
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(DEADLINE_SECONDS)
                finally:
                    process.kill()
                    process.wait()
