"""The tables and the plot of the cache study, and what follows from its figures."""

from collections.abc import Iterator
from typing import Any, Final

from matplotlib.figure import Figure

from bench.report import markdown_table

MEGABYTE: Final = 1_000_000


def ratio(row: dict[str, Any]) -> float:
    """The share of the requests that were hits."""
    share: float = row["hits"] / row["requests"]
    return share


def saved_at(row: dict[str, Any], build: dict[str, Any]) -> float:
    """Microseconds that a cache of the row's size saves a request, what misses cost more taken off."""
    if row["size"] == 0:
        return 0.0
    calls, hits = build["calls"], ratio(row)
    gain: float = hits * (calls["off"] - calls["hit"]) - (1 - hits) * (calls["miss"] - calls["off"])
    return gain


def break_even(stream: dict[str, Any], build: dict[str, Any], row: dict[str, Any]) -> float:
    """The round trip in microseconds below which Redis behind the workers' own caches would save anything.

    Every miss costs a trip; what any worker had solved, however long ago, then costs the reading, and no solve.
    """
    own, together = ratio(row), ratio(stream["sizes"][-1])
    gain: float = (together - own) * (build["calls"]["off"] - build["pickle"]["read"])
    return gain / (1 - own)


def _name(size: int | None) -> str:
    return "no limit" if size is None else f"{size:,}"


def _calls(builds: list[dict[str, Any]]) -> Iterator[list[str]]:
    for build in builds:
        times = (f"{build['calls'][name]:.2f}" for name in ("off", "miss", "hit"))
        held = (f"{build['memory'][name]:,.0f}" for name in ("allocated", "resident"))
        yield [build["solver"], *times, *held, f"{build['pickle']['bytes']:,.0f}", f"{build['pickle']['read']:.1f}"]


def _sizes(streams: list[dict[str, Any]], builds: list[dict[str, Any]]) -> Iterator[list[str]]:
    for stream in streams:
        for row in stream["sizes"]:
            disputes = row["dispute_hits"] / max(1, row["disputes"])
            savings = (f"{saved_at(row, build):.1f}" for build in builds)
            held = "" if row["size"] is None else f"{row['size'] * builds[-1]['memory']['resident'] / MEGABYTE:.1f}"
            yield [stream["name"], _name(row["size"]), f"{ratio(row):.1%}", f"{disputes:.1%}", *savings, held]


def _shared(streams: list[dict[str, Any]], builds: list[dict[str, Any]]) -> Iterator[list[str]]:
    for stream in streams:
        for row in stream["workers"]:
            if row["workers"] > 1:
                trips = (f"{break_even(stream, build, row):.1f}" for build in builds)
                yield [stream["name"], str(row["workers"]), f"{ratio(row):.1%}", *trips]


def _trips(trips: dict[str, dict[str, float]]) -> Iterator[list[str]]:
    for name, trip in trips.items():
        yield [name, *(f"{trip[each]:.1f}" for each in ("median", "mean", "percentile_99"))]


def tables(found: dict[str, Any], builds: list[dict[str, Any]]) -> dict[str, str]:
    """The tables by the names of their blocks."""
    streams, names = found["streams"], [build["solver"] for build in builds]
    call = ["build", "off", "miss", "hit", "bytes: allocated", "resident", "pickled", "to read"]
    size = ["stream", "entries", "hits", "of disputes", *(f"saved, {name}" for name in names), "MB"]
    shared = ["stream", "workers", "hits", *(f"pays below, {name}" for name in names)]
    return {
        "cache-calls": markdown_table(call, _calls(builds)),
        "cache-sizes": markdown_table(size, _sizes(streams, builds)),
        "cache-trips": markdown_table(["client and server on", "median", "mean", "99 %"], _trips(found["redis"])),
        "cache-shared": markdown_table(shared, _shared(streams, builds)),
    }


def plot(streams: list[dict[str, Any]], builds: list[dict[str, Any]]) -> Figure:
    """Hits, and what they save in the last build, by the size of the cache."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    names = [_name(row["size"]) for row in streams[0]["sizes"]]
    for stream in streams:
        left.plot(names, [100 * ratio(row) for row in stream["sizes"]], "o-", label=stream["name"])
        right.plot(names, [saved_at(row, builds[-1]) for row in stream["sizes"]], "o-", label=stream["name"])
    left.set_ylabel("hits, % of the requests")
    right.set_ylabel(f"microseconds saved a request, {builds[-1]['solver']}")
    left.legend(fontsize="small")
    for plane in (left, right):
        plane.set_xlabel("entries")
        plane.tick_params(axis="x", rotation=30)
        plane.grid(visible=True, alpha=0.3)
    return figure
