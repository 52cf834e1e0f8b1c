"""`python -m bench load`: load one pod's worth of service, or the one at `--url`, and check every answer.

The service gets one core and locust another, so the latencies are those of a pod, but it is no measure of how much one
can do: locust's client costs about as much as the service does. That is what `python -m bench capacity` is for.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.builds import ROOT, cores
from bench.http.servers import Server, service
from bench.load import mix, report
from bench.report import save_svg
from service.startup.settings import Settings

# Beyond these a run would be no test but a nuisance, and its requests would not fit into memory.
MAX_USERS: Final = 1000
MAX_SECONDS: Final = 3600
MAX_EXCHANGES: Final = 100_000
# Users come one after the other over this share of the time.
RAMP: Final = 0.2
GRACE_SECONDS: Final = 60


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench load", description=__doc__)
    parser.add_argument("--url", default="", help="of a running service; by default one is started")
    parser.add_argument("--users", type=int, default=40, help=f"at most {MAX_USERS}")
    parser.add_argument("--rate", type=float, default=20, help="requests a second of a user, at most")
    parser.add_argument("--seconds", type=int, default=60, help=f"at most {MAX_SECONDS}")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "loadtest", help="the report goes there")
    options = parser.parse_args(arguments)
    if not 1 <= options.users <= MAX_USERS or not 1 <= options.seconds <= MAX_SECONDS or options.rate <= 0:
        parser.error(f"1 to {MAX_USERS} users, 1 to {MAX_SECONDS} seconds, and a rate above 0")
    return options


@contextmanager
def _target(url: str) -> Iterator[tuple[str, Server | None]]:
    if url:
        yield url, None
    else:
        with service("compiled", Settings.cache_size) as server:
            yield f"http://127.0.0.1:{server.port}", server


def _locust(url: str, options: argparse.Namespace, exchanges: Path, *, pinned: bool) -> int:
    """Run locust; its exit status, which is not 0 if any answer was wrong."""
    folder = options.folder
    command = [sys.executable, "-m", "locust", "--headless", "--only-summary", "--skip-log-setup"]
    command += ["--locustfile", str(Path(__file__).with_name("users.py")), "--host", url]
    command += ["--users", str(options.users), "--spawn-rate", f"{options.users / options.seconds / RAMP:.3f}"]
    command += ["--run-time", f"{options.seconds}s", "--stop-timeout", "10"]
    command += ["--html", str(folder / "report.html"), "--csv", str(folder / "run"), "--csv-full-history"]
    if pinned:
        command = ["taskset", "--cpu-list", str(cores()[1]), *command]
    told = {"LOAD_EXCHANGES": str(exchanges), "LOAD_RATE": str(options.rate), "PYTHONPATH": str(ROOT)}
    limit = options.seconds + GRACE_SECONDS
    with (folder / "locust.log").open("wb") as log:
        done = subprocess.run(command, env=os.environ | told, stdout=log, stderr=log, check=False, timeout=limit)
    return done.returncode


def _table(rows: list[report.Row]) -> Iterator[str]:
    yield f"{'kind':<28}{'requests':>9}{'failed':>8}{'a second':>10}{'50 %':>8}{'99 %':>8}{'99.9 %':>8}{'most':>8}  ms"
    for row in rows:
        latencies = "".join(f"{value:8.0f}" for value in row.latencies.values())
        yield f"{row.kind:<28}{row.requests:>9,}{row.failures:>8,}{row.per_second:>10.1f}{latencies}"


def main(arguments: list[str]) -> int:
    options = _arguments(arguments)
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("run_*.csv"):
        old.unlink()
    count = min(MAX_EXCHANGES, round(options.users * options.rate * options.seconds) + options.users)
    exchanges = folder / "exchanges.jsonl"
    started = time.monotonic()
    mix.write(exchanges, count)
    print(f"{count:,} requests and their answers, made in {time.monotonic() - started:.0f} s", flush=True)
    with _target(options.url) as (url, server):
        print(f"{options.users} users for {options.seconds} s against {url}", flush=True)
        status = _locust(url, options, exchanges, pinned=server is not None)
        cache = server.cache() if server else {}
    rows = report.totals(folder / "run_stats.csv") if (folder / "run_stats.csv").exists() else []
    print("\n".join(_table(rows)))
    fault = report.verdict(rows) or (f"locust ended with {status}" if status else "")
    if fault:
        print(f"FAILED: {fault}; see {folder}", file=sys.stderr)
        print((folder / "locust.log").read_text(encoding="utf-8"), file=sys.stderr)
        return 1
    save_svg(report.plot(report.moments(folder / "run_stats_history.csv")), folder / "loadtest.svg")
    if cache:
        print(f"{cache['hit'] / (cache['hit'] + cache['miss']):.1%} of the hands were in the cache")
    if rows[-1].requests > count:
        print(f"more requests than were prepared: after {count:,} they began again, and hands were in the cache")
    print(f"{rows[-1].requests:,} answers checked, none wrong; the report is in {folder}")
    return 0
