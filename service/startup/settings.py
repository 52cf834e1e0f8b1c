"""Settings: what the environment sets, every fault named at once."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from environs import Env, EnvValidationError
from marshmallow.validate import OneOf, Range

from service.signing.keys import KeyRing
from service.startup.build import is_compiled
from service.startup.key_files import quoted, read_keys
from service.startup.start_error import StartError

LOG_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")


@dataclass(frozen=True)
class Settings:
    """What the environment sets. `cache_size` counts solved hands a worker; 0 switches the cache off.

    With `require_compiled`, a core that is not compiled stops the start. The files have the key that verdicts are
    signed with, and further public keys that they are checked with.
    """

    port: int = 8080
    admin_port: int = 9090
    cache_size: int = 65_536
    log_level: str = "INFO"
    threads: int = 1
    workers: int = 1
    require_compiled: bool = False
    signing_key_file: str | None = None
    verify_keys_file: str | None = None


_PREFIX: Final = "SHOWCHECK_"
_LOG_LEVEL: Final = "SHOWCHECK_LOG_LEVEL"
_REQUIRE_COMPILED: Final = "SHOWCHECK_REQUIRE_COMPILED"
_SIGNING_KEY_FILE: Final = "SHOWCHECK_SIGNING_KEY_FILE"
_VERIFY_KEYS_FILE: Final = "SHOWCHECK_VERIFY_KEYS_FILE"
# Environment name of each number, with its lowest and highest value.
_NUMBERS: Final = {
    "port": ("SHOWCHECK_PORT", 1, 65_535),
    "admin_port": ("SHOWCHECK_ADMIN_PORT", 1, 65_535),
    "cache_size": ("SHOWCHECK_CACHE_SIZE", 0, 10_000_000),
    "threads": ("SHOWCHECK_THREADS", 1, 256),
    "workers": ("WEB_CONCURRENCY", 1, 64),
}
_NEEDED: Final = {name: f"a whole number from {low} to {high}" for name, low, high in _NUMBERS.values()} | {
    _LOG_LEVEL: "one of " + ", ".join(LOG_LEVELS),
    _REQUIRE_COMPILED: "true or false",
    _SIGNING_KEY_FILE: "the path of a file",
    _VERIFY_KEYS_FILE: "the path of a file",
}


def load_settings() -> Settings:
    """The settings in the environment; raises `StartError` with every fault."""
    env = Env(eager=False)
    numbers = {
        field: env.int(name, getattr(Settings, field), validate=Range(low, high))
        for field, (name, low, high) in _NUMBERS.items()
    }
    log_level = env.str(_LOG_LEVEL, Settings.log_level, validate=OneOf(LOG_LEVELS))
    require_compiled = env.bool(_REQUIRE_COMPILED, Settings.require_compiled)
    key_files = env.str(_SIGNING_KEY_FILE, None), env.str(_VERIFY_KEYS_FILE, None)
    faults: list[str] = []
    try:
        env.seal()
    except EnvValidationError as error:
        faults += [f"{name}: must be {_NEEDED[name]}, not {quoted(os.environ[name])}" for name in error.error_messages]
    if numbers["port"] is not None and numbers["port"] == numbers["admin_port"]:
        faults.append(f"SHOWCHECK_ADMIN_PORT: must differ from SHOWCHECK_PORT, both are {numbers['port']}")
    if require_compiled and not is_compiled():
        faults.append(f"{_REQUIRE_COMPILED}: the core is not compiled, see setup.py")
    faults += _read_keys(*key_files)[1]
    faults += _unknown_names(os.environ)
    if faults:
        raise StartError(faults)
    return Settings(
        **numbers,
        log_level=log_level,
        require_compiled=require_compiled,
        signing_key_file=key_files[0],
        verify_keys_file=key_files[1],
    )


def load_keys(settings: Settings) -> KeyRing:
    """The keys of the two files, none where none is named; raises `StartError`."""
    keys, faults = _read_keys(settings.signing_key_file, settings.verify_keys_file)
    if faults:
        raise StartError(faults)
    return keys


def _read_keys(signing_key_file: str | None, verify_keys_file: str | None) -> tuple[KeyRing, list[str]]:
    """The keys, and what is wrong with their files."""
    keys, *found = read_keys(signing_key_file, verify_keys_file)
    names = _SIGNING_KEY_FILE, _VERIFY_KEYS_FILE
    return keys, [f"{name}: {fault}" for name, fault in zip(names, found, strict=True) if fault is not None]


def _unknown_names(environ: Mapping[str, str]) -> list[str]:
    # Compared without what all of them begin with.
    known = {name.removeprefix(_PREFIX): name for name in _NEEDED}
    faults = []
    for name in sorted(environ):
        if name.startswith(_PREFIX) and name not in _NEEDED:
            near = get_close_matches(name.removeprefix(_PREFIX), known, n=1)
            faults.append(f"{name}: unknown setting" + (f", did you mean {known[near[0]]}?" if near else ""))
    return faults
