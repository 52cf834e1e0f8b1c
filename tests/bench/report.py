"""What the studies share: Markdown tables and plots that come out the same on every run of the same figures."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure

SALT: Final = "showcheck"


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The rows as a Markdown table: the first column to the left, the others to the right."""
    rule = [":--", *["--:"] * (len(headings) - 1)]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [headings, rule, *rows])


def save_svg(figure: Figure, path: Path) -> None:
    """Write a figure without the date, and with names of its parts that hang on nothing but the figure."""
    with mpl.rc_context({"svg.hashsalt": SALT, "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def wrapped(*paragraphs: str) -> str:
    """The paragraphs of a Markdown text, one empty line between them."""
    return "\n\n".join(paragraphs) + "\n"
