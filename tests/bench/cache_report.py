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

    Every miss costs a trip; what another worker had solved then costs the reading of it, and no solve.
    """
    own, together = ratio(row), ratio(stream["workers"][0])
    gain: float = (together - own) * (build["calls"]["off"] - build["pickle"]["read"])
    return gain / (1 - own)


def _name(size: int | None) -> str:
    return "no limit" if size is None else f"{size:,}"


def _size_rows(stream: dict[str, Any], builds: list[dict[str, Any]]) -> Iterator[list[str]]:
    weight = builds[-1]["memory"]["resident"] / MEGABYTE
    for row in stream["sizes"]:
        disputes = row["dispute_hits"] / max(1, row["disputes"])
        savings = (f"{saved_at(row, build):.1f}" for build in builds)
        megabytes = "" if row["size"] is None else f"{row['size'] * weight:.1f}"
        yield [_name(row["size"]), f"{ratio(row):.1%}", f"{disputes:.1%}", *savings, megabytes]


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


def _shared_verdict(stream: dict[str, Any], builds: list[dict[str, Any]]) -> str:
    """Whether Redis pays, given its measured trip and the trip below which it would."""
    said = []
    for build in builds:
        limit = max(break_even(stream, build, row) for row in stream["workers"])
        does = "pays" if stream["redis"]["median"] < limit else "does not pay"
        said.append(f"{build['solver']} it {does}, as that takes a trip below {limit:.0f}")
    return "; ".join(said)


def text(stream: dict[str, Any], builds: list[dict[str, Any]]) -> str:
    """`cache.md`."""
    habits, fast, trip = stream["habits"], builds[-1], stream["redis"]
    names = [build["solver"] for build in builds]
    enough = size_that_pays(stream, fast)
    return wrapped(
        "# What the cache of solved hands saves",
        "Made by `make bench-cache`; [cache.json](cache.json) has the raw figures. Microseconds, on "
        f"{fast['python']}, {fast['machine']}.",
        f"**Size:** {_name(enough)} is the smallest of the sizes with {ENOUGH:.0%} of what a cache without limit "
        f"saves ({fast['solver']}).",
        f"**Shared cache:** a GET from a Redis on the same machine takes {trip['median']:.1f} microseconds, a cold "
        f"solve {fast['calls']['off']:.1f} ({fast['solver']}). Between {stream['workers'][-1]['workers']} workers, "
        f"{_shared_verdict(stream, builds)}. Over a network a trip takes longer than on one machine.",
        "![Hits and savings by size](cache.svg)",
        "## Assumed",
        f"- A worker that gets {habits['rate']:,.0f} requests a second, a heavy load: with less to do, fewer other "
        " hands come in between and a smaller cache has the same hits.\n"
        f"- Deals of {habits['fewest_players']} to {habits['most_players']} players. One shows, and is asked once by "
        f"`/validate` with groups; each other hand is asked once by `/score`, within {habits['score_within']:.0f} s.\n"
        f"- {habits['asking_twice']:.0%} of the deals are of backends that ask every hand once more, "
        f"{_range(habits['ask_again_after'])} s after the show. {habits['retried']:.0%} of all these requests are sent "
        f"again after {_range(habits['retry_after'])} s.\n"
        f"- {habits['disputed']:.0%} of the hands are sent once more as a dispute, {_range(habits['dispute_after'])} s "
        "after the show.\n"
        f"- No two deals have a hand in common. {stream['requests']:,} requests, of which the second half is counted.\n"
        "- Hands for the times: three quarters built from groups with up to two loose cards, a quarter random.",
        "## A call",
        "`SolveCache` over `best_arrangement`, switched off (a cold solve), on a miss and on a hit; bytes of an entry, "
        f"key included, by `tracemalloc` and by the growth of the process with {fast['memory']['entries']:,} entries.",
        markdown_table(["build", "off", "miss", "hit", "bytes: allocated", "resident"], _build_rows(builds)),
        "## By size",
        "Saved a request: hits x (off - hit) - misses x (miss - off).",
        markdown_table(
            ["entries", "hits", "of disputes", *(f"saved, {name}" for name in names), "MB"], _size_rows(stream, builds)
        ),
        "## Shared between workers",
        f"GET of {1024:,} bytes, local Redis, bare socket, one connection: median {trip['median']:.1f}, mean "
        f"{trip['mean']:.1f}, 99 % {trip['percentile_99']:.1f}. A pickled answer has {fast['pickle']['bytes']:,.0f} "
        f"bytes and takes {fast['pickle']['read']:.1f} to read.",
        "The same stream, spread at random over workers that each have a default cache, and the round trip below which "
        "Redis behind these caches would save anything: every miss costs a trip, and what another worker had solved "
        "costs the reading, and no solve. Writing to it is not even counted.",
        markdown_table(["workers", "hits", *(f"pays below, {name}" for name in names)], _worker_rows(stream, builds)),
    )


def _range(ends: list[float]) -> str:
    return f"{ends[0]:g} to {ends[1]:g}"


def plot(stream: dict[str, Any], builds: list[dict[str, Any]]) -> Figure:
    """Hits, and what they save, by the size of the cache."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    names = [_name(row["size"]) for row in stream["sizes"]]
    left.plot(names, [100 * ratio(row) for row in stream["sizes"]], "o-")
    left.set_ylabel("hits, % of the requests")
    for build in builds:
        savings = [saved_at(row, build) for row in stream["sizes"]]
        right.plot(names, savings, "o-", label=build["solver"])
    right.set_ylabel("microseconds saved a request")
    right.legend()
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
    save_svg(plot(stream, builds), folder / "cache.svg")
