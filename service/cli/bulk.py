"""Bulk: files of items, judged on all cores. A line of input gives a line of output, in the same place."""

import itertools
import json
import multiprocessing.connection
import os
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from service.game.verdict import best_arrangement
from service.limits import MAX_BODY_BYTES
from service.startup.engine import Engine, create_engine
from service.startup.settings import load_keys, load_settings
from service.startup.state import read_state
from service.wire.batch import ItemAnswer, answer_item, problem_item
from service.wire.faults import InvalidRequest
from service.wire.problems import Problem, malformed_json
from service.wire.strict_json import MalformedJson, read_json

# Long enough that handing a chunk over costs nothing beside judging it, some 20 ms.
LINES_A_CHUNK: Final = 256
# A core has the next chunk waiting when it is done, and a huge file is never in memory as a whole.
CHUNKS_AHEAD: Final = 3
_TOKEN: Final = re.compile(rb"[\w-]+\.[\w-]+\.[\w-]*")
# How every answer begins: its id and its status.
_BEGINS: Final = re.compile(rb'\{("(i(d("(:.*)?)?)?)?)?\Z', re.DOTALL)
_ANSWER: Final = re.compile(rb'\{"id":(null|"(?:[^"\\]|\\.)*"),"status":(\d+),')


class ResumeError(Exception):
    """What was written before does not belong to this input."""


class Chunk(NamedTuple):
    """What came of some lines: a text, how many bytes of input they had, how many verdicts were looked at in them, and
    how much was not as it should be.
    """

    text: str
    bytes_read: int
    checked: int
    faulty: int


def read_lines(source: BinaryIO, most: int) -> Iterator[bytes]:
    """The lines of a file. Of one with more than `most` bytes only so much is kept as shows that it has: a file that
    has lost its line ends must not fill the memory.
    """
    # With its end, which counts for nothing.
    whole = most + len(b"\r\n")
    while line := source.readline(whole):
        rest = line
        while len(rest) == whole and not rest.endswith(b"\n"):
            rest = source.readline(whole)
        yield line


def _is_too_long(line: bytes) -> bool:
    return len(line.rstrip(b"\r\n")) > MAX_BODY_BYTES


def work_through(
    lines: Iterable[bytes], work: Callable[[list[bytes], int], Chunk], first: int, cores: int
) -> Iterator[Chunk]:
    """Have `work` done on all lines, in chunks on so many cores; `first` is the number of the first line.

    `work` is called with lines and the number of the first of them. The chunks come in the order of the lines.
    """
    chunks = _chunks(lines, first)
    with ProcessPoolExecutor(cores, initializer=_begin_process) as pool:
        under_way: deque[Future[Chunk]] = deque()
        try:
            for number, chunk in chunks:
                under_way.append(pool.submit(work, chunk, number))
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
    """Judge lines of JSON, each an item as in a batch: an answer a line."""
    answers = [_answer(line, f"line-{number}") for number, line in enumerate(lines, first)]
    text = "".join(f"{answer.text}\n" for answer in answers)
    return Chunk(text, sum(map(len, lines)), len(answers), sum(answer.status != 200 for answer in answers))


def check_chunk(lines: list[bytes], first: int) -> Chunk:
    """Judge the signed verdicts in lines of answers once more: a line for each that is not the same today."""
    found = []
    checked = 0
    for number, line in enumerate(lines, first):
        for verdict in _verdicts(line):
            checked += 1
            result = _replay(verdict)
            if result["result"] != "SAME":
                found.append(json.dumps({"line": number, **result}, ensure_ascii=False) + "\n")
    return Chunk("".join(found), sum(map(len, lines)), checked, len(found))


def knows_a_key() -> bool:
    """Whether there is any key to check signed verdicts with."""
    return bool(load_keys(load_settings()).public)


def _verdicts(line: bytes) -> list[dict[str, Any]]:
    """The verdicts in a line: an attestation, or an answer by itself or as an item's, of a hand or of each in a deal.

    A problem has none; what is none of these is one that is empty.
    """
    if _TOKEN.fullmatch(line.strip()):
        return [{"attestation": line.strip().decode()}]
    try:
        answer = read_json(line)
    except MalformedJson:
        return [{}]
    if isinstance(answer, dict) and "status" in answer and "body" in answer:
        answer = answer["body"] if answer["status"] == 200 else {"players": []}
    if not isinstance(answer, dict):
        return [{}]
    if isinstance(answer.get("players"), list):
        seats = [seat for seat in answer["players"] if isinstance(seat, dict) and isinstance(seat.get("verdict"), dict)]
        # What a player is charged has to be what the verdict says.
        return [{**seat["verdict"], "charged": seat.get("points")} for seat in seats]
    return [answer]


def _replay(verdict: dict[str, Any]) -> dict[str, Any]:
    """What is to be told of a verdict: its id, the result, and where that is not SAME, then and now, or the reason."""
    about = {"verdict_id": verdict.get("verdict_id")}
    if "attestation" not in verdict:
        return {**about, "result": "UNSIGNED" if "verdict_id" in verdict else "NO_VERDICT"}
    try:
        checked = json.loads(_engine().writer.verify({"attestation": verdict["attestation"], "replay": True}))
    except InvalidRequest as error:
        return {**about, "result": error.faults[0].code, "detail": error.faults[0].detail}
    signed = _told_by(checked)
    altered = [name for name in signed if name in verdict and _in_short(name, verdict[name]) != signed[name]]
    result = checked["replay"]["result"]
    if altered:
        about["altered"] = altered
        result = "ALTERED"
    return {**about, "result": result, "then": checked["statement"], "now": checked["replay"]["statement"]}


def _told_by(checked: dict[str, Any]) -> dict[str, Any]:
    """What a signed statement says of the answer around it, by the names of the answer."""
    statement = checked["statement"]
    outcome, asked = statement["outcome"], statement["request"]
    return {
        **outcome,
        "verdict_id": checked["verdict_id"],
        "charged": outcome["points"],
        "rule_set": statement["rule_set"],
        "wild_rank": asked["wild_rank"],
    }


def _in_short(name: str, value: object) -> object:
    """A field of an answer as the statement has it."""
    if name == "reasons" and isinstance(value, list):
        return [reason.get("code") if isinstance(reason, dict) else reason for reason in value]
    if name in {"best", "submitted"} and isinstance(value, dict):
        return {each: value.get(each) for each in ("declarable", "points")}
    return value


@cache
def _engine() -> Engine:
    # Once a process.
    return create_engine(read_state(load_settings()), best_arrangement)


def _answer(line: bytes, name: str) -> ItemAnswer:
    if _is_too_long(line):
        return problem_item(None, Problem(413), name)
    try:
        item = read_json(line)
    except MalformedJson as error:
        return problem_item(None, malformed_json(error), name)
    # Items of a file stand for themselves: their ids may repeat.
    return answer_item(item, _engine().calls, name, set())


def resume(source: BinaryIO, written: Path) -> tuple[int, int]:
    """Go on where an interrupted run ended: drop its last line if it was cut off, and skip the lines that are answered.

    Returns how many those are, and how many of them are no verdicts; `source` stands behind them. Raises `ResumeError`
    if the answers are not to these lines.
    """
    done = faulty = end = 0
    answered = b""
    signed = signs = load_keys(load_settings()).signing is not None
    with written.open("rb") as output:
        for line in output:
            if not line.endswith(b"\n") and _BEGINS.match(line):
                break
            if not (line.endswith(b"\n") and _ANSWER.match(line)):
                raise ResumeError(f"line {done + 1} of {written} is no answer of an interrupted run")
            done, end, answered = done + 1, end + len(line), line
            faulty += _status(line) != 200
            if b'{"verdict_id":"' in line:
                signed = b',"attestation":"' in line
    if signed != signs:
        state = "signed, and there is no key" if signed else "not signed, and there is a key"
        raise ResumeError(f"the verdicts in {written} are {state}")
    asked = b""
    lines = read_lines(source, MAX_BODY_BYTES)
    for number in range(done):
        asked = next(lines, b"")
        if not asked:
            raise ResumeError(f"{written} has {done} answers, and the input only {number} lines")
    if done and _id_answered(answered) != _id_asked(asked):
        raise ResumeError(f"line {done} of {written} is not the answer to line {done} of the input")
    # Only now is it sure that it is the right file.
    os.truncate(written, end)
    return done, faulty


def _id_answered(line: bytes) -> object:
    found = _ANSWER.match(line)
    return json.loads(found[1]) if found else ...


def _status(line: bytes) -> int:
    found = _ANSWER.match(line)
    return int(found[2]) if found else 0


def _id_asked(line: bytes) -> str | None:
    if _is_too_long(line):
        return None
    try:
        item = read_json(line)
    except MalformedJson:
        return None
    given = item.get("id") if isinstance(item, dict) else None
    return given if isinstance(given, str) else None
