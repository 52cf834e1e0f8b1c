"""Settings from the environment and rule sets from their files: read once at the start, every fault named at once."""

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from environs import Env, EnvValidationError
from marshmallow.validate import OneOf, Range

from service import search
from service.keys import KeyRing, PublicKey, SigningKey, UnusableKey, read_public_keys, read_signing_key
from service.rules import RuleSet, RuleSetError, parse_rule_set

LOG_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")
# The contract lies beside the package, where it is edited and reviewed, and so does the project's own file.
_ROOT: Final = Path(__file__).resolve().parent.parent
OPENAPI_FILE: Final = _ROOT / "openapi.yaml"
PROJECT_FILE: Final = _ROOT / "pyproject.toml"


class StartError(Exception):
    """The service cannot start; `faults` has one line for each thing that is wrong."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(["showcheck cannot start:", *(f"  {fault}" for fault in faults)]))
        self.faults = faults


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


@dataclass(frozen=True)
class State:
    """All that is read at the start."""

    settings: Settings
    rule_sets: dict[str, RuleSet]
    contract: bytes
    keys: KeyRing


_PREFIX: Final = "SHOWCHECK_"
_LOG_LEVEL: Final = "SHOWCHECK_LOG_LEVEL"
_REQUIRE_COMPILED: Final = "SHOWCHECK_REQUIRE_COMPILED"
_SIGNING_KEY_FILE: Final = "SHOWCHECK_SIGNING_KEY_FILE"
_VERIFY_KEYS_FILE: Final = "SHOWCHECK_VERIFY_KEYS_FILE"
# A set of a hundred public keys has some 15 KB.
_MOST_KEY_BYTES: Final = 1024 * 1024
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


# What was read last: whoever is forked from the process that read it has it as well.
_states: Final[list[State]] = []


def load_state() -> State:
    """All that is read at the start, once; raises `StartError` with the faults."""
    if not _states:
        reload_state()
    return _states[0]


def reload_state() -> StartError | None:
    """Read it all again. Where that is faulty by now, what was read before stays, and the fault is the result."""
    try:
        settings = load_settings()
        state = State(settings, load_rule_sets(), load_contract(), load_keys(settings))
    except StartError as error:
        if _states:
            return error
        raise
    _states[:] = [state]
    return None


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
        faults += [f"{name}: must be {_NEEDED[name]}, not {_quoted(os.environ[name])}" for name in error.error_messages]
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
    signing: SigningKey | None = None
    others: list[PublicKey] = []
    faults = []
    if signing_key_file is not None:
        try:
            signing = read_signing_key(_read_key_file(signing_key_file, secret=True))
        except UnusableKey as fault:
            faults.append(f"{_SIGNING_KEY_FILE}: {_quoted(signing_key_file)}: {fault}")
    if verify_keys_file is not None:
        try:
            others = read_public_keys(_read_key_file(verify_keys_file, secret=False))
            return KeyRing(signing, others), faults
        except UnusableKey as fault:
            faults.append(f"{_VERIFY_KEYS_FILE}: {_quoted(verify_keys_file)}: {fault}")
    return KeyRing(signing), faults


def _quoted(value: str) -> str:
    """A value as a message shows it; what may be a key, put there in place of its file's name, is not shown."""
    return "(what looks like a key, not the name of a file)" if "{" in value else repr(value)


def _read_key_file(path: str, *, secret: bool) -> str:
    """The text of a file. A `secret` one must be shut to all but its owner and its group: by its group Kubernetes lets
    a pod that is not root read a Secret. Where the path is a link, what it leads to counts.
    """
    try:
        # Without waiting, should it be a pipe.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            _check_mode(os.fstat(file.fileno()).st_mode, secret=secret)
            return file.read(_MOST_KEY_BYTES).decode()
    except UnicodeDecodeError:
        raise UnusableKey("it is not UTF-8") from None
    except OSError as error:
        raise UnusableKey(f"{error.strerror}") from None


def _check_mode(mode: int, *, secret: bool) -> None:
    if not stat.S_ISREG(mode):
        raise UnusableKey("it is no regular file")
    if secret and mode & stat.S_IRWXO:
        raise UnusableKey(f"it is open to everybody (mode {stat.S_IMODE(mode):04o}): make it 0400 or 0440")


def is_compiled() -> bool:
    """Whether the core runs as compiled code."""
    return not str(search.__file__).endswith(".py")


def _unknown_names(environ: Mapping[str, str]) -> list[str]:
    # Compared without what all of them begin with.
    known = {name.removeprefix(_PREFIX): name for name in _NEEDED}
    faults = []
    for name in sorted(environ):
        if name.startswith(_PREFIX) and name not in _NEEDED:
            near = get_close_matches(name.removeprefix(_PREFIX), known, n=1)
            faults.append(f"{name}: unknown setting" + (f", did you mean {known[near[0]]}?" if near else ""))
    return faults


def load_rule_sets(folder: Traversable | None = None) -> dict[str, RuleSet]:
    """The rule sets of a folder's `*.toml` files by name, sorted; by default those of the package.

    Raises `StartError` with every fault of every file.
    """
    folder = folder or files("service") / "rulesets"
    faults: list[str] = []
    file_of: dict[str, str] = {}
    rule_sets: dict[str, RuleSet] = {}
    try:
        listed = sorted(folder.iterdir(), key=lambda file: file.name)
    except OSError as error:
        raise StartError([f"rulesets: {error.strerror}"]) from None
    for file in listed:
        if not file.name.endswith(".toml"):
            continue
        try:
            rules = _read_rule_set(file)
        except RuleSetError as error:
            faults += [f"{file.name}: {fault}" for fault in error.faults]
            continue
        if rules.name in file_of:
            faults.append(f"{file.name}: name: {rules.name} is the name of {file_of[rules.name]} already")
        elif file.name != f"{rules.name}.toml":
            faults.append(f"{file.name}: name: {rules.name} belongs in a file called {rules.name}.toml")
        file_of[rules.name] = file.name
        rule_sets[rules.name] = rules
    if not rule_sets and not faults:
        faults.append("no rule-set file found")
    if faults:
        raise StartError(faults)
    return dict(sorted(rule_sets.items()))


def _read_rule_set(file: Traversable) -> RuleSet:
    try:
        return parse_rule_set(file.read_bytes().decode())
    except UnicodeDecodeError as error:
        raise RuleSetError([f"not UTF-8: {error.reason} at byte {error.start}"]) from None
    except OSError as error:
        raise RuleSetError([str(error.strerror)]) from None


def load_contract() -> bytes:
    """`openapi.yaml` as it is; raises `StartError` where it is missing."""
    try:
        return OPENAPI_FILE.read_bytes()
    except OSError as error:
        raise StartError([f"openapi.yaml: {error.strerror} ({OPENAPI_FILE})"]) from None


def load_version() -> str:
    """The version of the installed package, or of the checkout that the service runs from."""
    try:
        return version("showcheck")
    except PackageNotFoundError:
        found: str = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))["project"]["version"]
        return found
