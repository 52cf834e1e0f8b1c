"""Records: each is counted once and written once, in turn, and what goes wrong with one log loses nothing else."""

import io
import json
import threading
from collections.abc import Callable, Sequence

import pytest

from service.telemetry import request_log
from service.telemetry.json_lines import line_writer
from service.telemetry.request_log import Record, Recorder


def ended(number: int, status: int = 200) -> Record:
    record = Record(f"r{number}", "POST", "/score", admin=False)
    record.end(status)
    return record


def ids(told: Sequence[Record]) -> list[str]:
    return [record.request_id for record in told]


class Told:
    """What a recorder has counted and written."""

    def __init__(self) -> None:
        self.counted: list[Record] = []
        self.written: list[Record] = []
        self.lost: list[int] = []
        self.fault: Callable[[], None] = lambda: None

    def write(self, some: Sequence[Record], lost: int) -> None:
        self.fault()
        self.written += some
        self.lost.append(lost)

    def recorder(self) -> Recorder:
        return Recorder(self.counted.extend, self.write)


def test_a_record_is_told_soon_without_being_asked_for() -> None:
    written = threading.Event()
    recorder = Recorder(lambda _: None, lambda *_: written.set())
    for _ in range(2):
        recorder.put(ended(1))
        assert written.wait(10)
        written.clear()


def test_every_record_is_counted_once_and_written_once_from_many_threads() -> None:
    told = Told()
    recorder = told.recorder()

    def answer(first: int) -> None:
        for number in range(first, first + 500):
            recorder.put(ended(number))
            if number % 50 == 0:
                recorder.count()

    threads = [threading.Thread(target=answer, args=(500 * each,)) for each in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.flush()
    assert sorted(ids(told.counted)) == sorted(ids(told.written)) == sorted(f"r{number}" for number in range(4000))
    assert not any(told.lost)


def test_records_are_told_in_the_order_in_which_they_ended() -> None:
    told = Told()
    recorder = told.recorder()
    for number in range(100):
        recorder.put(ended(number))
    recorder.flush()
    assert ids(told.counted) == ids(told.written) == [f"r{number}" for number in range(100)]


def test_a_full_disk_loses_lines_says_how_many_and_counts_all_the_same() -> None:
    told = Told()
    recorder = told.recorder()

    def full() -> None:
        raise OSError(28, "No space left on device")

    told.fault = full
    for number in range(3):
        recorder.put(ended(number))
    recorder.flush()
    told.fault = lambda: None
    recorder.put(ended(3))
    recorder.flush()
    assert (ids(told.counted), ids(told.written)) == (["r0", "r1", "r2", "r3"], ["r3"])
    assert sum(told.lost) == 3


def test_a_log_that_nobody_reads_holds_up_no_answer_and_takes_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_log, "MAX_UNCOUNTED", 10)
    monkeypatch.setattr(request_log, "MAX_UNWRITTEN", 20)
    read, stuck = threading.Event(), threading.Event()
    told = Told()
    recorder = told.recorder()

    def wait() -> None:
        stuck.set()
        assert read.wait(10)

    told.fault = wait
    recorder.put(ended(0))
    assert stuck.wait(10)
    for number in range(1, 101):
        recorder.put(ended(number))
    recorder.count()
    assert len(told.counted) == 101
    read.set()
    recorder.flush()
    assert ids(told.written) == ["r0", *(f"r{number}" for number in range(81, 101))]
    assert sum(told.lost) == 80


def test_lost_lines_are_told_in_the_log() -> None:
    stream = io.StringIO()
    line_writer("INFO", stream)([ended(1)], 7)
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert (first["event"], first["count"], first["level"]) == ("log lines were lost", 7, "warning")
    assert (second["event"], second["request_id"]) == ("request", "r1")
    assert first.keys() >= {"time", "pid"}


@pytest.mark.parametrize(("level", "seen"), [("DEBUG", "abc"), ("INFO", "bc"), ("WARNING", "c"), ("ERROR", "c")])
def test_the_level_says_which_requests_are_logged(level: str, seen: str) -> None:
    stream = io.StringIO()
    probe, request, crash = (Record(each, "GET", None, admin=each == "a") for each in "abc")
    probe.end(200)
    request.end(404)
    crash.end(500)
    line_writer(level, stream)([probe, request, crash], 0)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert "".join(line["request_id"] for line in lines) == seen
    assert [line["level"] for line in lines] == [{"a": "debug", "b": "info", "c": "error"}[each] for each in seen]


def test_a_method_is_quoted_whatever_it_is() -> None:
    stream = io.StringIO()
    record = Record("", 'A"B\\\n', None, admin=False)
    record.end(405)
    line_writer("INFO", stream)([record], 0)
    assert json.loads(stream.getvalue())["method"] == 'A"B\\\n'
