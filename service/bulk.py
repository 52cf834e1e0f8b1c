"""Bulk: files of items, judged on all cores. A line of input gives a line of output, in the same place."""

import itertools
import json
import multiprocessing.connection
import os
import re
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from service.batch import ItemAnswer, answer_item, problem_item
from service.calls import Call, create_calls
from service.config import load_rule_sets
from service.problems import malformed_json_text
from service.strict_json import MalformedJson, read_json
from service.verdict import best_arrangement

# Long enough that handing a chunk over costs nothing beside judging it, some 20 ms.
LINES_A_CHUNK: Final = 256
# A core has the next chunk waiting when it is done, and a huge file is never in memory as a whole.
CHUNKS_AHEAD: Final = 3
# How every answer begins: its id and its status.
_ANSWER: Final = re.compile(rb'\{"id":(null|"(?:[^"\\]|\\.)*"),"status":(\d+),')


class ResumeError(Exception):
    """What was written before does not belong to this input."""


class Chunk(NamedTuple):
    """Answers to some lines: their text, how many bytes of input they took, and how many are no verdicts."""

    text: str
    bytes_read: int
    faulty: int


def judge_lines(lines: Iterable[bytes], first: int, cores: int) -> Iterator[Chunk]:
    """Judge lines of JSON, each an item as in a batch, on so many cores; `first` is the number of the first line."""
    chunks = _chunks(lines, first)
    with ProcessPoolExecutor(cores, initializer=_begin_process) as pool:
        under_way: deque[Future[Chunk]] = deque()
        try:
            for number, chunk in chunks:
                under_way.append(pool.submit(judge_chunk, chunk, number))
                if len(under_way) >= CHUNKS_AHEAD * cores:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _begin_process() -> None:
    # A terminal sends interrupts to all processes; the one that writes knows what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed can't end its pool, which would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _chunks(lines: Iterable[bytes], first: int) -> Iterator[tuple[int, list[bytes]]]:
    source = iter(lines)
    while chunk := list(itertools.islice(source, LINES_A_CHUNK)):
        yield first, chunk
        first += len(chunk)


def judge_chunk(lines: list[bytes], first: int) -> Chunk:
    """Judge these lines, the first of which has the number `first`."""
    answers = [_answer(line, f"line-{number}") for number, line in enumerate(lines, first)]
    text = "".join(f"{answer.text}\n" for answer in answers)
    return Chunk(text, sum(map(len, lines)), sum(answer.status != 200 for answer in answers))


@cache
def _calls() -> dict[str, Call]:
    # Once a process.
    return dict(create_calls(load_rule_sets(), best_arrangement))


def _answer(line: bytes, name: str) -> ItemAnswer:
    try:
        item = read_json(line)
    except MalformedJson as error:
        return problem_item(None, 400, malformed_json_text(error, name))
    # Items of a file stand for themselves: their ids may repeat.
    return answer_item(item, _calls(), name, set())


def resume(source: BinaryIO, written: Path) -> tuple[int, int]:
    """Go on where an interrupted run ended: drop its last line if it was cut off, and skip the lines that are answered.

    Returns how many those are, and how many of them are no verdicts; `source` stands behind them. Raises `ResumeError`
    if the answers are not to these lines.
    """
    done = faulty = end = 0
    answered = b""
    with written.open("r+b") as output:
        for line in output:
            if line.endswith(b"\n"):
                done, end, answered = done + 1, end + len(line), line
                faulty += _status(line) != 200
        output.truncate(end)
    asked = b""
    for number in range(done):
        asked = source.readline()
        if not asked:
            raise ResumeError(f"{written} has {done} answers, and the input only {number} lines")
    if done and _id_answered(answered) != _id_asked(asked):
        raise ResumeError(f"line {done} of {written} is not the answer to line {done} of the input")
    return done, faulty


def _id_answered(line: bytes) -> object:
    found = _ANSWER.match(line)
    return json.loads(found[1]) if found else ...


def _status(line: bytes) -> int:
    found = _ANSWER.match(line)
    return int(found[2]) if found else 0


def _id_asked(line: bytes) -> str | None:
    try:
        item = read_json(line)
    except MalformedJson:
        return None
    given = item.get("id") if isinstance(item, dict) else None
    return given if isinstance(given, str) else None
