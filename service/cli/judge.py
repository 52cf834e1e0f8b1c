"""`judge`: judges a file of requests, or judges signed verdicts again."""

import fcntl
import os
import stat
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Never, TextIO

from tqdm import tqdm

from service.cli.bulk import ChunkResult, map_chunks, read_lines
from service.cli.checking import check_chunk, knows_a_key
from service.cli.judging import judge_chunk
from service.cli.resuming import ResumeError, resume
from service.limits import MAX_ANSWER_LINE_BYTES, MAX_BODY_BYTES
from service.startup.settings import load_settings

HELP: Final = "judge a file of requests, or judge signed verdicts again"
DONE: Final = 0
# Not every line was answered with a verdict, or not every verdict is the same today.
FAULTY: Final = 1
# The exit code of argparse for arguments that it cannot use.
UNUSABLE: Final = 2
INTERRUPTED: Final = 130


class _Unusable(Exception):
    """These arguments cannot be used; the message says why."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE.ndjson", help="the requests")
    parser.add_argument(
        "--check", type=Path, metavar="VERDICTS.ndjson", help="judge these signed verdicts again, and list what differs"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the answers go; by default standard output")
    parser.add_argument("--resume", action="store_true", help="go on with --output where an interrupted run ended")
    parser.add_argument("--cores", type=_cores, default=_usable_cores(), help="how many to use, by default %(default)s")


def run(options: Namespace) -> int:
    """Judge a file of requests on all cores. Each line is a JSON object like an item of a batch, and the same line of
    the output is its answer. With --check, judge the signed verdicts in such answers again, and list each that is not
    the same today. Exit code: 0 if every line got a verdict, or every verdict is the same; 1 if not; 2 if nothing could
    be read; 130 if interrupted, or if one of its processes is killed.
    """
    # Report faulty settings once, here; each process reads them again.
    load_settings()
    try:
        return _run(options)
    except OSError as error:
        sys.stderr.write(f"showcheck judge: {error.filename or 'output'}: {error.strerror}\n")
        return UNUSABLE
    except (_Unusable, ResumeError) as error:
        sys.stderr.write(f"showcheck judge: {error}\n")
        return UNUSABLE
    except (KeyboardInterrupt, BrokenProcessPool) as error:
        why = "interrupted" if isinstance(error, KeyboardInterrupt) else "a process was killed"
        sys.stderr.write(f"{why}: with --output, --resume goes on from here\n")
        return INTERRUPTED


def _run(options: Namespace) -> int:
    if (options.file is None) == (options.check is None):
        raise _Unusable("name a file of requests, or with --check one of verdicts")
    if options.check and options.resume:
        raise _Unusable("--resume is for files of requests")
    if options.resume and not options.output:
        raise _Unusable("--resume needs --output, to see what is done")
    source = options.check or options.file
    if options.output and options.output.exists() and options.output.samefile(source):
        raise _Unusable(f"{options.output} is the file to read")
    return _check(options) if options.check else _judge(options)


def _judge(options: Namespace) -> int:
    done = faulty = 0
    with options.file.open("rb") as source, _open_output(options.output, resuming=options.resume) as output:
        if options.resume:
            done, faulty = resume(source, options.output)
        _, found = _process(source, output, judge_chunk, MAX_BODY_BYTES, done + 1, options.cores)
    return FAULTY if faulty + found else DONE


def _check(options: Namespace) -> int:
    if not knows_a_key():
        raise _Unusable("no key is known: SHOWCHECK_VERIFY_KEYS_FILE names the file of public keys")
    with options.check.open("rb") as source, _open_output(options.output) as output:
        checked, faulty = _process(source, output, check_chunk, MAX_ANSWER_LINE_BYTES, 1, options.cores)
    sys.stderr.write(f"{checked} verdicts, {checked - faulty} the same today, {faulty} not\n")
    # A file without a verdict proves nothing.
    return FAULTY if faulty or not checked else DONE


def _process(
    source: BinaryIO,
    output: TextIO,
    work: Callable[[list[bytes], int], ChunkResult],
    max_bytes: int,
    first: int,
    cores: int,
) -> tuple[int, int]:
    """Write what `work` makes of each chunk as soon as it is there. Returns the total and how much of it is faulty."""
    total = faulty = 0
    with _progress(source) as progress:
        for result in map_chunks(work, read_lines(source, max_bytes), first, cores):
            output.write(result.text)
            output.flush()
            total += result.total
            faulty += result.faulty
            progress.update(result.bytes_read)
    return total, faulty


@contextmanager
def _open_output(path: Path | None, *, resuming: bool = False) -> Iterator[TextIO]:
    """Standard output, or a file. A file is locked against other runs, and must be empty unless a run is resumed."""
    if path is None:
        yield sys.stdout
        return
    with path.open("a", encoding="utf-8", newline="\n") as output:
        if stat.S_ISREG(os.fstat(output.fileno()).st_mode):
            try:
                fcntl.flock(output, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise _Unusable(f"{path} is being written by another run") from None
        if os.fstat(output.fileno()).st_size and not resuming:
            raise _Unusable(f"{path} exists: --resume goes on with it, or name another")
        yield output


def _progress(source: BinaryIO) -> "tqdm[Never]":
    # `disable=None` shows it on a terminal only. A pipe has no known length.
    total, read = (os.fstat(source.fileno()).st_size, source.tell()) if source.seekable() else (None, 0)
    return tqdm(total=total, initial=read, unit="B", unit_scale=True, disable=None)


def _cores(text: str) -> int:
    max_cores = 4 * _usable_cores()
    if not text.isdecimal() or not 1 <= int(text) <= max_cores:
        raise ArgumentTypeError(f"a whole number from 1 to {max_cores}")
    return int(text)


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0))
