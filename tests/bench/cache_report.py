"""The report of the cache study: tables, a plot, and conclusions that are worked out from the figures."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from matplotlib.figure import Figure

from tests.bench.report import markdown_table, save_svg, wrapped

# A cache that saves so much of what one without limit would save is large enough: the rest are mostly disputes.
ENOUGH: Final = 0.95
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


def size_that_pays(stream: dict[str, Any], build: dict[str, Any]) -> int | None:
    """The smallest size with `ENOUGH` of the saving of a cache without limit; None where only that has it."""
    most = saved_at(stream["sizes"][-1], build)
    size: int | None = next(row["size"] for row in stream["sizes"] if saved_at(row, build) >= ENOUGH * most)
    return size


def break_even(stream: dict[str, Any], build: dict[str, Any], row: dict[str, Any]) -> float:
    """The round trip in microseconds below which Redis behind the workers' own caches would save anything.

    Every miss costs a trip; what any worker had solved, however long ago, then costs the reading, and no solve.
    """
    own, together = ratio(row), ratio(stream["sizes"][-1])
    gain: float = (together - own) * (build["calls"]["off"] - build["pickle"]["read"])
    return gain / (1 - own)


def _name(size: int | None) -> str:
    return "no limit" if size is None else f"{size:,}"


def _size_rows(stream: dict[str, Any], builds: list[dict[str, Any]]) -> Iterator[list[str]]:
    for row in stream["sizes"]:
        disputes = row["dispute_hits"] / max(1, row["disputes"])
        savings = (f"{saved_at(row, build):.1f}" for build in builds)
        megabytes = "" if row["size"] is None else f"{weight(row['size'], builds[-1]):.1f}"
        yield [_name(row["size"]), f"{ratio(row):.1%}", f"{disputes:.1%}", *savings, megabytes]


def weight(size: int, build: dict[str, Any]) -> float:
    """The megabytes of so many entries."""
    megabytes: float = size * build["memory"]["resident"] / MEGABYTE
    return megabytes


def _build_rows(builds: list[dict[str, Any]]) -> Iterator[list[str]]:
    for build in builds:
        calls, memory = build["calls"], build["memory"]
        times = (f"{calls[name]:.2f}" for name in ("off", "miss", "hit"))
        yield [build["solver"], *times, f"{memory['allocated']:,.0f}", f"{memory['resident']:,.0f}"]


def _worker_rows(stream: dict[str, Any], builds: list[dict[str, Any]]) -> Iterator[list[str]]:
    for row in stream["workers"]:
        if row["workers"] > 1:
            yield [
                str(row["workers"]),
                f"{ratio(row):.1%}",
                *(f"{break_even(stream, build, row):.1f}" for build in builds),
            ]


def _size_verdict(found: dict[str, Any], fast: dict[str, Any]) -> str:
    """The size that pays for each stream, and what the default takes up against the largest of them."""
    sizes = [size_that_pays(stream, fast) for stream in found["streams"]]
    each = "; ".join(f"{_name(size)} ({stream['name']})" for size, stream in zip(sizes, found["streams"], strict=True))
    default = found["default"]
    said = f"{each}. The default of {default:,} takes {weight(default, fast):.0f} MB"
    largest = max((size for size in sizes if size is not None), default=0)
    return f"{said}, {largest:,} entries take {weight(largest, fast):.0f} MB."


def _shared_verdict(stream: dict[str, Any], trip: float, builds: list[dict[str, Any]]) -> str:
    """What Redis would save between most workers with its measured trip, and the trip at which that is nothing."""
    said = []
    for build in builds:
        row = stream["workers"][-1]
        limit = break_even(stream, build, row)
        gain = (1 - ratio(row)) * (limit - trip)
        does = f"would {'save' if gain > 0 else 'cost'} {abs(gain):.1f} a request"
        said.append(f"{build['solver']} it {does}, and saves nothing with a trip above {limit:.1f}")
    return "; ".join(said)


def text(found: dict[str, Any], builds: list[dict[str, Any]]) -> str:
    """`cache.md`."""
    streams, fast = found["streams"], builds[-1]
    trips = found["redis"]
    trip = min(each["median"] for each in trips.values())
    placed = " or ".join(f"{each['median']:.1f} ({name})" for name, each in trips.items())
    habits = streams[0]["habits"]
    names = [build["solver"] for build in builds]
    tables = []
    for stream in streams:
        headings = ["entries", "hits", "of disputes", *(f"saved, {name}" for name in names), "MB"]
        tables += [f"### {stream['name'].capitalize()}", markdown_table(headings, _size_rows(stream, builds))]
    shares = []
    for stream in streams:
        headings = ["workers", "hits", *(f"pays below, {name}" for name in names)]
        shares += [f"### {stream['name'].capitalize()}, shared", markdown_table(headings, _worker_rows(stream, builds))]
    shared = [f"- {stream['name']}: {_shared_verdict(stream, trip, builds)}" for stream in streams]
    return wrapped(
        "# What the cache of solved hands saves",
        "Made by `make bench-cache`; [cache.json](cache.json) has the raw figures. Microseconds, on "
        f"{fast['python']}, {fast['machine']}.",
        f"**Size:** the smallest with {ENOUGH:.0%} of what a cache without limit saves, {fast['solver']}: "
        f"{_size_verdict(found, fast)}",
        f"**Shared cache:** a GET from a Redis on the same machine takes {placed} microseconds, a cold solve "
        f"{fast['calls']['off']:.1f} ({fast['solver']}). Between {streams[0]['workers'][-1]['workers']} workers, with "
        "the shortest of these trips; over a network it takes longer:",
        "\n".join(shared),
        "![Hits and savings by size](cache.svg)",
        "## Assumed",
        f"- A worker that gets {habits['rate']:,.0f} requests a second, a heavy load: with less to do, fewer other "
        "hands come in between and a smaller cache has the same hits.\n"
        f"- Deals of {habits['fewest_players']} to {habits['most_players']} players. One shows, and is asked by "
        "`/validate` with groups; then every hand of the deal is asked by `/score`, within "
        f"{habits['score_within']:.0f} s.\n"
        "- The streams differ in what comes on top, which is guessed, not known: every hand of a deal once more, "
        f"{_range(habits['ask_again_after'])} s after the show (in all deals, or in half of them), and requests that "
        f"are sent again after {_range(habits['retry_after'])} s (a fifth of them).\n"
        f"- {habits['disputed']:.0%} of the hands are sent once more as a dispute, {_range(habits['dispute_after'])} s "
        "after the show.\n"
        f"- No two deals have a hand in common. {streams[0]['requests']:,} requests, of which the second half is "
        "counted.\n"
        "- Hands for the times: three quarters built from groups with up to two loose cards, a quarter random.",
        "## A call",
        "`SolveCache` over `best_arrangement`, switched off (a cold solve), on a miss and on a hit, each call's "
        "best of five (a miss: a cold solve, and what remembering an answer costs); bytes of an entry, key included, "
        f"by `tracemalloc` and by the growth of the process with {fast['memory']['entries']:,} entries.",
        markdown_table(["build", "off", "miss", "hit", "bytes: allocated", "resident"], _build_rows(builds)),
        "## By size",
        "Saved a request: hits x (off - hit) - misses x (miss - off).",
        *tables,
        "## Shared between workers",
        f"GET of {1024:,} bytes, local Redis, bare socket, one connection, client and server pinned: "
        f"{'; '.join(_trip(name, each) for name, each in trips.items())}. A pickled answer has "
        f"{fast['pickle']['bytes']:,.0f} bytes and takes {fast['pickle']['read']:.1f} to read.",
        "The same streams, spread at random over workers that each have a default cache, and the round trip below "
        "which a Redis with room for all would save anything: every miss costs a trip, and what any worker had solved "
        "costs the reading, and no solve. Writing to it is not even counted.",
        *shares,
    )


def _trip(name: str, trip: dict[str, float]) -> str:
    return f"{name}: median {trip['median']:.1f}, mean {trip['mean']:.1f}, 99 % {trip['percentile_99']:.1f}"


def _range(ends: list[float]) -> str:
    return f"{ends[0]:g} to {ends[1]:g}"


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


def write(figures: list[dict[str, Any]], folder: Path) -> None:
    """Write the text, the raw figures and the plot; `figures` are those of the stream, then of each build."""
    stream, *builds = figures
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cache.md").write_text(text(stream, builds), encoding="utf-8")
    raw = {"stream": stream, "builds": builds}
    (folder / "cache.json").write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")
    save_svg(plot(stream["streams"], builds), folder / "cache.svg")
