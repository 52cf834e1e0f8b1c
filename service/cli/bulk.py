"""Bulk: reads a file line by line, and has chunks of its lines processed on several cores."""

import itertools
import multiprocessing.connection
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import BinaryIO, Final, NamedTuple

# So many that sending a chunk to a process and back costs nothing beside judging it.
CHUNK_LINES: Final = 256
# A process has the next chunk waiting when it is done, and a huge file is never in memory as a whole.
MAX_CHUNKS_PER_CORE: Final = 3


class ChunkResult(NamedTuple):
    """What came of a chunk of lines: the text to write, how many bytes of input these lines had, how many items or
    verdicts they held, and how many of these were faulty.
    """

    text: str
    bytes_read: int
    total: int
    faulty: int


def read_lines(source: BinaryIO, max_bytes: int) -> Iterator[bytes]:
    """The lines of a file. One of more than `max_bytes` is cut off, but stays longer than `max_bytes`: a file that has
    lost its line ends must not fill the memory.
    """
    # The end of a line does not count.
    kept = max_bytes + len(b"\r\n")
    while line := source.readline(kept):
        rest = line
        while len(rest) == kept and not rest.endswith(b"\n"):
            rest = source.readline(kept)
        yield line


def map_chunks(
    work: Callable[[list[bytes], int], ChunkResult], lines: Iterable[bytes], first: int, cores: int
) -> Iterator[ChunkResult]:
    """Call `work` on all lines, chunk by chunk, in as many processes as `cores`; the results come in order.

    `work` gets the lines of a chunk and the number of the first of them; `first` is the number of the very first line.
    """
    with ProcessPoolExecutor(cores, initializer=_begin_process) as pool:
        pending: deque[Future[ChunkResult]] = deque()
        try:
            for number, chunk in _chunks(lines, first):
                pending.append(pool.submit(work, chunk, number))
                if len(pending) >= MAX_CHUNKS_PER_CORE * cores:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _begin_process() -> None:
    # A terminal interrupts all processes; the parent alone handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed cannot stop its pool, which would wait for work forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _chunks(lines: Iterable[bytes], first: int) -> Iterator[tuple[int, list[bytes]]]:
    source = iter(lines)
    while chunk := list(itertools.islice(source, CHUNK_LINES)):
        yield first, chunk
        first += len(chunk)
