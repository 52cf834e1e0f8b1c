"""What a run was: the figures that locust wrote down, a plot of them over time, and whether it passed."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

TOTAL: Final = "Aggregated"
# locust's column, and what it is called in a plot.
PERCENTILES: Final = {"50%": "50 %", "99%": "99 %", "100%": "slowest"}


@dataclass(frozen=True)
class Moment:
    """What locust wrote down in one second; latencies are those of the last ten, in milliseconds."""

    at: float
    users: int
    per_second: float
    failures_per_second: float
    latencies: dict[str, float]


@dataclass(frozen=True)
class Row:
    """All requests of a kind, or of all kinds (`TOTAL`); latencies in milliseconds."""

    kind: str
    requests: int
    failures: int
    per_second: float
    latencies: dict[str, float]


def _rows(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def _number(text: str) -> float:
    """A number as locust writes it: N/A where nothing was measured."""
    return float("nan") if text in {"N/A", ""} else float(text)


def moments(history: Path) -> list[Moment]:
    """The run over time, from its first second on in which there was an answer."""
    rows = [row for row in _rows(history) if row["Name"] == TOTAL and float(row["Total Request Count"])]
    return [
        Moment(
            float(row["Timestamp"]) - float(rows[0]["Timestamp"]),
            int(row["User Count"]),
            float(row["Requests/s"]),
            float(row["Failures/s"]),
            {name: _number(row[name]) for name in PERCENTILES},
        )
        for row in rows
    ]


def totals(stats: Path) -> list[Row]:
    """The figures of each kind of request; the last is of all of them."""
    return [
        Row(
            row["Name"],
            int(row["Request Count"]),
            int(row["Failure Count"]),
            float(row["Requests/s"]),
            {name: _number(row[name]) for name in ("50%", "99%", "99.9%", "100%")},
        )
        for row in _rows(stats)
    ]


def verdict(rows: list[Row]) -> str:
    """What is wrong with a run, or nothing."""
    if not rows or not rows[-1].requests:
        return "nothing was answered"
    failures = rows[-1].failures
    return f"{failures:,} of {rows[-1].requests:,} answers were wrong or missing" if failures else ""


def plot(run: list[Moment]) -> Figure:
    """Throughput and users on the left, latencies on the right, over time."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    rate, latency = figure.subplots(1, 2)
    times = [moment.at for moment in run]
    rate.plot(times, [moment.per_second for moment in run], label="requests a second")
    rate.plot(times, [moment.failures_per_second for moment in run], color="C3", label="failures a second")
    rate.plot(times, [moment.users for moment in run], color="C7", linestyle="--", label="users")
    rate.set_ylim(0, None)
    for name, label in PERCENTILES.items():
        latency.plot(times, [moment.latencies[name] for moment in run], label=label)
    latency.set_yscale("log")
    latency.set_ylabel("milliseconds, of the last ten seconds")
    for axes in (rate, latency):
        axes.set_xlabel("seconds")
        axes.legend(fontsize="small")
        axes.grid(visible=True, alpha=0.3)
    return figure
