"""`python -m tests.bench.http [PART...]`: measures the parts that are named, or all of them, and writes the report.

The raw figures go to `bench/http.json`, where a part that is not measured again keeps those it has; the part `report`
measures nothing.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.bench.http import measure, report
from tests.bench.http.bodies import SCORE, make_bodies
from tests.bench.http.servers import ROOT, cores
from tests.bench.http.wrk import require_wrk

PARTS: Final = ("rounds", "clients", "batch", "start", "memory")
REPORT: Final = "report"
STARTS: Final = 5
QUICK_CACHE: Final = 1000


def _tell(line: str) -> None:
    print(line, flush=True)


def measure_parts(parts: list[str], rounds: int, seconds: float, *, quick: bool) -> dict[str, Any]:
    """The raw figures of these parts. Pins this process to the core of the load, for good."""
    figures: dict[str, Any] = {"machine": measure.machine()}
    # The stopwatch must not take the server's time.
    os.sched_setaffinity(0, {cores()[1]})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bodies = make_bodies(folder) if {"rounds", "clients", "batch"} & set(parts) else {}
        for part in parts:
            _tell(f"measuring: {part}")
            if part == "rounds":
                figures[part] = measure.measure_rounds(bodies, rounds, seconds, _tell)
            elif part == "clients":
                figures[part] = measure.measure_clients(bodies[SCORE], seconds)
            elif part == "batch":
                figures[part] = measure.measure_batch(bodies[SCORE], folder, seconds)
            elif part == "start":
                figures[part] = measure.measure_start(1 if quick else STARTS)
            else:
                figures[part] = measure.measure_memory(folder, QUICK_CACHE if quick else measure.CACHE)
    return figures


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.http", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}, or {REPORT}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="of load for each figure")
    parser.add_argument("--quick", action="store_true", help="one short round, into build/bench-http: does it work?")
    parser.add_argument("--docs", type=Path, help="the folder that is written to, docs by default")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - {*PARTS, REPORT}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    rounds, seconds = (1, 1) if options.quick else (options.rounds, options.seconds)
    docs = options.docs or ROOT / ("build/bench-http" if options.quick else "docs")
    parts = [part for part in PARTS if part in (options.parts or PARTS)]
    raw = docs / "bench" / report.RAW
    figures: dict[str, Any] = json.loads(raw.read_text(encoding="utf-8")) if raw.exists() else {}
    if parts:
        require_wrk()
        figures |= measure_parts(parts, rounds, seconds, quick=options.quick)
        raw.parent.mkdir(parents=True, exist_ok=True)
        raw.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if not figures:
        parser.error(f"nothing is measured yet: no {raw}")
    report.write(figures, docs)
    _tell(report.section(figures))


if __name__ == "__main__":
    main()
