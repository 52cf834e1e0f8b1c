"""The two builds that are measured: this tree, interpreted, and its compiled copy under `build/`."""

import json
import os
import platform
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final

from service.startup.build import is_compiled

ROOT: Final = Path(__file__).parents[1]
# Raw figures, from which tables and plots are written: not in git.
RAW: Final = ROOT / "build" / "bench"
DOCS: Final = ROOT / "docs"
PLOTS: Final = DOCS / "bench"
TREES: Final = {"interpreted": ROOT, "compiled": ROOT / "build" / "compiled"}


def newest_build() -> str:
    """The name of the build to measure: compiled, if `make compiled` has made it."""
    return "compiled" if (TREES["compiled"] / ".built").exists() else "interpreted"


def machine() -> dict[str, str]:
    """What figures hold for: the interpreter, and whether the solver was compiled."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "solver": "compiled" if is_compiled() else "interpreted",
        "machine": f"{platform.system()} {platform.machine()}",
    }


def measured_in_builds(module: str, *arguments: str) -> list[dict[str, Any]]:
    """What `python -m MODULE measure FILE` writes in each build, the interpreted one first."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "figures.json")
        found = []
        for tree in TREES.values():
            command = [sys.executable, "-m", module, "measure", str(file), *arguments]
            subprocess.run(command, cwd=tree, check=True)
            found.append(json.loads(file.read_text(encoding="utf-8")))
        return found


@cache
def cores() -> tuple[int, int]:
    """The core of the server and that of the load, settled at the first call; `SystemExit` where there is only one."""
    mine = sorted(os.sched_getaffinity(0))
    if len(mine) < 2:
        raise SystemExit("two cores are needed: one for the server, one for the load")
    return mine[0], mine[1]
