"""Waiting for what comes sooner or later: a condition, and a deadline that only a fault misses."""

import time
from collections.abc import Callable
from typing import Final

DEADLINE_SECONDS: Final = 90


def wait_until(condition: Callable[[], object], what: Callable[[], str] | str) -> None:
    """Return as soon as `condition` holds; fail, with what was waited for, if it never does."""
    until = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < until, what if isinstance(what, str) else what()
        time.sleep(0.02)
