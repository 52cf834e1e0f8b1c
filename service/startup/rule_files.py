"""Folders of rule-set files: all `*.toml` files of a folder, every fault of every file at once."""

from importlib.resources import files
from importlib.resources.abc import Traversable

from service.game.rule_file import RuleSetError, parse_rule_set
from service.game.rules import RuleSet
from service.startup.start_error import StartError


def load_rule_sets(folder: Traversable | None = None) -> dict[str, RuleSet]:
    """The rule sets of a folder's `*.toml` files by name, sorted; by default those of the package.

    Raises `StartError` with every fault of every file.
    """
    folder = folder or files("service.game") / "rulesets"
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
