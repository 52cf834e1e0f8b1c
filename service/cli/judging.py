"""Judging: answers the items in a chunk of lines, one answer a line."""

from functools import cache

from service.cli.bulk import ChunkResult
from service.game.verdict import best_arrangement
from service.limits import MAX_BODY_BYTES
from service.startup.engine import Engine, create_engine
from service.startup.settings import load_settings
from service.startup.state import read_state
from service.wire.batch import ItemAnswer, answer_item, problem_item
from service.wire.problems import malformed_json, status_problem
from service.wire.strict_json import MalformedJson, read_json


@cache
def process_engine() -> Engine:
    """The engine of this process, made once, as the environment sets it."""
    return create_engine(read_state(load_settings()), best_arrangement)


def judge_chunk(lines: list[bytes], first: int) -> ChunkResult:
    """Answer lines of JSON, each an item as in a batch; faulty are those answered with a problem."""
    answers = [_answer(line, f"line-{number}") for number, line in enumerate(lines, first)]
    text = "".join(f"{answer.text}\n" for answer in answers)
    return ChunkResult(text, sum(map(len, lines)), len(answers), sum(answer.status != 200 for answer in answers))


def _answer(line: bytes, request_id: str) -> ItemAnswer:
    if is_too_long(line):
        return problem_item(None, status_problem(413), request_id)
    try:
        item = read_json(line)
    except MalformedJson as error:
        return problem_item(None, malformed_json(error), request_id)
    # The items of a file do not form one batch, so ids may repeat.
    return answer_item(item, process_engine().operations, request_id, set())


def is_too_long(line: bytes) -> bool:
    """Whether a line is longer than a request may be."""
    return len(line.rstrip(b"\r\n")) > MAX_BODY_BYTES
