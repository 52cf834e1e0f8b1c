"""`judge`: judges a file of requests, or signed verdicts once more."""

import fcntl
import os
import stat
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Never, TextIO

from tqdm import tqdm

from service.cli import bulk
from service.limits import MAX_ANSWER_LINE_BYTES, MAX_BODY_BYTES
from service.startup.settings import load_settings

HELP: Final = "judge a file of requests, or signed verdicts once more"
DONE: Final = 0
# Everything was answered, and not everything with a verdict; or not every verdict is the same today.
FAULTY: Final = 1
# As argparse exits for what it cannot make sense of.
UNUSABLE: Final = 2
INTERRUPTED: Final = 130


class _Unusable(Exception):
    """The command cannot do what it is told; the message says why."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE.ndjson", help="the requests")
    parser.add_argument(
        "--check", type=Path, metavar="VERDICTS.ndjson", help="judge these signed verdicts again, and list what differs"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the answers go; by default standard output")
    parser.add_argument("--resume", action="store_true", help="go on with --output where an interrupted run ended")
    parser.add_argument("--cores", type=_cores, default=_usable_cores(), help="how many to use, by default %(default)s")


def run(options: Namespace) -> int:
    """Judge a file of requests on all cores: a JSON object a line in the form of a batch's items, each answered with a
    line in its place. Or, with --check, judge the signed verdicts of such answers once more, and list each that is not
    the same today. Exit code: 0 if every line got a verdict, or every verdict is the same; 1 if not; 2 if nothing could
    be read; 130 if interrupted.
    """
    # Faulty settings are told here, once; the processes read them again.
    load_settings()
    try:
        return _run(options)
    except (_Unusable, bulk.ResumeError, OSError) as error:
        sys.stderr.write(f"showcheck judge: {error}\n")
        return UNUSABLE
    except KeyboardInterrupt:
        sys.stderr.write("interrupted: with --output, --resume goes on from here\n")
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
        raise _Unusable(f"{options.output} is what is to be read")
    return _check(options) if options.check else _judge(options)


def _judge(options: Namespace) -> int:
    done = faulty = 0
    with options.file.open("rb") as source, _writing(options.output, resume=options.resume) as output:
        if options.resume:
            done, faulty = bulk.resume(source, options.output)
        lines = bulk.read_lines(source, MAX_BODY_BYTES)
        with _progress(source) as progress:
            for chunk in bulk.work_through(lines, bulk.judge_chunk, done + 1, options.cores):
                output.write(chunk.text)
                output.flush()
                faulty += chunk.faulty
                progress.update(chunk.bytes_read)
    return FAULTY if faulty else DONE


def _check(options: Namespace) -> int:
    checked = faulty = 0
    if not bulk.knows_a_key():
        raise _Unusable("no key is known: SHOWCHECK_VERIFY_KEYS_FILE names the file of public keys")
    with (
        options.check.open("rb") as source,
        _writing(options.output) as output,
        _progress(source) as progress,
    ):
        lines = bulk.read_lines(source, MAX_ANSWER_LINE_BYTES)
        for chunk in bulk.work_through(lines, bulk.check_chunk, 1, options.cores):
            output.write(chunk.text)
            output.flush()
            checked += chunk.checked
            faulty += chunk.faulty
            progress.update(chunk.bytes_read)
    sys.stderr.write(f"{checked} verdicts, {checked - faulty} the same today, {faulty} not\n")
    # Where there is none, nothing is proven.
    return FAULTY if faulty or not checked else DONE


@contextmanager
def _writing(path: Path | None, *, resume: bool = False) -> Iterator[TextIO]:
    """Where the answers go; a file is this run's alone, and has nothing in it unless an earlier run is gone on with."""
    if path is None:
        yield sys.stdout
        return
    with path.open("a", encoding="utf-8", newline="\n") as output:
        if stat.S_ISREG(os.fstat(output.fileno()).st_mode):
            try:
                fcntl.flock(output, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise _Unusable(f"{path} is being written by another run") from None
        if os.fstat(output.fileno()).st_size and not resume:
            raise _Unusable(f"{path} exists: --resume goes on with it, or name another")
        yield output


def _progress(source: BinaryIO) -> "tqdm[Never]":
    # Shown on a terminal only; how long a pipe is nobody knows.
    total, read = (os.fstat(source.fileno()).st_size, source.tell()) if source.seekable() else (None, 0)
    return tqdm(total=total, initial=read, unit="B", unit_scale=True, disable=None)


def _cores(text: str) -> int:
    most = 4 * _usable_cores()
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise ArgumentTypeError(f"a whole number from 1 to {most}")
    return int(text)


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0))
