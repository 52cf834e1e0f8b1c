"""Build: mypyc compiles the core, where a compiler is at hand; elsewhere the very same files run interpreted.

With SHOWCHECK_REQUIRE_COMPILED=1 a core that cannot be compiled is an error. A wheel also carries the contract and the
server's configuration. Everything else is in pyproject.toml.
"""

import os
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

# The core, and what a request goes through on its way to it and back. Not `integers`, a plain module that gives the
# others their machine word; nor `fields` and `schemas`, whose classes marshmallow makes.
COMPILED = sorted(
    str(module)
    for folder in ("service/game", "service/wire")
    for module in Path(folder).rglob("*.py")
    if module.name not in {"__init__.py", "integers.py", "fields.py", "schemas.py"}
)
REQUIRED = os.environ.get("SHOWCHECK_REQUIRE_COMPILED", "0").lower() in {"1", "true", "yes", "on"}
# Not for an sdist, nor for an editable install, where compiled modules would hide changes of their sources.
COMPILING = {"build_ext", "bdist_wheel"}
# Files at the top level of a checkout that a wheel carries inside the package: see service/startup/build.py.
CARRIED = ("gunicorn.conf.py", "openapi.yaml")


class BuildWithCarried(build_py):
    """Building the package, with the carried files in it."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for name in CARRIED:
                self.copy_file(name, str(Path(self.build_lib, "service", name)))


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
    if COMPILING.isdisjoint(sys.argv):
        return []
    try:
        from mypyc.build import mypycify  # noqa: PLC0415 (it may be missing)

        made: list[object] = mypycify(COMPILED, opt_level="3", debug_level="0")
    except (ImportError, SystemExit) as error:  # mypyc exits where it finds fault
        if REQUIRED:
            raise
        sys.stderr.write(f"The core stays interpreted: {error}\n")
        return []
    return made


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildIfPossible, "build_py": BuildWithCarried})
