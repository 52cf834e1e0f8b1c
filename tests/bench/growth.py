"""`python -m tests.bench.growth`: how the cost of a cold solve grows with jokers, with equal cards and with the hand.

`measure FILE` times the build that it runs in; `report FILE...` writes `growth.md`, `.json` and `.svg` of them.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any, Final

from matplotlib.figure import Figure

from service.game.rule_file import parse_rule_set
from service.game.rules import HAND_SIZE, RuleSet
from service.game.solver import solve
from tests import oracle
from tests.bench.__main__ import machine
from tests.bench.corpora import RULE_SETS, Deal, rule_sets
from tests.bench.hands import built_deal, counted_deal, joker_rich_deal, random_deal
from tests.bench.measure import RUNS, figures, time_deals
from tests.bench.report import markdown_table, save_svg, wrapped

DOCS: Final = Path(__file__).parents[2] / "docs" / "bench"
HANDS: Final = 500
SEED: Final = 1
JOKERS: Final = range(HAND_SIZE)
PAIRS: Final = range(7)
SIZES: Final = (HAND_SIZE, 17, 21)
# With one joker there is room for six pairs, and the cards still compete for it.
JOKERS_BESIDE_PAIRS: Final = 1
# The oracle looks at every split of a group: at some hands only.
CHECKED: Final = 40
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
    text = (RULE_SETS / "online-13.toml").read_text(encoding="utf-8")
    rules = parse_rule_set(text.replace("packs = 2, printed_jokers = 2", "packs = 3, printed_jokers = 6"))
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


def check(deal: Deal) -> None:
    """Raises `ValueError` where the answer is not the hand in groups, or the oracle sees another worth in it.

    That it is the optimum is proven in the tests, for 13 and some hands of 17 cards.
    """
    solution = solve(deal.hand, deal.wild, deal.rules)
    cards = [card for group in solution.groups for card in group]
    worth = oracle.submitted(deal.hand, solution.groups, deal.wild, deal.rules)
    grouped = all(oracle.classify(group, deal.wild, deal.rules).valid for group in solution.groups)
    same = Counter([*cards, *solution.ungrouped]) == Counter(deal.hand)
    if not (same and grouped and worth == oracle.Worth(solution.declarable, solution.points, len(cards))):
        raise ValueError(f"{deal.line}: answered with {solution}")


def row(point: Point) -> dict[str, Any]:
    """The figures of a point: times in microseconds, search nodes, and how many answers were checked."""
    checked = point.deals[:CHECKED] if point.axis == "cards" else []
    for deal in checked:
        check(deal)
    times = figures([timing.best for timing in time_deals(solve, point.deals)])
    nodes = [solve(deal.hand, deal.wild, deal.rules).nodes for deal in point.deals]
    return {
        "axis": point.axis,
        "at": point.at,
        "kind": point.kind,
        "checked": len(checked),
        **asdict(times),
        "nodes_mean": fmean(nodes),
        "nodes_median": median(nodes),
        "nodes_percentile_99": sorted(nodes)[-(-99 * len(nodes) // 100) - 1],
        "nodes_worst": max(nodes),
    }


def measure(hands: int = HANDS) -> dict[str, Any]:
    """The figures of every point in the build that this runs in."""
    return {**machine(), "runs": RUNS, "seed": SEED, "rows": [row(point) for point in points(hands)]}


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


def conclusions(build: dict[str, Any]) -> Iterator[str]:
    """Where an axis costs most, and how much more than where it costs least, by the mean of built hands."""
    for axis, title in AXES.items():
        rows = [row for row in build["rows"] if row["axis"] == axis and row["kind"] == "built"]
        least, most = (end(rows, key=lambda row: row["mean"]) for end in (min, max))
        worst = max(rows, key=lambda row: row["worst"])
        yield (
            f"{title}, {build['solver']}: most at {most['at']}, {most['mean']:,.1f}; least at {least['at']}, "
            f"{least['mean']:,.1f} (a factor of {most['mean'] / least['mean']:.1f}). "
            f"Worst hand: {worst['worst']:,.1f}, at {worst['at']}."
        )


def text(builds: list[dict[str, Any]]) -> str:
    """`growth.md`."""
    first = builds[0]
    checked = sum(row["checked"] for row in first["rows"])
    about = [
        "# How the cost of a cold solve grows",
        f"""\
Made by `make bench-growth`; [growth.json](growth.json) has the raw figures. Microseconds of `solver.solve`, each hand's
best of {first["runs"]} passes, on {first["python"]}, {first["machine"]}; nodes are states that the search visits, the
same in every build.""",
        "![Time by jokers, pairs and cards](growth.svg)",
        """\
Up to 13 cards: `family-13` (two packs, four printed jokers). The hands have exactly so many jokers, or one joker and so
many pairs; the other cards are all different, either random or (built) those of groups.""",
        f"""\
More cards: `online-13` with three packs and six printed jokers, as a library call. Of these answers {checked} were
checked in the same run: the cards are those of the hand, every group is valid and the points are right by the oracle's
definitions. That answers are the optimum is proven by the oracle's own search: for 13 cards throughout the tests, and
for some hands of 17 in `tests/bench/test_growth.py`; for 21 cards no test proves it.""",
        "## What the figures say",
        "\n".join(f"- {line}" for build in builds for line in conclusions(build)),
    ]
    for axis, title in AXES.items():
        about += [f"## {title}", table(builds, axis)]
    return wrapped(*about)


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


def report(builds: list[dict[str, Any]], folder: Path) -> None:
    """Write the text, the raw figures and the plot."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "growth.md").write_text(text(builds), encoding="utf-8")
    (folder / "growth.json").write_text(json.dumps(builds, indent=1) + "\n", encoding="utf-8")
    save_svg(plot(builds), folder / "growth.svg")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__)
    parser.add_argument("what", choices=["measure", "report"])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--hands", type=int, default=HANDS, help="hands at each point")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the report goes")
    options = parser.parse_args(arguments)
    if options.what == "measure":
        options.files[0].write_text(json.dumps(measure(options.hands)) + "\n", encoding="utf-8")
    else:
        report([json.loads(path.read_text(encoding="utf-8")) for path in options.files], options.docs)


if __name__ == "__main__":
    main()
