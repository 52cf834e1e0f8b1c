"""`python -m bench solve [CORPUS...]`: cold solves of every corpus, interpreted and compiled."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from bench.builds import machine, measured_in_builds
from bench.corpora import CORPORA, read_corpus
from bench.measure import RUNS, Figures, Solve, Timing, figures, time_deals
from service.game import solver, verdict

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


def rows(path: Path) -> Iterator[Row]:
    """For each call the row of a whole corpus, then one for each rule set in it."""
    deals = read_corpus(path)
    for call, solve in CALLS.items():
        timings = time_deals(solve, deals)
        yield _row(path.stem, EVERY_RULE_SET, call, timings)
        for name in dict.fromkeys(deal.rules.name for deal in deals):
            yield _row(path.stem, name, call, [timing for timing in timings if timing.deal.rules.name == name])


def measure(paths: Iterable[Path]) -> dict[str, Any]:
    """The figures of these corpora in the build that this runs in."""
    return {**machine(), "rows": [asdict(row) for path in paths for row in rows(path)]}


HEADINGS: Final = ("corpus", "rule set", "call", "hands/s", "mean", "median", "99 %", "worst", "first: median", "worst")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    best, first = row["best"], row["first"]
    times = *(best[name] for name in ("mean", "median", "percentile_99", "worst")), first["median"], first["worst"]
    return (
        row["corpus"],
        row["rule_set"],
        row["call"],
        f"{best['per_second']:,.0f}",
        *(f"{each:,.1f}" for each in times),
    )


def table(headings: tuple[str, ...], lines: Iterable[tuple[str, ...]], left: int) -> str:
    """Aligned columns, the first `left` of them to the left."""
    cells = [headings, *lines]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    )


def report(build: dict[str, Any]) -> str:
    """The figures of a build in microseconds, and the slowest hand of each corpus."""
    slowest = (f"Slowest, {each['corpus']}, {each['call']}: {each['slowest']}" for each in totals(build))
    about = f"{build['python']}, {build['solver']}, {build['machine']}; microseconds, best of {RUNS} passes"
    return "\n".join([about, table(HEADINGS, map(_cells, build["rows"]), 3), *slowest, ""])


def totals(build: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of whole corpora."""
    return [row for row in build["rows"] if row["rule_set"] == EVERY_RULE_SET]


def ratios(slow: dict[str, Any], fast: dict[str, Any]) -> str:
    """How many times faster the second build is, by the mean, the median and the worst hand."""
    names = ("mean", "median", "worst")
    lines = (
        (one["corpus"], one["call"], *(f"{one['best'][name] / other['best'][name]:.1f}" for name in names))
        for one, other in zip(totals(slow), totals(fast), strict=True)
    )
    return table(("times faster", "call", *names), lines, 2)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["measure"]:
        found = measure(map(Path, arguments[2:]))
        Path(arguments[1]).write_text(json.dumps(found), encoding="utf-8")
        return
    paths = map(Path, arguments) if arguments else sorted(CORPORA.glob("*.txt"))
    builds = measured_in_builds(__name__, *(str(path.resolve()) for path in paths))
    sys.stdout.write("\n".join([*map(report, builds), ratios(*builds)]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
