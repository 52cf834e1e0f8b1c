"""Integers: the type of a bit mask. Interpreted it is any integer; compiled by mypyc, a machine word.

This module stays interpreted, so that the compiled core needs no package at run time either.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64 as i64  # noqa: PLC0414 (passed on)
else:
    i64 = int
