"""The tables and plots on requests: blocks of `docs/benchmarks.md`, written from the raw figures alone."""

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, Final

from matplotlib.figure import Figure

from bench.builds import DOCS, PLOTS
from bench.report import markdown_table, put_blocks, save_svg

DOCUMENT: Final = DOCS / "benchmarks.md"
LATENCIES: Final = {"p50": "50 %", "p99": "99 %", "p999": "99.9 %"}


def rows(runs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """For each case the medians of its rounds, and its `shares` of the floor, round by round."""
    floors = {(each["round"], each["path"]): each for each in runs if each["build"] == "floor"}
    for case in dict.fromkeys(each["case"] for each in runs):
        mine = [each for each in runs if each["case"] == case]
        pairs = [(each, floors[each["round"], each["path"]]) for each in mine]
        yield {
            "case": case,
            "build": mine[0]["build"],
            "goal": mine[0]["goal"],
            "per_second": median(each["per_second"] for each in mine),
            "cpu_microseconds": median(each["cpu_microseconds"] for each in mine),
            "shares": [each["per_second"] / below["per_second"] for each, below in pairs],
            "cpu_share": median(below["cpu_microseconds"] / each["cpu_microseconds"] for each, below in pairs),
        }


def spread(values: list[float]) -> str:
    """The median, in brackets the lowest and the highest."""
    return f"{median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def latencies(figures: dict[str, Any], digits: int) -> Iterator[str]:
    """The latencies of a run in milliseconds."""
    return (f"{figures[name] / 1000:.{digits}f}" for name in LATENCIES)


def machine_table(figures: dict[str, str]) -> str:
    """What the figures hold for."""
    return markdown_table(list(figures), [list(figures.values())])


def _rounds(figures: dict[str, Any]) -> str:
    headings = ("case", "requests/s", "CPU µs", "share of the floor", "by CPU time", "goal")
    cells = (
        (
            row["case"],
            f"{row['per_second']:,.0f}",
            f"{row['cpu_microseconds']:,.0f}",
            spread(row["shares"]),
            f"{row['cpu_share']:.2f}",
            "" if row["goal"] is None else f"{row['goal']:.2f}",
        )
        for row in rows(figures["runs"])
    )
    return markdown_table(headings, cells)


def _clients(runs: list[dict[str, Any]]) -> str:
    cells = ((each["clients"], f"{each['per_second']:,.0f}", *latencies(each, 2)) for each in runs)
    return markdown_table(("clients", "requests/s", *LATENCIES.values()), cells)


def _batch(figures: dict[str, Any]) -> str:
    cells = (
        (name, f"{figures[hands]:,.0f}" if hands else "", *(run or ("",) * 4))
        for name, hands, run in (
            ("batches", "hands_per_second", None),
            ("single calls", "", _single(figures["alone"])),
            ("both", "beside_hands_per_second", _single(figures["together"])),
        )
    )
    return markdown_table(("", "hands/s in batches", "single calls/s", *LATENCIES.values()), cells)


def _single(run: dict[str, Any]) -> tuple[str, ...]:
    return f"{run['per_second']:,.0f}", *latencies(run, 1)


def _start(figures: dict[str, Any]) -> str:
    return markdown_table(("build", "seconds"), [(figures["build"], spread(figures["seconds"]))])


def _memory(figures: dict[str, Any]) -> str:
    cells = (
        (name, *(f"{figures[when][part]:.0f}" for part in ("rss", "pss")))
        for name, when in (("after the first request", "before"), (f"with {figures['entries']:,} hands", "after"))
    )
    return markdown_table(("", "RSS", "PSS"), cells)


TABLES: Final[dict[str, Callable[[Any], str]]] = {
    "machine": machine_table,
    "rounds": _rounds,
    "clients": _clients,
    "batch": _batch,
    "start": _start,
    "memory": _memory,
}


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """The tables of those parts that were measured, by the names of their blocks."""
    return {f"http-{part}": table(figures[part]) for part, table in TABLES.items() if part in figures}


def plot_shares(runs: list[dict[str, Any]]) -> Figure:
    """A bar for each case, a dot for each of its rounds, a line for its goal."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    axes = figure.subplots()
    shown = [row for row in rows(runs) if row["build"] != "floor"][::-1]
    for at, row in enumerate(shown):
        axes.barh(at, median(row["shares"]), height=0.6, color="C0" if row["build"] == "compiled" else "C7")
        axes.plot(row["shares"], [at] * len(row["shares"]), "k.", markersize=4)
        if row["goal"] is not None:
            axes.plot([row["goal"]] * 2, [at - 0.4, at + 0.4], color="C3", linewidth=2)
    axes.set_yticks(range(len(shown)), [row["case"] for row in shown])
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlim(0, None)
    axes.set_xlabel("share of the floor's requests a second; red: goal, dots: rounds")
    return figure


def plot_clients(runs: list[dict[str, Any]]) -> Figure:
    """Rate on the left, latencies on the right, on logarithmic scales."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    rate, latency = figure.subplots(1, 2)
    clients = [each["clients"] for each in runs]
    rate.plot(clients, [each["per_second"] for each in runs], "o-")
    rate.set_ylim(0, None)
    rate.set_ylabel("requests a second")
    for name, label in LATENCIES.items():
        latency.plot(clients, [each[name] / 1000 for each in runs], "o-", label=label)
    latency.set_yscale("log")
    latency.set_ylabel("milliseconds")
    latency.legend(fontsize="small")
    for axes in (rate, latency):
        axes.set_xscale("log", base=2)
        axes.set_xticks(clients, [str(count) for count in clients])
        axes.set_xlabel("clients")
        axes.grid(visible=True, alpha=0.3)
    return figure


def write(figures: dict[str, Any]) -> None:
    """Put the tables into the document, and the plots beside it."""
    put_blocks(DOCUMENT, tables(figures))
    if "rounds" in figures:
        save_svg(plot_shares(figures["rounds"]["runs"]), PLOTS / "http.svg")
    if "clients" in figures:
        save_svg(plot_clients(figures["clients"]), PLOTS / "http-clients.svg")
