"""The report on capacity: two sections of `docs/capacity.md`, written from the raw figures alone, and a plot."""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

from matplotlib.figure import Figure

from tests.bench.capacity.pods import DAY, Need, Plan, need, peak_of_day
from tests.bench.http.report import LATENCIES
from tests.bench.report import markdown_table, put_section, save_svg, wrapped

DOCUMENT: Final = "capacity.md"
RAW: Final = "capacity.json"
PLOT: Final = "capacity.svg"
MEASURED: Final = "## Measured"
PODS: Final = "## How many pods"
# A core that the service had to itself is as good as always busy at the peak.
UNDISTURBED: Final = 0.97
# Programs that wait for a core when the measurement begins.
IDLE: Final = 1.5
METHOD: Final = """The service, compiled, has one core, and wrk or the open loop's client the other: one worker, with
{entries:,} of {cache:,} places of its cache taken at the end. The requests are the good ones of the load test
(`tests/load/mix.py`): seven in ten `/score`, the others `/validate` with groups, hands of all kinds and all rule sets,
one in twenty a hand that was asked for before ({hits:.1%} of all solves were found in the cache). Every answer
was 200, but for refusals in the open loop.
Each row is {seconds:g} s, in the open loop twice that. Latencies are in milliseconds; *busy* is the CPU time of the
worker, user and system, as a share of the time: what the autoscaler sees of a pod that requests one CPU."""

ASSUMED: Final = """- {requests} requests a show: one `/validate`, one `/score` for each of four hands on average, and
  one hand in a hundred once more (`tests/bench/stream.py`)
- the busiest minute has {peak} times the mean of the day
- the autoscaler aims at {target:.0%}, which leaves a headroom of {headroom:.0%} over it
- {zones} zones, over which the pods are spread evenly: with one pod gone (N+1), or a whole zone, no other is to be
  above {most:.0%}"""


def _latencies(figures: dict[str, Any]) -> Sequence[str]:
    return [f"{figures[name] / 1000:.1f}" for name in LATENCIES]


def _quiet(machine: dict[str, Any], core: dict[str, Any]) -> str:
    busy = max(core["closed"], key=lambda each: each["per_second"])["busy"]
    if busy >= UNDISTURBED and machine["load_average"] <= IDLE:
        return f"At the peak the worker was busy for {busy:.0%} of the time: it had its core to itself."
    return (
        "**A noisy run:** other programs wanted the cores (the load average says how many, and *busy* how much the "
        f"worker got of its core: {busy:.0%} at the peak). Rates are too low, high percentiles are theirs, and the "
        "ratios of two cores to one mean nothing. To be measured again on a quiet machine."
    )


def measured(figures: dict[str, Any]) -> str:
    """The section on what was measured."""
    machine, core, scaling = figures["machine"], figures["core"], figures["scaling"]
    memory = core["memory"]
    method = METHOD.format(
        cache=figures["cache_size"],
        **{name: core["cache"][name] for name in ("entries", "hits")},
        seconds=core["seconds"],
    )
    return wrapped(
        MEASURED,
        (
            f"Written by `make bench-capacity` from [`{RAW}`](bench/{RAW}). On {machine['cpu']}, cores "
            f"{machine['pinned']} of {machine['cores']}; Python {machine['python']}, gunicorn {machine['gunicorn']}; "
            f"load average {machine['load_average']:.1f} at the start."
        ),
        method,
        _quiet(machine, core),
        "### A core, closed loop",
        "Each client sends its next request when it has the last answer.",
        markdown_table(
            ("clients", "requests/s", *LATENCIES.values(), "CPU µs a request", "busy"),
            (
                (
                    each["clients"],
                    f"{each['per_second']:,.0f}",
                    *_latencies(each),
                    f"{each['cpu_microseconds']:,.0f}",
                    f"{each['busy']:.0%}",
                )
                for each in core["closed"]
            ),
        ),
        f"![Rate and latency by number of clients](bench/{PLOT})",
        "### A core, open loop",
        (
            "Requests come at random (Poisson) at a share of the peak above, whether or not earlier ones are answered; "
            "latency counts from the time at which a request was due. *Late* is by how much the client itself was late "
            "(99 %): that much of the latency is not the service's. *Refused* found 300 others waiting (503)."
        ),
        markdown_table(
            ("of the peak", "requests/s", *LATENCIES.values(), "late", "refused", "busy"),
            (
                (
                    f"{each['share']:.0%}",
                    f"{each['per_second']:,.0f}",
                    *_latencies(each),
                    f"{each['late_p99'] / 1000:.1f}",
                    f"{each['refused']:.1%}",
                    f"{each['busy']:.0%}",
                )
                for each in core["open"]
            ),
        ),
        "### Memory",
        (
            f"Worker and master: {memory['first']['pss']:.0f} MB (PSS) after the first request, "
            f"{memory['last']['pss']:.0f} MB with {core['cache']['entries']:,} hands in the cache; "
            f"with two workers {scaling['memory']['pss']:.0f} MB after some {2 * scaling['seconds']:g} s of load."
        ),
        "### Two cores",
        _scaling(scaling),
    )


def _rates(runs: list[dict[str, Any]]) -> list[float]:
    return [each["per_second"] for each in runs]


def _scaling(scaling: dict[str, Any]) -> str:
    rounds = [(mean(_rates(each["alone"])), sum(_rates(each["together"]))) for each in scaling["rounds"]]
    one, two = (median(rates) for rates in zip(*rounds, strict=True))
    workers = median(_rates(scaling["workers"]))
    ratios = [together / alone for alone, together in rounds]
    table = markdown_table(
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
    text = (
        "There are two cores, and the load has to come from somewhere: two workers would share their cores with the "
        "client, one worker would not. So here every pod shares its core with a wrk of its own "
        f"({scaling['clients']} clients), alone and then both at once: that changes each rate (the client takes time, "
        "and nothing has to go from core to core), but not their ratio. What the two still share is the cache of the "
        "processor, memory, the kernel, and whatever runs. "
        f"Medians of {len(rounds)} rounds, of the rates and of the ratios, in brackets the lowest and the highest."
    )
    return f"{text}\n\n{table}"


def pods(figures: dict[str, Any], plan: Plan) -> str:
    """The section on how many pods are needed."""
    asked = figures["core"]["open"][0]
    capacity = round(asked["per_second"] / asked["busy"], -2)
    day = peak_of_day(1_000_000, plan)
    cases: dict[str, Need] = {
        "a million shows a day": need(day, capacity, plan),
        "ten million shows a day": need(10 * day, capacity, plan),
        "10,000 requests a second": need(10_000, capacity, plan),
        "10,000 shows a second": need(10_000 * plan.requests_a_show, capacity, plan),
    }
    big = cases["10,000 requests a second"]
    return wrapped(
        PODS,
        (
            f"A pod is one worker on one CPU. At {asked['share']:.0%} of its peak it was busy for {asked['busy']:.0%} "
            f"of the time, which makes some {capacity:,.0f} requests a second for a whole core: fewer than at the "
            "peak, where requests that come together are taken together. The autoscaler sees busy time, so this "
            "counts. "
            "Assumed, for want of a real day:"
        ),
        ASSUMED.format(
            **vars(plan),
            headroom=1 / plan.target - 1,
            requests=f"{plan.requests_a_show:.2f}",
            peak=f"{plan.peak_factor:g}",
        ),
        (
            f"A million shows a day: 1,000,000 x {plan.requests_a_show:.2f} / {DAY:,} s = "
            f"{day / plan.peak_factor:,.0f} requests a second on average, x {plan.peak_factor:g} = {day:,.0f} at peak. "
            f"{day:,.0f} / ({capacity:,.0f} x {plan.target:g}) = {day / capacity / plan.target:.2f}: "
            f"{cases['a million shows a day'].by_load} by load, and one in each zone."
        ),
        (
            f"Ten thousand requests a second: 10,000 / ({capacity:,.0f} x {plan.target:g}) = "
            f"{10_000 / capacity / plan.target:.1f}: {big.by_load} by load, {big.pods} so that a zone may be gone. "
            "Ten thousand shows a second are five times as many."
        ),
        markdown_table(
            ("", "requests/s at the peak", "pods by load", "pods", "busy", "a pod gone", "a zone gone"),
            (
                (
                    name,
                    f"{each.rate:,.0f}",
                    each.by_load,
                    each.pods,
                    *(f"{load:.0%}" for load in (each.load, each.load_without_pod, each.load_without_zone)),
                )
                for name, each in cases.items()
            ),
        ),
    )


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


def write(figures: dict[str, Any], docs: Path, plan: Plan) -> None:
    """Write both sections into the document of a folder, and the plot into `bench/` beside it."""
    document, folder = docs / DOCUMENT, docs / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    save_svg(plot(figures["core"]), folder / PLOT)
    text = document.read_text(encoding="utf-8") if document.exists() else "# Capacity\n"
    text = put_section(text, MEASURED, measured(figures))
    document.write_text(put_section(text, PODS, pods(figures, plan)), encoding="utf-8")
