"""The report on requests: raw figures as JSON, tables as Markdown, and two plots."""

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

METHOD: Final = """Each server has one core and wrk the other, with 8 connections that stay open. The cases take turns
in every round, each with a server of its own and a warm-up; what is given is the median of the
rounds, and the share is the median of the ratios taken within a round, to the floor of the same
path. Every answer was 200. The requests are the 2,000 hands of `tests/bench/corpora/built.txt`;
"every hand new" is with the cache off. The floor is `tests/bench/http/floor.py`: Flask and
marshmallow under the same gunicorn settings, which loads the same request, and writes an answer of
the median size by `json.dumps`; it keeps no log and no metrics, and solves nothing."""


def floor_of(case: str) -> str:
    """The name of the floor that a case is compared with."""
    return "floor of /validate" if "/validate" in case else "floor of /score"


def summary(rounds: list[dict[str, Any]], goals: dict[str, float]) -> Iterator[tuple[str, ...]]:
    """A row for each case: requests a second, CPU microseconds a request, share of the floor, goal."""
    rates = {(each["round"], each["case"]): each["per_second"] for each in rounds}
    for case in dict.fromkeys(each["case"] for each in rounds):
        mine = [each for each in rounds if each["case"] == case]
        share = median(each["per_second"] / rates[each["round"], floor_of(case)] for each in mine)
        yield (
            case,
            f"{median(each['per_second'] for each in mine):,.0f}",
            f"{median(each['cpu_microseconds'] for each in mine):,.0f}",
            f"{share:.2f}",
            f"{goals[case]:.2f}" if case in goals else "",
        )


def table(headings: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """A Markdown table, numbers to the right."""
    marks = ["---", *["---:"] * (len(headings) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [headings, marks, *rows])


def text(figures: dict[str, Any]) -> str:
    """The report as Markdown."""
    clients = (
        (str(each["clients"]), f"{each['per_second']:,.0f}", *(f"{each[part] / 1000:.1f}" for part in _LATENCIES))
        for each in figures["clients"]
    )
    headings = ("case", "requests/s", "CPU µs a request", "share of the floor", "goal")
    memory = figures["memory"]
    parts = [
        "# What a request costs",
        "Written by `make bench-http`; the raw figures are in `http.json`.",
        METHOD,
        table(headings, summary(figures["rounds"], figures["goals"])),
        "![Requests a second by case](http.svg)",
        "## By number of clients",
        "`/score`, compiled, every hand new; one worker with four threads. Latencies in milliseconds.",
        table(("clients", "requests/s", "50 %", "99 %", "99.9 %"), clients),
        "![Throughput and latency by number of clients](clients.svg)",
        "## Start and memory",
        f"From the start of gunicorn to the first answer: {median(figures['start']):.2f} s (goal: 1 s).",
    ]
    if memory:
        full = f"{memory['full']:.0f} MB with 65,536 solved hands in the cache (goal: 150 MB)"
        parts.append(f"Resident memory of a worker: {memory['empty']:.0f} MB with an empty cache, {full}.")
    return "\n\n".join(parts) + "\n"


_LATENCIES: Final = ("p50", "p99", "p999")


def write(figures: dict[str, Any], folder: Path) -> str:
    """Write `http.json`, `http.md` and the plots; the text is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "http.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    written = text(figures)
    (folder / "http.md").write_text(written, encoding="utf-8")
    _plot(figures, folder)
    return written


def _plot(figures: dict[str, Any], folder: Path) -> None:
    # Not at the top: only the plots need it, and it takes a second to load.
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    mpl.rcParams["svg.hashsalt"] = "showcheck"
    rows = list(summary(figures["rounds"], figures["goals"]))
    chart = Figure(figsize=(8, 3.2), layout="constrained")
    axes = chart.subplots()
    axes.barh([row[0] for row in rows][::-1], [float(row[1].replace(",", "")) for row in rows][::-1])
    axes.set_xlabel("requests a second, one core")
    chart.savefig(folder / "http.svg", metadata={"Date": None})
    chart = Figure(figsize=(8, 3.2), layout="constrained")
    rate, latency = chart.subplots(1, 2)
    clients = [each["clients"] for each in figures["clients"]]
    rate.plot(clients, [each["per_second"] for each in figures["clients"]], marker="o")
    rate.set(xscale="log", xlabel="clients", ylabel="requests a second", ylim=(0, None))
    for part, label in zip(_LATENCIES, ("50 %", "99 %", "99.9 %"), strict=True):
        latency.plot(clients, [each[part] / 1000 for each in figures["clients"]], marker="o", label=label)
    latency.set(xscale="log", yscale="log", xlabel="clients", ylabel="milliseconds")
    latency.legend()
    chart.savefig(folder / "clients.svg", metadata={"Date": None})
