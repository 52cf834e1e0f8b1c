"""`python -m tests.bench.compare A B`: how many times faster the figures of B are than those of A, from one run."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.__main__ import EVERY_RULE_SET


def ratios(slow: dict[str, Any], fast: dict[str, Any]) -> Iterator[str]:
    """A line for each call and corpus that both have: the mean, median and worst of one over those of the other."""
    yield f"{fast['solver']} against {slow['solver']}: times faster by the mean, the median and the worst hand"
    others = {(row["corpus"], row["rule_set"], row["call"]): row["best"] for row in fast["rows"]}
    for row in slow["rows"]:
        other = others.get((row["corpus"], row["rule_set"], row["call"]))
        if other is not None and row["rule_set"] == EVERY_RULE_SET:
            figures = "  ".join(f"{row['best'][name] / other[name]:6.1f}" for name in ("mean", "median", "worst"))
            yield f"{row['corpus']:<12} {row['call']:<17} {figures}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.compare", description=__doc__)
    parser.add_argument("slow", type=Path, metavar="A")
    parser.add_argument("fast", type=Path, metavar="B")
    options = parser.parse_args(arguments)
    slow, fast = (json.loads(path.read_text(encoding="utf-8")) for path in (options.slow, options.fast))
    sys.stdout.write("\n".join(ratios(slow, fast)) + "\n")


if __name__ == "__main__":
    main()
