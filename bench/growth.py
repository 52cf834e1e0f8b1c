"""`python -m bench growth [report]`: how a cold solve grows with jokers, equal cards and the size of the hand.

It measures both builds and writes the tables of `docs/bench/growth.md` and the plot; `report` measures nothing.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any, Final

from matplotlib.figure import Figure

from bench.builds import PLOTS, RAW, machine, measured_in_builds
from bench.corpora import Deal, rule_sets
from bench.hands import built_deal, counted_deal, joker_rich_deal, random_deal
from bench.measure import figures, nodes, time_deals
from bench.report import markdown_table, put_blocks, read_raw, save_raw, save_svg
from service.game import rule_file
from service.game.rules import HAND_SIZE, RuleSet
from service.game.solver import solve

DOCUMENT: Final = PLOTS / "growth.md"
HANDS: Final = 500
SEED: Final = 1
JOKERS: Final = range(HAND_SIZE)
PAIRS: Final = range(7)
SIZES: Final = (HAND_SIZE, 17, 21)
# With one joker there is room for six pairs, and the cards still compete for it.
JOKERS_BESIDE_PAIRS: Final = 1
AXES: Final = {
    "jokers": "Jokers in the hand",
    "pairs": "Pairs of equal cards",
    "cards": "Cards in the hand (three packs)",
}
KINDS: Final[dict[str, Callable[[Random, RuleSet, int], Deal]]] = {
    "random": random_deal,
    "built": built_deal,
    "joker-rich": joker_rich_deal,
}


@dataclass(frozen=True)
class Point:
    """Hands of one kind at one place of an axis."""

    axis: str
    at: int
    kind: str
    deals: list[Deal]


def three_packs() -> RuleSet:
    """`online-13` with three packs of two printed jokers each."""
    text = (Path(rule_file.__file__).parent / "rulesets" / "online-13.toml").read_text(encoding="utf-8")
    rules = rule_file.parse_rule_set(text.replace("packs = 2, printed_jokers = 2", "packs = 3, printed_jokers = 6"))
    if rules.deck(None).packs != 3:
        raise ValueError("online-13.toml no longer has what is replaced here")
    return rules


def points(hands: int) -> Iterator[Point]:
    """Every place of every axis, with so many hands each: two packs with four jokers, then three packs."""
    family, long = rule_sets()["family-13"], three_packs()
    for built in (False, True):
        kind = "built" if built else "random"
        for jokers in JOKERS:
            random = Random(f"{SEED} jokers {jokers} {kind}")
            deals = [counted_deal(random, family, jokers, 0, built=built) for _ in range(hands)]
            yield Point("jokers", jokers, kind, deals)
        for pairs in PAIRS:
            random = Random(f"{SEED} pairs {pairs} {kind}")
            deals = [counted_deal(random, family, JOKERS_BESIDE_PAIRS, pairs, built=built) for _ in range(hands)]
            yield Point("pairs", pairs, kind, deals)
    for kind, make in KINDS.items():
        for size in SIZES:
            random = Random(f"{SEED} cards {size} {kind}")
            yield Point("cards", size, kind, [make(random, long, size) for _ in range(hands)])


def row(point: Point) -> dict[str, Any]:
    """The figures of a point: times in microseconds, and search nodes."""
    times = figures([timing.best for timing in time_deals(solve, point.deals)])
    visited = [nodes(deal) for deal in point.deals]
    return {
        "axis": point.axis,
        "at": point.at,
        "kind": point.kind,
        **asdict(times),
        "nodes_mean": fmean(visited),
        "nodes_median": median(visited),
        "nodes_percentile_99": sorted(visited)[-(-99 * len(visited) // 100) - 1],
        "nodes_worst": max(visited),
    }


def measure(hands: int = HANDS) -> dict[str, Any]:
    """The figures of every point in the build that this runs in."""
    return {**machine(), "rows": [row(point) for point in points(hands)]}


def table(builds: list[dict[str, Any]], axis: str) -> str:
    """The figures of an axis; the times of the builds stand side by side."""
    times = ("mean", "median", "percentile_99", "worst")
    headings = [AXES[axis], "hands", "nodes: mean", "median", "99 %", "worst"]
    for build in builds:
        headings += [f"{build['solver']}: mean", "median", "99 %", "worst"]
    lines = []
    for rows in zip(*(build["rows"] for build in builds), strict=True):
        first = rows[0]
        if first["axis"] == axis:
            cells = [
                f"{first['at']}, {first['kind']}",
                first["hands"],
                f"{first['nodes_mean']:.1f}",
                f"{first['nodes_median']:.0f}",
                first["nodes_percentile_99"],
                first["nodes_worst"],
            ]
            lines.append([*cells, *(f"{each[name]:,.1f}" for each in rows for name in times)])
    return markdown_table(headings, lines)


def plot(builds: list[dict[str, Any]]) -> Figure:
    """Mean and worst time of the hands built from groups, on a logarithmic scale."""
    figure = Figure(figsize=(11, 4), layout="constrained")
    axes = figure.subplots(1, len(AXES), sharey=True)
    for plane, (axis, title) in zip(axes, AXES.items(), strict=True):
        for colour, build in enumerate(builds):
            rows = [row for row in build["rows"] if row["axis"] == axis and row["kind"] == "built"]
            places = [row["at"] for row in rows]
            for name, style in (("mean", "o-"), ("worst", "v:")):
                label = f"{build['solver']}, {name}"
                plane.plot(places, [row[name] for row in rows], style, color=f"C{colour}", markersize=4, label=label)
        plane.set_yscale("log")
        plane.set_xlabel(title)
        plane.set_xticks(places)
        plane.grid(visible=True, alpha=0.3)
    axes[0].set_ylabel("microseconds a cold solve")
    axes[0].legend(fontsize="small")
    figure.suptitle("Cold solve, hands built from groups")
    return figure


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["measure"]:
        Path(arguments[1]).write_text(json.dumps(measure()), encoding="utf-8")
        return
    raw = RAW / "growth.json"
    if arguments != ["report"]:
        save_raw(measured_in_builds(__name__), raw)
    builds = read_raw(raw)
    put_blocks(DOCUMENT, {f"growth-{axis}": table(builds, axis) for axis in AXES})
    save_svg(plot(builds), PLOTS / "growth.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
