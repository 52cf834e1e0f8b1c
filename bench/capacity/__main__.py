"""`python -m bench capacity [report]`: what a core can do, as tables and a plot; `report` measures nothing."""

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any, Final

from bench.builds import RAW, cores
from bench.capacity import measure, report
from bench.capacity.pods import Plan
from bench.http.wrk import require_wrk
from bench.report import read_raw, save_raw

QUICK: Final = 2000


def _measure(seconds: int, *, quick: bool) -> dict[str, Any]:
    requests, cache_size = (2 * QUICK, QUICK) if quick else (measure.REQUESTS, measure.CACHE)
    figures: dict[str, Any] = {"machine": measure.about(), "cache_size": cache_size}
    # The stopwatch and the open loop must not take the server's time.
    os.sched_setaffinity(0, {cores()[1]})
    with tempfile.TemporaryDirectory() as name:
        stream = measure.Stream(Path(name), requests)
        figures["core"] = measure.measure_core(stream, seconds, cache_size)
        figures["scaling"] = measure.measure_scaling(stream, seconds, cache_size)
    return figures


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench capacity", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["report"], help="measure nothing")
    parser.add_argument("--seconds", type=int, default=10, help="of load for each figure")
    parser.add_argument("--quick", action="store_true", help="a second each, written nowhere: does it work?")
    options = parser.parse_args(arguments)
    raw = RAW / "capacity.json"
    if options.what is None:
        require_wrk()
        figures = _measure(1 if options.quick else options.seconds, quick=options.quick)
        if options.quick:
            return
        save_raw(figures, raw)
    report.write(read_raw(raw), Plan())
