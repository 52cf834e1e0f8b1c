"""`python -m tests.bench`: times cold solves of every corpus and prints the figures, `--json FILE` writes them too."""

import argparse
import json
import platform
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from service.game import solver, verdict
from tests.bench.corpora import CORPORA, read_corpus
from tests.bench.measure import RUNS, Figures, Solve, Timing, figures, time_deals

CALLS: Final[dict[str, Solve]] = {"solve": solver.solve, "best_arrangement": verdict.best_arrangement}
EVERY_RULE_SET: Final = "all"


@dataclass(frozen=True)
class Row:
    """The figures of one call on the hands of a corpus: `best` of all passes, and of the `first` pass alone."""

    corpus: str
    rule_set: str
    call: str
    best: Figures
    first: Figures
    slowest: str


def _row(corpus: str, rule_set: str, call: str, timings: list[Timing]) -> Row:
    slowest = max(timings, key=lambda timing: timing.best)
    best = figures([timing.best for timing in timings])
    first = figures([timing.first for timing in timings])
    return Row(corpus, rule_set, call, best, first, slowest.deal.line)


def measure(path: Path) -> Iterator[Row]:
    """For each call the row of a whole corpus, then one for each rule set in it."""
    deals = read_corpus(path)
    for call, solve in CALLS.items():
        timings = time_deals(solve, deals)
        yield _row(path.stem, EVERY_RULE_SET, call, timings)
        for name in dict.fromkeys(deal.rules.name for deal in deals):
            yield _row(path.stem, name, call, [timing for timing in timings if timing.deal.rules.name == name])


def machine() -> dict[str, str]:
    """What the figures hold for: the interpreter, and whether the solver was compiled."""
    compiled = not str(solver.__file__).endswith(".py")
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "solver": "compiled" if compiled else "interpreted",
        "machine": f"{platform.system()} {platform.machine()}",
    }


HEADINGS: Final = ("corpus", "rule set", "call", "hands/s", "mean", "median", "99 %", "worst", "first: median", "worst")


def table(rows: Iterable[Row]) -> str:
    """The rows as a table with aligned columns, times in microseconds."""
    lines = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    return "\n".join(_aligned(line, widths) for line in lines)


def _cells(row: Row) -> tuple[str, ...]:
    best, first = row.best, row.first
    times = (best.mean, best.median, best.percentile_99, best.worst, first.median, first.worst)
    return (row.corpus, row.rule_set, row.call, f"{best.per_second:,.0f}", *(f"{time:,.1f}" for time in times))


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    names = [cell.ljust(width) for cell, width in zip(cells[:3], widths[:3], strict=True)]
    numbers = [cell.rjust(width) for cell, width in zip(cells[3:], widths[3:], strict=True)]
    return "  ".join(names + numbers)


def report(rows: list[Row]) -> str:
    """Everything that is printed: totals, rule sets apart, and the slowest hand of each corpus."""
    totals = [row for row in rows if row.rule_set == EVERY_RULE_SET]
    return "\n".join(
        [
            "Cold solves on {python}, {solver}, {machine}.".format(**machine()),
            f"Microseconds a hand, each hand's best of {RUNS} passes; on the right the first pass alone.",
            "",
            table(totals),
            "",
            table(row for row in rows if row.rule_set != EVERY_RULE_SET),
            "",
            *(f"Slowest, {row.corpus}, {row.call}: {row.slowest}" for row in totals),
        ]
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON as well")
    parser.add_argument("corpora", nargs="*", type=Path, metavar="CORPUS", help="corpus files (default: all)")
    options = parser.parse_args(arguments)
    paths = options.corpora or sorted(CORPORA.glob("*.txt"))
    rows = [row for path in paths for row in measure(path)]
    sys.stdout.write(report(rows) + "\n")
    if options.json:
        text = json.dumps({**machine(), "runs": RUNS, "rows": [asdict(row) for row in rows]}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
