"""`python -m tests.bench.capacity [report]`: measure what a core can do; `report` only writes it down again."""

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.bench.capacity import measure, report
from tests.bench.capacity.pods import Plan
from tests.bench.http.servers import ROOT, cores
from tests.bench.http.wrk import require_wrk

QUICK: Final = 2000


def _tell(line: str) -> None:
    print(line, flush=True)


def _measure(seconds: int, *, quick: bool) -> dict[str, Any]:
    requests, cache_size = (2 * QUICK, QUICK) if quick else (measure.REQUESTS, measure.CACHE)
    figures: dict[str, Any] = {"machine": measure.about(), "cache_size": cache_size}
    # The stopwatch and the open loop must not take the server's time.
    os.sched_setaffinity(0, {cores()[1]})
    with tempfile.TemporaryDirectory() as name:
        _tell(f"dealing {requests:,} requests")
        stream = measure.Stream(Path(name), requests)
        figures["core"] = measure.measure_core(stream, seconds, cache_size, _tell)
        figures["scaling"] = measure.measure_scaling(stream, seconds, cache_size, _tell)
    return figures


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.capacity", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["report"], help="measure nothing")
    parser.add_argument("--seconds", type=int, default=10, help="of load for each figure")
    parser.add_argument("--quick", action="store_true", help="a second each, into build/capacity: does it work?")
    parser.add_argument("--docs", type=Path, help="the folder that is written to, docs by default")
    options = parser.parse_args(arguments)
    docs = options.docs or ROOT / ("build/capacity" if options.quick else "docs")
    raw = docs / "bench" / report.RAW
    if options.what is None:
        require_wrk()
        figures = _measure(1 if options.quick else options.seconds, quick=options.quick)
        raw.parent.mkdir(parents=True, exist_ok=True)
        raw.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    elif not raw.exists():
        parser.error(f"nothing is measured yet: no {raw}")
    report.write(json.loads(raw.read_text(encoding="utf-8")), docs, Plan())
    _tell(f"written: {docs / report.DOCUMENT}")


if __name__ == "__main__":
    main()
