"""The report on requests: a section of `docs/benchmarks.md`, written from the raw figures alone, and two plots."""

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

from matplotlib.figure import Figure

from tests.bench.report import markdown_table, put_section, save_svg, wrapped

TITLE: Final = "# Benchmarks"
HEADING: Final = "## What a request costs"
SHARES_PLOT: Final = "http.svg"
CLIENTS_PLOT: Final = "http-clients.svg"
RAW: Final = "http.json"
LATENCIES: Final = {"p50": "50 %", "p99": "99 %", "p999": "99.9 %"}
START_GOAL_SECONDS: Final = 1
BATCH_GOAL: Final = 8000
MEMORY_GOAL: Final = 150
METHOD: Final = """The server has one core, wrk and the stopwatch the other. The cases take turns in every round, each
with a server of its own: it is warmed up, {checked} of its answers are compared byte by byte, and then it is loaded
over {clients} connections that stay open. Every answer was 200, and the worker's own counters show that the cache
answered all requests of the warm cases and none of the others. Given are medians of {rounds} round(s) of
{seconds:g} s; a share is the median of the ratios to the floor of the same path in the same round, in brackets the
lowest and the highest. CPU time is the worker's, user and system, a request."""
REQUESTS: Final = """The requests are the hands of `tests/bench/corpora/built.txt`. "Every hand new" is with the cache
off. In `/validate` every second hand is laid out in its best groups, the others as the cards come. The floor,
`tests/bench/http/floor.py`, runs under the service's own `gunicorn.conf.py`: Flask and marshmallow load the same
request, and `json.dumps` writes an answer of the service's mean size ({sizes}). It keeps no log and no metrics; the
service does, with its log on `/dev/null`."""


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


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    shares = row["shares"]
    return (
        row["case"],
        f"{row['per_second']:,.0f}",
        f"{row['cpu_microseconds']:,.0f}",
        f"{median(shares):.2f} ({min(shares):.2f}-{max(shares):.2f})",
        f"{row['cpu_share']:.2f}",
        "" if row["goal"] is None else f"{row['goal']:.2f}",
    )


def section(figures: dict[str, Any], folder: str = "bench") -> str:
    """The section as Markdown, of those parts that `figures` has; `folder` is where the plots and raw figures are."""
    machine = figures["machine"]
    parts = [
        HEADING,
        (
            f"Written by `make bench-http` from [`{RAW}`]({folder}/{RAW}). Measured on {machine['cpu']}, on cores "
            f"{machine['pinned']} of {machine['cores']}; Python {machine['python']}, Flask {machine['flask']}, "
            f"marshmallow {machine['marshmallow']}, gunicorn {machine['gunicorn']}, wrk {machine['wrk']}."
        ),
    ]
    writers: dict[str, Callable[[Any, str], list[str]]] = {
        "rounds": _rounds,
        "clients": _clients,
        "batch": _batch,
        "start": _start,
        "memory": _memory,
    }
    for part, write in writers.items():
        if part in figures:
            parts += write(figures[part], folder)
    return wrapped(*parts)


def _rounds(figures: dict[str, Any], folder: str) -> list[str]:
    headings = ("case", "requests/s", "CPU µs", "share of the floor", "by CPU time", "goal")
    sizes = ", ".join(
        f"{path}: {each['floor']:,} bytes for {each['mean']:,.0f}" for path, each in figures["answer_bytes"].items()
    )
    rounds = max(each["round"] for each in figures["runs"])
    measured = list(rows(figures["runs"]))
    method = METHOD.format(**{key: figures[key] for key in ("checked", "clients", "seconds")}, rounds=rounds)
    return [
        method,
        REQUESTS.format(sizes=sizes),
        markdown_table(headings, map(_cells, measured)),
        *_signing({row["case"]: row["cpu_microseconds"] for row in measured}),
        f"![Share of the floor's requests a second by case]({folder}/{SHARES_PLOT})",
    ]


def _signing(microseconds: dict[str, float]) -> Iterator[str]:
    for case, signed in microseconds.items():
        if ", signed" in case and (unsigned := microseconds.get(case.replace(", signed", ""))):
            yield f"A signature costs {signed - unsigned:.0f} µs of CPU time, by the two rows of the warm cache."


def _clients(runs: list[dict[str, Any]], folder: str) -> list[str]:
    cells = (
        (each["clients"], f"{each['per_second']:,.0f}", *(f"{each[name] / 1000:.2f}" for name in LATENCIES))
        for each in runs
    )
    return [
        "### By number of clients",
        (
            f"`/score`, {runs[0]['build']}, every hand new. Each client sends its next request when it has the last "
            "answer, so latency grows with their number once the core is busy. Latencies in milliseconds."
        ),
        markdown_table(("clients", "requests/s", *LATENCIES.values()), cells),
        f"![Rate and latency by number of clients]({folder}/{CLIENTS_PLOT})",
    ]


def _batch(figures: dict[str, Any], _: str) -> list[str]:
    alone, together = figures["alone"], figures["together"]
    cells = (
        (name, f"{each['per_second']:,.0f}", *(f"{each[latency] / 1000:.1f}" for latency in LATENCIES))
        for name, each in (("alone", alone), ("beside batches", together))
    )
    return [
        "### Batches",
        (
            f"`/batch` of {figures['items']:,} calls of `/score`, {figures['build']}, every hand new, one after the "
            f"other: {figures['hands_per_second']:,.0f} hands a second (goal: {BATCH_GOAL:,}), "
            f"{figures['hands_per_second'] / alone['per_second']:.1f} times as many as in single calls from "
            f"{figures['clients']} clients. With these clients beside them, {figures['beside_hands_per_second']:,.0f} "
            "hands a second. The single calls meanwhile, latencies in milliseconds:"
        ),
        markdown_table(("single calls", "requests/s", *LATENCIES.values()), cells),
    ]


def _start(figures: dict[str, Any], _: str) -> list[str]:
    seconds = figures["seconds"]
    return [
        "### Start",
        (
            f"From the start of gunicorn to the first answer of `/score`, {figures['build']}: {median(seconds):.2f} s, "
            f"the median of {len(seconds)} ({min(seconds):.2f}-{max(seconds):.2f}); "
            f"goal: below {START_GOAL_SECONDS} s. One start before these wrote the bytecode."
        ),
    ]


def _memory(figures: dict[str, Any], _: str) -> list[str]:
    held = [
        (name, *(f"{figures[when][part]:.0f}" for part in ("rss", "pss")))
        for name, when in (("after the first request", "before"), ("full cache", "after"))
    ]
    return [
        "### Memory",
        (
            f"Megabytes that a worker holds, {figures['build']}, with {figures['entries']:,} solved hands in its cache "
            f"after {figures['requests']:,} requests; goal: below {MEMORY_GOAL}. The hands are different ones, in turn "
            "random and built from groups. PSS counts a page that is shared only in part."
        ),
        markdown_table(("", "RSS", "PSS"), held),
    ]


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


def write(figures: dict[str, Any], docs: Path) -> None:
    """Write the section into `benchmarks.md` of a folder, and the plots into `bench/` beside it."""
    document, folder = docs / "benchmarks.md", docs / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    if "rounds" in figures:
        save_svg(plot_shares(figures["rounds"]["runs"]), folder / SHARES_PLOT)
    if "clients" in figures:
        save_svg(plot_clients(figures["clients"]), folder / CLIENTS_PLOT)
    old = document.read_text(encoding="utf-8") if document.exists() else ""
    document.write_text(put_section(old or f"{TITLE}\n", HEADING, section(figures)), encoding="utf-8")
