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


def put_section(document: str, heading: str, text: str) -> str:
    """The document with this section, its heading included, in place of the one under that heading, or at its end."""
    lines = document.splitlines()
    if heading not in lines:
        return "\n".join(lines).rstrip() + "\n\n" + text
    start = lines.index(heading)
    after = next((at for at in range(start + 1, len(lines)) if lines[at].startswith("## ")), len(lines))
    before, rest = "".join(f"{line}\n" for line in lines[:start]), lines[after:]
    return before + text + ("\n" + "\n".join(rest) + "\n" if rest else "")
