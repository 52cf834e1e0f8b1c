"""wrk, on a core of its own: what it measures, and what the worker spent meanwhile."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.builds import cores
from bench.http.servers import Server

SCRIPT: Final = Path(__file__).with_name("load.lua")
RESULT: Final = "RESULT "
# Beyond its time wrk only waits for nothing: this is for a machine that stalls.
GRACE_SECONDS: Final = 60
MAX_RUNS: Final = 30


@dataclass(frozen=True)
class Load:
    """Requests for a path from a file of bodies, over so many connections that stay open.

    A line that begins with a path of its own, and a space, goes to that one.
    """

    path: str
    bodies: Path
    clients: int


def require_wrk() -> None:
    """`SystemExit` where there is no wrk."""
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is needed: apt-get install wrk")


def run(
    server: Server, load: Load, seconds: float, first: int = 0, on_cores: tuple[int, ...] | None = None
) -> dict[str, Any]:
    """Load a server for a while, beginning with the body numbered `first`: rate, CPU time and bytes of a request, and
    latencies in microseconds. Raises `RuntimeError` if any answer was not 200.
    """
    url = f"http://127.0.0.1:{server.port}{load.path}"
    options = ["--threads", "1", "--connections", str(load.clients), "--duration", f"{max(1, round(seconds))}s"]
    pinned = ["taskset", "--cpu-list", ",".join(map(str, on_cores or cores()[1:]))]
    command = [*pinned, "wrk", *options, "--timeout", "10s", "--script", str(SCRIPT)]
    before = server.cpu_seconds()
    done = subprocess.run(
        [*command, url],
        env={**os.environ, "BODIES": str(load.bodies), "FIRST": str(first)},
        capture_output=True,
        text=True,
        check=True,
        timeout=seconds + GRACE_SECONDS,
    )
    return figures(done.stdout, server.cpu_seconds() - before)


def figures(output: str, cpu_seconds: float) -> dict[str, Any]:
    """What `load.lua` printed, with what follows from it."""
    line = next(line for line in output.splitlines() if line.startswith(RESULT))
    result: dict[str, Any] = json.loads(line.removeprefix(RESULT))
    if result["failed"] or not result["requests"]:
        raise RuntimeError(f"{result['failed']} of {result['requests']} requests failed")
    result["per_second"] = result["requests"] / result["microseconds"] * 1e6
    result["cpu_microseconds"] = cpu_seconds / result["requests"] * 1e6
    return result


def warm_up(server: Server, load: Load, bodies: int, seconds: float) -> None:
    """Load a server for a while at least, and until every body was sent twice: a run may end with some unanswered."""
    sent = 0
    for _ in range(MAX_RUNS):
        sent += run(server, load, seconds, first=sent)["requests"]
        if sent >= 2 * bodies:
            return
    raise RuntimeError(f"{sent} requests in {MAX_RUNS} runs: this machine is too slow")
