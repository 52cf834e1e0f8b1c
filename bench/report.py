"""Tables put into the marked blocks of documents, and plots that are the same for equal figures."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

SALT: Final = "showcheck"


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The rows as a Markdown table: the first column to the left, the others to the right."""
    rule = [":--", *["--:"] * (len(headings) - 1)]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [headings, rule, *rows])


def put_blocks(document: Path, blocks: Mapping[str, str]) -> None:
    """Put each text between `<!-- NAME -->` and `<!-- /NAME -->`; raises `ValueError` where these are missing."""
    text = document.read_text(encoding="utf-8")
    for name, block in blocks.items():
        marked = re.compile(rf"(?s)(?<=<!-- {name} -->\n\n).*?(?=\n\n<!-- /{name} -->)")
        if not marked.search(text):
            raise ValueError(f"{document.name} has no block {name}")
        text = marked.sub(lambda _: block, text)  # noqa: B023 (used at once)
    document.write_text(text, encoding="utf-8")


def save_svg(figure: Figure, path: Path) -> None:
    """Write a figure without the date, and with names of its parts that hang on nothing but the figure."""
    with mpl.rc_context({"svg.hashsalt": SALT, "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def save_raw(figures: object, file: Path) -> None:
    """Keep figures, so that tables and plots can be written again without measuring."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def read_raw(file: Path) -> Any:
    """The figures that were kept; `SystemExit` where there are none."""
    if not file.exists():
        raise SystemExit(f"nothing is measured yet: no {file}")
    return json.loads(file.read_text(encoding="utf-8"))
