"""Resuming: finds where an interrupted run ended, and refuses answers that belong to another input."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from service.cli.bulk import read_lines
from service.cli.judging import is_too_long
from service.limits import MAX_ANSWER_LINE_BYTES, MAX_BODY_BYTES
from service.startup.settings import load_keys, load_settings
from service.wire.strict_json import MalformedJson, read_json

# How an answer begins; then its id and its status.
_BEGINNING: Final = b'{"id":'
_ANSWER: Final = re.compile(rb'\{"id":(null|"(?:[^"\\]|\\.)*"),"status":(\d+),')


class ResumeError(Exception):
    """The answers written so far cannot be continued; the message says why."""


@dataclass
class _Answers:
    """The whole answers in an output file; `problems` counts those without a verdict, and `size` is in bytes.

    `last_id` is the id of the last answer, as JSON. `signed` says whether the last verdict has an attestation; it is
    None where there is no verdict.
    """

    count: int = 0
    problems: int = 0
    size: int = 0
    last_id: bytes = b"null"
    signed: bool | None = None


def resume(source: BinaryIO, output: Path) -> tuple[int, int]:
    """Continue where an interrupted run ended: drop its last line if it was cut off, and skip the input it answered.

    Returns how many lines are answered, and how many of them with a problem; `source` stands behind them. Raises
    `ResumeError`, and changes no file, if the answers do not belong to this input.
    """
    answers = _read_answers(output)
    _check_signing(answers, output)
    _skip_answered(answers, source, output)
    os.truncate(output, answers.size)
    return answers.count, answers.problems


def _read_answers(output: Path) -> _Answers:
    answers = _Answers()
    with output.open("rb") as lines:
        for line in read_lines(lines, MAX_ANSWER_LINE_BYTES):
            if _is_cut_off(line):
                break
            answer = _ANSWER.match(line)
            if not (answer and line.endswith(b"}\n")):
                raise ResumeError(f"line {answers.count + 1} of {output} is no answer of an interrupted run")
            answers.count += 1
            answers.problems += answer[2] != b"200"
            answers.size += len(line)
            answers.last_id = answer[1]
            if b'{"verdict_id":"' in line:
                answers.signed = b',"attestation":"' in line
    return answers


def _is_cut_off(line: bytes) -> bool:
    return not line.endswith(b"\n") and (line.startswith(_BEGINNING) or _BEGINNING.startswith(line))


def _check_signing(answers: _Answers, output: Path) -> None:
    """Signed and unsigned verdicts must not be mixed in one file."""
    signing = load_keys(load_settings()).signing is not None
    if answers.signed is not None and answers.signed != signing:
        state = "signed, and there is no key" if answers.signed else "not signed, and there is a key"
        raise ResumeError(f"the verdicts in {output} are {state}")


def _skip_answered(answers: _Answers, source: BinaryIO, output: Path) -> None:
    """Read the lines that are answered. There must be as many, and the last one must have the id of its answer."""
    line = b""
    lines = read_lines(source, MAX_BODY_BYTES)
    for number in range(answers.count):
        line = next(lines, b"")
        if not line:
            raise ResumeError(f"{output} has {answers.count} answers, and the input only {number} lines")
    if answers.count and _json_or_none(answers.last_id) != _item_id(line):
        raise ResumeError(f"line {answers.count} of {output} is not the answer to line {answers.count} of the input")


def _json_or_none(text: bytes) -> object:
    try:
        return read_json(text)
    except MalformedJson:
        return None


def _item_id(line: bytes) -> str | None:
    """The id that the answer to a line of input has."""
    if is_too_long(line):
        return None
    item = _json_or_none(line)
    found = item.get("id") if isinstance(item, dict) else None
    return found if isinstance(found, str) else None
