"""What mypyc needs to know. Interpreted, an `i64` is any integer and `acyclic` says nothing.

Compiled, an `i64` is a machine word, and the garbage collector leaves objects of an `acyclic` class alone: none of them
can lead back to itself. This module stays interpreted, so that the core imports the standard library only.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64 as i64  # noqa: PLC0414 (passed on)
    from mypy_extensions import mypyc_attr as mypyc_attr  # noqa: PLC0414 (the same)
else:
    i64 = int

    def mypyc_attr(**_attributes: object) -> Callable[[type], type]:
        return lambda decorated: decorated
