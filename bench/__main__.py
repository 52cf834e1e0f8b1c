"""`python -m bench NAME [ARGUMENT...]`: measure something, or make the hands anew that are measured."""

import sys
from importlib import import_module
from typing import Final

NAMES: Final = {
    "solve": "bench.solves",
    "growth": "bench.growth",
    "cache": "bench.cache",
    "http": "bench.http.__main__",
    "capacity": "bench.capacity.__main__",
    "soak": "bench.soak",
    "load": "bench.load.__main__",
    "adversarial": "bench.adversarial",
    "generate": "bench.generate",
}


def main(arguments: list[str]) -> None:
    if not arguments or arguments[0] not in NAMES:
        raise SystemExit(f"python -m bench NAME, where NAME is one of {', '.join(NAMES)}")
    name, *rest = arguments
    sys.exit(import_module(NAMES[name]).main(rest))


if __name__ == "__main__":
    main(sys.argv[1:])
