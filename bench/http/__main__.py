"""`python -m bench http [PART...]`: measures the parts that are named, or all of them, and writes tables and plots.

The raw figures are kept under `build/`, where a part that is not measured again keeps those it has. The part `report`
measures nothing.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Final

from bench.builds import RAW, cores
from bench.http import measure, report
from bench.http.bodies import SCORE, make_bodies
from bench.http.wrk import require_wrk
from bench.report import read_raw, save_raw

PARTS: Final = ("rounds", "clients", "batch", "start", "memory")
REPORT: Final = "report"
STARTS: Final = 5
QUICK_CACHE: Final = 1000


def measure_parts(parts: list[str], rounds: int, seconds: float, *, quick: bool) -> dict[str, Any]:
    """The raw figures of these parts. Pins this process to the core of the load, for good."""
    figures: dict[str, Any] = {"machine": measure.machine()}
    # The stopwatch must not take the server's time.
    os.sched_setaffinity(0, {cores()[1]})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bodies = make_bodies(folder) if {"rounds", "clients", "batch"} & set(parts) else {}
        for part in parts:
            print(f"measuring: {part}", flush=True)
            if part == "rounds":
                figures[part] = measure.measure_rounds(bodies, rounds, seconds)
            elif part == "clients":
                figures[part] = measure.measure_clients(bodies[SCORE], seconds)
            elif part == "batch":
                figures[part] = measure.measure_batch(bodies[SCORE], folder, seconds)
            elif part == "start":
                figures[part] = measure.measure_start(1 if quick else STARTS)
            else:
                figures[part] = measure.measure_memory(folder, QUICK_CACHE if quick else measure.CACHE)
    return figures


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench http", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}, or {REPORT}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="of load for each figure")
    parser.add_argument("--quick", action="store_true", help="one short round, printed: does it work?")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - {*PARTS, REPORT}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    parts = [part for part in PARTS if part in (options.parts or PARTS)]
    rounds, seconds = (1, 1) if options.quick else (options.rounds, options.seconds)
    if parts:
        require_wrk()
    figures = measure_parts(parts, rounds, seconds, quick=options.quick) if parts else {}
    if not options.quick:
        raw = RAW / "http.json"
        kept = json.loads(raw.read_text(encoding="utf-8")) if raw.exists() else {}
        save_raw(kept | figures, raw)
        report.write(read_raw(raw))
    print("\n\n".join(report.tables(figures).values()))
