"""Messages: each key of a fault or a problem has its sentence, and each sentence gets the details that it names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from service.wire.messages.faults import FAULTS, fault_message
from service.wire.messages.problems import PROBLEMS
from tests.contract import CONTRACT

SERVICE = Path(__file__).parents[2] / "service"
SENTENCES = {**FAULTS, **PROBLEMS}
# What a key and its details are handed to.
TAKES_KEYS = {"Fault", "add", "keys", "ValidationError", "BadAttestation", "MalformedJson", "Problem"}
KEY = re.compile(r"[A-Z]+(_[A-Z0-9]+)*(\.[A-Z]+(_[A-Z0-9]+)*)?")


def trees() -> Iterator[ast.AST]:
    for path in SERVICE.rglob("*.py"):
        if path.parent.name != "messages":
            yield ast.parse(path.read_text(encoding="utf-8"))


def keys_in(tree: ast.AST) -> set[str]:
    """All texts that may be keys."""
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in texts if KEY.fullmatch(text)}


def calls() -> Iterator[tuple[str, set[str]]]:
    """Each key that is handed over, with the names of its details."""
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in TAKES_KEYS:
                dicts = [part for part in ast.walk(node) if isinstance(part, ast.Dict)]
                names = {str(name.value) for each in dicts for name in each.keys if isinstance(name, ast.Constant)}
                for key in keys_in(node):
                    yield key, names


def test_every_key_has_a_sentence_and_every_sentence_a_use() -> None:
    assert not FAULTS.keys() & PROBLEMS.keys()
    used = {key for tree in trees() for key in keys_in(tree)}
    assert SENTENCES.keys() <= used
    assert {key for key in used if "." in key} <= SENTENCES.keys()
    assert {key for key, _ in calls()} <= SENTENCES.keys()


def test_every_placeholder_is_filled() -> None:
    wanted = {key: {name for _, name, _, _ in Formatter().parse(text) if name} for key, text in SENTENCES.items()}
    handed_over = list(calls())
    assert {key for key, names in wanted.items() if names} <= {key for key, _ in handed_over}
    for key, names in handed_over:
        assert names == wanted[key], key


def test_a_key_without_a_sentence_is_an_error() -> None:
    with pytest.raises(KeyError):
        fault_message("WRONG_TYPE", {})


@pytest.mark.parametrize("path", sorted((SERVICE / "wire").glob("*.py")), ids=lambda path: path.name)
def test_no_sentence_is_made_elsewhere(path: Path) -> None:
    """Neither whole, docstrings aside, nor of parts: no f-string has two words in a row."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    documented = [node for node in nodes if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    docstrings = {ast.get_docstring(node, clean=False) for node in documented}
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert [text for text in texts - docstrings if re.fullmatch(r"[A-Z].* .*\.", text)] == []
    made = [re.sub(r"\{.*?\}", "{}", ast.unparse(node)) for node in nodes if isinstance(node, ast.JoinedStr)]
    assert [text for text in made if re.search(r"[a-z]{2},? [a-z{]", text)] == []


@pytest.mark.parametrize(("sentences", "schema"), [(FAULTS, "Fault"), (PROBLEMS, "Problem")])
def test_the_codes_are_those_of_the_contract(sentences: dict[str, str], schema: str) -> None:
    codes = CONTRACT["components"]["schemas"][schema]["properties"]["code"]["enum"]
    assert {key.partition(".")[0] for key in sentences} == set(codes)
