"""`judge`: judges a file of requests, or signed verdicts once more."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Never, TextIO

from tqdm import tqdm

from service import bulk
from service.config import load_settings

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
    if options.output and options.output.exists() and options.output.stat().st_size and not options.resume:
        raise _Unusable(f"{options.output} exists: --resume goes on with it, or name another")
    return _check(options) if options.check else _judge(options)


def _judge(options: Namespace) -> int:
    done = faulty = 0
    with options.file.open("rb") as source:
        if options.resume and options.output.exists():
            done, faulty = bulk.resume(source, options.output)
        with _writing(options.output) as output, _progress(options.file, source) as progress:
            for chunk in bulk.work_through(source, bulk.judge_chunk, done + 1, options.cores):
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
        _progress(options.check, source) as progress,
    ):
        for chunk in bulk.work_through(source, bulk.check_chunk, 1, options.cores):
            output.write(chunk.text)
            output.flush()
            checked += chunk.checked
            faulty += chunk.faulty
            progress.update(chunk.bytes_read)
    sys.stderr.write(f"{checked} verdicts, {checked - faulty} the same today, {faulty} not\n")
    # Where there is none, nothing is proven.
    return FAULTY if faulty or not checked else DONE


@contextmanager
def _writing(path: Path | None) -> Iterator[TextIO]:
    with ExitStack() as opened:
        yield opened.enter_context(path.open("a", encoding="utf-8", newline="\n")) if path else sys.stdout


def _progress(file: Path, source: BinaryIO) -> "tqdm[Never]":
    # Shown on a terminal only.
    return tqdm(total=file.stat().st_size, initial=source.tell(), unit="B", unit_scale=True, disable=None)


def _cores(text: str) -> int:
    cores = int(text)
    if cores < 1:
        raise ArgumentTypeError("at least 1")
    return cores


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0))
