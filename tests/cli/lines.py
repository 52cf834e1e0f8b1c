"""Files of requests and answers, one a line."""

import json
from pathlib import Path
from typing import Any

from tests.examples import question


def line(number: int, **changes: Any) -> bytes:
    op = ("validate", "score")[number % 2]
    return json.dumps({"id": f"n{number}", "op": op, **question(**changes)}).encode()


def write(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"".join(each + b"\n" for each in lines))
    return path


def answers(path: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in path.read_text(encoding="utf-8").splitlines()]
