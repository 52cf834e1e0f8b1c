"""The tables and the plot on capacity: blocks of `docs/capacity.md`, written from the raw figures alone."""

from statistics import mean, median
from typing import Any, Final

from matplotlib.figure import Figure

from bench.builds import DOCS, PLOTS
from bench.capacity.pods import Plan, need, peak_of_day
from bench.http.report import LATENCIES, latencies, machine_table
from bench.report import markdown_table, put_blocks, save_svg

DOCUMENT: Final = DOCS / "capacity.md"


def _closed(runs: list[dict[str, Any]]) -> str:
    cells = (
        (
            each["clients"],
            f"{each['per_second']:,.0f}",
            *latencies(each, 1),
            f"{each['cpu_microseconds']:,.0f}",
            f"{each['busy']:.0%}",
        )
        for each in runs
    )
    return markdown_table(("clients", "requests/s", *LATENCIES.values(), "CPU µs a request", "busy"), cells)


def _open(runs: list[dict[str, Any]]) -> str:
    cells = (
        (
            f"{each['share']:.0%}",
            f"{each['per_second']:,.0f}",
            *latencies(each, 1),
            f"{each['late_p99'] / 1000:.1f}",
            f"{each['refused']:.1%}",
            f"{each['busy']:.0%}",
        )
        for each in runs
    )
    return markdown_table(("of the peak", "requests/s", *LATENCIES.values(), "late", "refused", "busy"), cells)


def _memory(core: dict[str, Any], scaling: dict[str, Any]) -> str:
    held = (
        ("one worker, after the first request", core["memory"]["first"]),
        (f"one worker, {core['cache']['entries']:,} hands in its cache", core["memory"]["last"]),
        ("two workers, after the load", scaling["memory"]),
    )
    return markdown_table(("worker and master", "MB (PSS)"), ((name, f"{each['pss']:.0f}") for name, each in held))


def _rates(runs: list[dict[str, Any]]) -> list[float]:
    return [each["per_second"] for each in runs]


def _scaling(scaling: dict[str, Any]) -> str:
    rounds = [(mean(_rates(each["alone"])), sum(_rates(each["together"]))) for each in scaling["rounds"]]
    one, two = (median(rates) for rates in zip(*rounds, strict=True))
    workers = median(_rates(scaling["workers"]))
    ratios = [together / alone for alone, together in rounds]
    return markdown_table(
        ("", "requests/s", "times one"),
        (
            ("one pod, sharing its core with its wrk", f"{one:,.0f}", "1.00"),
            ("two such pods at once", f"{two:,.0f}", f"{median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"),
            (
                "one pod with `WEB_CONCURRENCY=2`, sharing both cores with wrk",
                f"{workers:,.0f}",
                f"{workers / one:.2f}",
            ),
        ),
    )


def pods(asked: dict[str, Any], plan: Plan) -> str:
    """The pods for some loads, when a core answers what the first open loop says of a whole one."""
    capacity = round(asked["per_second"] / asked["busy"], -2)
    day = peak_of_day(1_000_000, plan)
    loads = {
        "a million shows a day": day,
        "ten million shows a day": 10 * day,
        "10,000 requests a second": 10_000,
        "10,000 shows a second": 10_000 * plan.requests_a_show,
    }
    needs = {name: need(rate, capacity, plan) for name, rate in loads.items()}
    cells = (
        (
            name,
            f"{each.rate:,.0f}",
            each.by_load,
            each.pods,
            *(f"{load:.0%}" for load in (each.load, each.load_without_pod, each.load_without_zone)),
        )
        for name, each in needs.items()
    )
    headings = ("", "requests/s at the peak", "pods by load", "pods", "busy", "a pod gone", "a zone gone")
    return markdown_table(headings, cells)


def tables(figures: dict[str, Any], plan: Plan) -> dict[str, str]:
    """The tables by the names of their blocks."""
    core, scaling = figures["core"], figures["scaling"]
    return {
        "capacity-machine": machine_table(figures["machine"]),
        "capacity-closed": _closed(core["closed"]),
        "capacity-open": _open(core["open"]),
        "capacity-memory": _memory(core, scaling),
        "capacity-scaling": _scaling(scaling),
        "capacity-pods": pods(core["open"][0], plan),
    }


def plot(core: dict[str, Any]) -> Figure:
    """Rate on the left; on the right latencies, closed loop and open, by how many requests are answered."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    rate, latency = figure.subplots(1, 2)
    clients = [each["clients"] for each in core["closed"]]
    rate.plot(clients, [each["per_second"] for each in core["closed"]], "o-")
    rate.set_ylim(0, None)
    rate.set_xscale("log", base=2)
    rate.set_xticks(clients, [str(count) for count in clients])
    rate.set_xlabel("clients, closed loop")
    rate.set_ylabel("requests a second")
    shares = [100 * each["share"] for each in core["open"]]
    for name, label in LATENCIES.items():
        latency.plot(shares, [each[name] / 1000 for each in core["open"]], "o-", label=label)
    latency.set_yscale("log")
    latency.set_xlabel("percent of the peak, open loop")
    latency.set_ylabel("milliseconds")
    latency.legend(fontsize="small")
    for axes in (rate, latency):
        axes.grid(visible=True, alpha=0.3)
    return figure


def write(figures: dict[str, Any], plan: Plan) -> None:
    """Put the tables into the document, and the plot beside it."""
    put_blocks(DOCUMENT, tables(figures, plan))
    save_svg(plot(figures["core"]), PLOTS / "capacity.svg")
