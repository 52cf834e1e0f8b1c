"""Main: the commands of `showcheck`. Each is a module with `HELP`, `add_arguments` and `run`."""

import sys
from argparse import Action, ArgumentParser
from collections.abc import Sequence
from typing import Final

from service.cli import judge, keygen, serve
from service.startup.build import load_version
from service.startup.start_error import StartError

# The exit code of gunicorn for a configuration that it cannot use.
NOT_STARTED: Final = 1
_COMMANDS: Final = {"serve": serve, "judge": judge, "keygen": keygen}


class _ShowVersion(Action):
    """Looks for the version only when it is asked for."""

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        sys.stdout.write(f"{parser.prog} {load_version()}\n")
        parser.exit()


def main(arguments: Sequence[str] | None = None, program: str = "showcheck") -> int:
    """Run the command that the arguments name, and return its exit code; `program` is the name that help shows."""
    parser = ArgumentParser(prog=program, description="Showcheck at the command line.")
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    parsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in _COMMANDS.items():
        own = parsers.add_parser(name, help=command.HELP, description=command.run.__doc__)
        command.add_arguments(own)
        own.set_defaults(run=command.run)
    options = parser.parse_args(arguments)
    try:
        code: int = options.run(options)
    except StartError as error:
        sys.stderr.write(f"{error}\n")
        return NOT_STARTED
    return code
