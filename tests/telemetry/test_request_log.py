"""Request events: each is counted once and written once, in order, and a log that fails loses nothing but its lines."""

import threading
from collections.abc import Callable, Sequence

import pytest

from service.telemetry import request_log
from service.telemetry.events import RequestEvent
from service.telemetry.request_log import RequestLog
from tests.waiting import DEADLINE_SECONDS


def ended(number: int, status: int = 200) -> RequestEvent:
    event = RequestEvent(f"r{number}", "POST", "/score", admin=False)
    event.end(status)
    return event


def ids(events: Sequence[RequestEvent]) -> list[str]:
    return [event.request_id for event in events]


class Seen:
    """What a request log has counted and written."""

    def __init__(self) -> None:
        self.counted: list[RequestEvent] = []
        self.written: list[RequestEvent] = []
        self.lost: list[int] = []
        self.fault: Callable[[], None] = lambda: None

    def write(self, events: Sequence[RequestEvent], lost: int) -> None:
        self.fault()
        self.written += events
        self.lost.append(lost)

    def request_log(self) -> RequestLog:
        return RequestLog(self.counted.extend, self.write)


def test_an_event_is_written_soon_by_itself() -> None:
    written = threading.Event()
    log = RequestLog(lambda _: None, lambda *_: written.set())
    for _ in range(2):
        log.put(ended(1))
        assert written.wait(DEADLINE_SECONDS)
        written.clear()


def test_every_event_is_counted_and_written_once() -> None:
    """From many threads."""
    seen = Seen()
    log = seen.request_log()

    def answer(first: int) -> None:
        for number in range(first, first + 500):
            log.put(ended(number))
            if number % 50 == 0:
                log.count()

    threads = [threading.Thread(target=answer, args=(500 * each,)) for each in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.flush()
    assert sorted(ids(seen.counted)) == sorted(ids(seen.written)) == sorted(f"r{number}" for number in range(4000))
    assert not any(seen.lost)


def test_events_are_written_in_order() -> None:
    """That in which they ended."""
    seen = Seen()
    log = seen.request_log()
    for number in range(100):
        log.put(ended(number))
    log.flush()
    assert ids(seen.counted) == ids(seen.written) == [f"r{number}" for number in range(100)]


def test_a_full_disk_loses_lines_but_no_counts() -> None:
    seen = Seen()
    log = seen.request_log()

    def full() -> None:
        raise OSError(28, "No space left on device")

    seen.fault = full
    for number in range(3):
        log.put(ended(number))
    log.flush()
    seen.fault = lambda: None
    log.put(ended(3))
    log.flush()
    assert (ids(seen.counted), ids(seen.written)) == (["r0", "r1", "r2", "r3"], ["r3"])
    assert sum(seen.lost) == 3


def test_an_unread_log_holds_up_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """And takes bounded memory: the oldest lines are lost, and counted."""
    monkeypatch.setattr(request_log, "MAX_UNCOUNTED", 10)
    monkeypatch.setattr(request_log, "MAX_UNWRITTEN", 20)
    read, stuck = threading.Event(), threading.Event()
    seen = Seen()
    log = seen.request_log()

    def wait() -> None:
        stuck.set()
        assert read.wait(DEADLINE_SECONDS)

    seen.fault = wait
    log.put(ended(0))
    assert stuck.wait(DEADLINE_SECONDS)
    for number in range(1, 101):
        log.put(ended(number))
    log.count()
    assert len(seen.counted) == 101
    read.set()
    log.flush()
    assert ids(seen.written) == ["r0", *(f"r{number}" for number in range(81, 101))]
    assert sum(seen.lost) == 80
