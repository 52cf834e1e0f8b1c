"""Engine: all that answers a request, put together here for the application and for the command line."""

from collections.abc import Mapping
from typing import NamedTuple

from service.game.verdict import Solve
from service.signing.verdict_writer import VerdictWriter
from service.startup.build import load_version
from service.startup.state import State
from service.wire.operations import Operate, create_operations


class Engine(NamedTuple):
    """The operations by name, and the writer of their verdicts, which verifies signed ones as well."""

    operations: Mapping[str, Operate]
    writer: VerdictWriter


def create_engine(state: State, solve: Solve) -> Engine:
    """The engine over the rule sets and keys of `state`; `solve` finds the best arrangement of a hand."""
    writer = VerdictWriter(state.rule_sets, solve, load_version(), state.keys)
    return Engine(create_operations(state.rule_sets, solve, writer.write), writer)
