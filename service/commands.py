"""Commands: what `python -m service` is told to do."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TextIO

from tqdm import tqdm

from service import bulk
from service.config import StartError, load_settings

DONE: Final = 0
# Everything was answered, and not everything with a verdict.
FAULTY: Final = 1
# As argparse exits for what it cannot make sense of.
UNUSABLE: Final = 2
# As gunicorn exits for a configuration that it cannot take.
NOT_STARTED: Final = 1
INTERRUPTED: Final = 130


class _CommandError(Exception):
    """The command cannot do what it is told; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except StartError as error:
        sys.stderr.write(f"{error}\n")
        return NOT_STARTED
    except (_CommandError, bulk.ResumeError, OSError) as error:
        sys.stderr.write(f"python -m service {options.command}: {error}\n")
        return UNUSABLE
    except KeyboardInterrupt:
        sys.stderr.write("interrupted: with --output, --resume goes on from here\n")
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser(
        "serve",
        help="start the server",
        description="Check all settings, then become gunicorn, which would read WEB_CONCURRENCY before they are.",
    )
    serve.set_defaults(run=_serve)
    judge = commands.add_parser(
        "judge",
        help="judge a file of requests",
        description="Judge a file of requests, a JSON object a line in the form of a batch's items, on all cores. "
        f"Each line is answered with one, in the same order. Exit status: {DONE} if every line got a verdict, {FAULTY} "
        f"if some got a problem, {UNUSABLE} if nothing could be judged, {INTERRUPTED} if interrupted.",
    )
    judge.add_argument("file", type=Path, metavar="FILE.ndjson", help="the requests")
    judge.add_argument("--output", type=Path, metavar="FILE", help="where the answers go; by default standard output")
    judge.add_argument("--resume", action="store_true", help="go on with --output where an interrupted run ended")
    judge.add_argument("--cores", type=_cores, default=_usable_cores(), help="how many to use, by default %(default)s")
    judge.set_defaults(run=_judge)
    return parser


def _cores(text: str) -> int:
    cores = int(text)
    if cores < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return cores


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0))


def _serve(_options: argparse.Namespace) -> int:
    load_settings()
    os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "-c", "gunicorn.conf.py"])  # noqa: S606


def _judge(options: argparse.Namespace) -> int:
    if options.resume and not options.output:
        raise _CommandError("--resume needs --output, to see what is done")
    if options.output and options.output.exists() and options.output.stat().st_size and not options.resume:
        raise _CommandError(f"{options.output} exists: --resume goes on with it, or name another")
    faulty = 0
    with ExitStack() as opened:
        source = opened.enter_context(options.file.open("rb"))
        done = 0
        if options.resume and options.output.exists():
            done, faulty = bulk.resume(source, options.output)
        output: TextIO = sys.stdout
        if options.output:
            output = opened.enter_context(options.output.open("a", encoding="utf-8", newline="\n"))
        # Shown on a terminal only.
        progress = opened.enter_context(
            tqdm(total=options.file.stat().st_size, initial=source.tell(), unit="B", unit_scale=True, disable=None)
        )
        for chunk in bulk.judge_lines(source, done + 1, options.cores):
            output.write(chunk.text)
            output.flush()
            faulty += chunk.faulty
            progress.update(chunk.bytes_read)
    return FAULTY if faulty else DONE
