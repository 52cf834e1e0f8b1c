"""Build: mypyc compiles the core, where a compiler is at hand; elsewhere the very same files run interpreted.

With SHOWCHECK_REQUIRE_COMPILED=1 a core that cannot be compiled is an error. Everything else is in pyproject.toml.
"""

import os
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext

# The core, and what a request goes through on its way to it and back. Not `integers`, a plain module that gives the
# others their machine word; nor `schemas`, whose classes marshmallow makes.
COMPILED = sorted(
    str(module)
    for folder in ("service/game", "service/wire")
    for module in Path(folder).glob("*.py")
    if module.name not in {"__init__.py", "integers.py", "schemas.py"}
)
REQUIRED = os.environ.get("SHOWCHECK_REQUIRE_COMPILED", "0").lower() in {"1", "true", "yes", "on"}


class BuildIfPossible(build_ext):
    """Building extensions, or going on without them."""

    def run(self) -> None:
        try:
            super().run()
        except Exception as error:  # compilers fail in many ways
            if REQUIRED:
                raise
            sys.stderr.write(f"The core stays interpreted: {error}\n")


def extensions() -> list[object]:
    try:
        from mypyc.build import mypycify  # noqa: PLC0415 (it may be missing)
    except ImportError:
        if REQUIRED:
            raise
        sys.stderr.write("The core stays interpreted: mypyc is not installed\n")
        return []
    made: list[object] = mypycify(COMPILED, opt_level="3", debug_level="0")
    return made


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildIfPossible})
