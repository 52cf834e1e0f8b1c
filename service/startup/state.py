"""State: all that is read at the start, once for a server and all its workers."""

from dataclasses import dataclass
from typing import Final

from service.game.rules import RuleSet
from service.signing.keys import KeyRing
from service.startup.build import load_contract
from service.startup.rule_files import load_rule_sets
from service.startup.settings import Settings, load_keys, load_settings
from service.startup.start_error import StartError


@dataclass(frozen=True)
class State:
    """All that is read at the start; `contract` is the text of `openapi.yaml`."""

    settings: Settings
    rule_sets: dict[str, RuleSet]
    contract: bytes
    keys: KeyRing


def read_state(settings: Settings) -> State:
    """The state under these settings, from the files that they name; raises `StartError`."""
    return State(settings, load_rule_sets(), load_contract(), load_keys(settings))


# What was read last: a worker has it from the process that it is forked from.
_states: Final[list[State]] = []


def load_state() -> State:
    """The state as the environment sets it, read once; raises `StartError`."""
    if not _states:
        reload_state()
    return _states[0]


def reload_state() -> StartError | None:
    """Read it all again. If it is faulty by now, what was read before stays, and the fault is the result."""
    try:
        state = read_state(load_settings())
    except StartError as error:
        if _states:
            return error
        raise
    _states[:] = [state]
    return None
