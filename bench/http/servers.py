"""Servers on a core of their own: Showcheck from a tree of the project, and the floor under the very same settings."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from prometheus_client.parser import text_string_to_metric_families

from bench.builds import ROOT, TREES, cores
from bench.corpora import read_corpus
from bench.http.bodies import HANDS, SCORE, request_body
from bench.http.floor import ANSWERS

WORKERS: Final = "WEB_CONCURRENCY"
START_SECONDS: Final = 20
STOP_SECONDS: Final = 30
# What the caller's environment says of Python or of the service would make one run unlike another.
_NOT_PASSED_ON: Final = ("SHOWCHECK_", "GUNICORN_", "PROMETHEUS_", "PYTHON", "WEB_CONCURRENCY")
_FLOOR_APP: Final = "bench.http.floor:create_app()"


@dataclass(frozen=True)
class Server:
    """A running server: its ports, the process ids of its workers and of their master, and the seconds from its start
    to the first answer.
    """

    port: int
    admin_port: int
    workers: tuple[int, ...]
    master: int
    start_seconds: float

    def cpu_seconds(self) -> float:
        """The CPU time that the workers have used so far."""
        return sum(map(_cpu_seconds, self.workers))

    def memory(self) -> dict[str, float]:
        """What the workers hold, in megabytes: resident (`rss`), and with their share of shared pages only (`pss`)."""
        return _memory(*self.workers)

    def pod_memory(self) -> dict[str, float]:
        """The same of the workers and their master."""
        return _memory(self.master, *self.workers)

    def post(self, path: str, texts: Mapping[int, str]) -> dict[int, bytes]:
        """The answers to some bodies, sent on one connection; raises `RuntimeError` for one that is not 200."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            return {number: _post(connection, path, text) for number, text in texts.items()}
        finally:
            connection.close()

    def cache(self) -> Counter[str]:
        """The worker's own counts: `hit` and `miss` of the cache so far, and the `entries` in it."""
        counts: Counter[str] = Counter()
        for family in text_string_to_metric_families(self._admin("/metrics").decode()):
            for sample in family.samples:
                if sample.name == "showcheck_cache_requests_total":
                    counts[sample.labels["result"]] += int(sample.value)
                elif sample.name == "showcheck_cache_entries":
                    counts["entries"] += int(sample.value)
        return counts

    def version(self) -> dict[str, Any]:
        """What the server says of itself."""
        about: dict[str, Any] = json.loads(self._admin("/version"))
        return about

    def _admin(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}{path}", timeout=10) as answer:
            body: bytes = answer.read()
            return body


def _cpu_seconds(process: int) -> float:
    # The name of the command, in brackets, may have spaces; utime and stime are fields 14 and 15 of all.
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(*processes: int) -> dict[str, float]:
    held = dict.fromkeys(("rss", "pss"), 0.0)
    for process in processes:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
        kibibytes = {name.lower(): int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
        held = {name: megabytes + kibibytes[name] * 1024 / 1e6 for name, megabytes in held.items()}
    return held


def _post(connection: http.client.HTTPConnection, path: str, text: str) -> bytes:
    connection.request("POST", path, text, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {body.decode()}: {text}")
    return body


def free_ports(count: int) -> list[int]:
    """Ports of the loopback address that nothing listened on a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


@contextmanager
def service(
    build: str,
    cache_size: int,
    workers: int = 1,
    on_cores: tuple[int, ...] | None = None,
    signing_key_file: Path | None = None,
) -> Iterator[Server]:
    """Showcheck in that build, with that cache, signing if there is a key; raises `RuntimeError` if another answers."""
    settings = {"SHOWCHECK_CACHE_SIZE": str(cache_size), WORKERS: str(workers)}
    if signing_key_file is not None:
        settings["SHOWCHECK_SIGNING_KEY_FILE"] = str(signing_key_file)
    with _running([], TREES[build], settings, on_cores) as server:
        if server.version()["compiled"] != (build == "compiled"):
            raise RuntimeError(f"{TREES[build]} does not hold the {build} build")
        yield server


@contextmanager
def floor(answers: Path) -> Iterator[Server]:
    """The floor, by the service's own `gunicorn.conf.py`: the name of another application goes before the file's."""
    with _running([_FLOOR_APP], ROOT, {ANSWERS: str(answers)}) as server:
        yield server


@contextmanager
def _running(
    arguments: list[str], tree: Path, settings: dict[str, str], on_cores: tuple[int, ...] | None = None
) -> Iterator[Server]:
    port, admin_port = free_ports(2)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED_ON)}
    ports = {"SHOWCHECK_PORT": str(port), "SHOWCHECK_ADMIN_PORT": str(admin_port)}
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", "gunicorn.conf.py", *arguments]
    command = ["taskset", "--cpu-list", ",".join(map(str, on_cores or cores()[:1])), *gunicorn]
    started = time.perf_counter()
    # The log goes where it costs least, but it is written.
    process = subprocess.Popen(command, cwd=tree, env=kept | ports | settings, stdout=subprocess.DEVNULL)
    try:
        _wait_for_answer(port, process)
        seconds = time.perf_counter() - started
        yield Server(port, admin_port, _workers(process.pid, int(settings.get(WORKERS, 1))), process.pid, seconds)
    finally:
        _stop(process)


def _workers(master: int, count: int) -> tuple[int, ...]:
    """The process ids of so many workers, as soon as they are there; whether all of them answer yet is not known."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        children = Path(f"/proc/{master}/task/{master}/children").read_text(encoding="ascii").split()
        if len(children) == count:
            return tuple(map(int, children))
        time.sleep(0.02)
    raise RuntimeError(f"{count} workers were expected: {children}")


def _wait_for_answer(port: int, process: subprocess.Popen[bytes]) -> None:
    text = request_body(read_corpus(HANDS)[0])
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
        try:
            _post(connection, SCORE, text)
        except ConnectionError:
            time.sleep(0.002)
        else:
            return
        finally:
            connection.close()
    raise RuntimeError(f"no answer after {START_SECONDS} seconds")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
