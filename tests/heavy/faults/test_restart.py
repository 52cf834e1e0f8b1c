"""Two instances behind a real proxy are restarted one after the other, and no request fails."""

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.heavy.faults.conftest import load, tell
from tests.servers import Server, free_ports, running

CONFIG = Path(__file__).with_name("haproxy.cfg")
RATE = 300
DRAIN_SECONDS = 1.0


class Proxy:
    """A running HAProxy."""

    def __init__(self, port: int, stats: Path) -> None:
        self.port = port
        self._stats = stats

    def tell(self, command: str) -> str:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self._stats))
            connection.sendall(f"{command}\n".encode())
            return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()

    def wait_for(self, name: str) -> None:
        """Until that instance is taken for ready."""
        until = time.monotonic() + 20
        while not any(
            line.split(",")[1:2] == [name] and ",UP," in line for line in self.tell("show stat").splitlines()
        ):
            assert time.monotonic() < until, self.tell("show stat")
            time.sleep(0.05)


@contextmanager
def proxy(one: tuple[int, int], two: tuple[int, int]) -> Iterator[Proxy]:
    port, _ = free_ports()
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder, "stats")
        ports = {"PORT": port, "ONE": one[0], "ONE_ADMIN": one[1], "TWO": two[0], "TWO_ADMIN": two[1]}
        given = {"STATS": str(stats)} | {name: str(value) for name, value in ports.items()}
        process = subprocess.Popen(["haproxy", "-db", "-f", str(CONFIG)], env=os.environ | given)
        try:
            until = time.monotonic() + 10
            while not stats.exists():
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
            running_one = Proxy(port, stats)
            for name in ("one", "two"):
                running_one.wait_for(name)
            yield running_one
        finally:
            process.terminate()
            process.wait(10)


def start(stack: ExitStack, ports: tuple[int, int]) -> Server:
    return stack.enter_context(running(SHOWCHECK_PORT=str(ports[0]), SHOWCHECK_ADMIN_PORT=str(ports[1])))


@pytest.mark.parametrize("told", [True, False], ids=["as Kubernetes does it", "unannounced"])
def test_a_rolling_restart_fails_no_request(told: bool) -> None:
    """As Kubernetes does it, an instance gets nothing new before it is to end. Unannounced, the proxy finds out."""
    with ExitStack() as stack:
        ports = {name: free_ports() for name in ("one", "two")}
        servers = {name: start(stack, each) for name, each in ports.items()}
        front = stack.enter_context(proxy(ports["one"], ports["two"]))
        with load(front.port, rate=RATE, connections=200, seconds=16, timeout=2) as stream:
            ended = []
            for name in ("one", "two"):
                time.sleep(0.5)
                ended.append(restart(stack, front, name, servers[name].process, ports[name], told))
            counts = stream.counts()
    how = "as Kubernetes does it" if told else "unannounced"
    tell(f"rolling restart, {how}", counts, f"p99 {counts['p99'] * 1000:.0f} ms, ended within {max(ended):.1f} s")
    assert counts["failed"] == {}
    assert max(ended) < 10


def restart(
    stack: ExitStack, front: Proxy, name: str, process: subprocess.Popen[bytes], ports: tuple[int, int], told: bool
) -> float:
    """End an instance and start it anew; the seconds that it took to end."""
    if told:
        front.tell(f"set server showcheck/{name} state drain")
        time.sleep(DRAIN_SECONDS)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    seconds = time.monotonic() - began
    start(stack, ports)
    if told:
        front.tell(f"set server showcheck/{name} state ready")
    front.wait_for(name)
    return seconds
