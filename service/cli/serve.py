"""`serve`: starts the server."""

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Final

from service.startup.build import GUNICORN_FILE
from service.startup.settings import load_settings

HELP: Final = "start the server"


def add_arguments(_parser: ArgumentParser) -> None:
    """None: the environment sets everything."""


def run(_options: Namespace) -> int:
    """Start the server. The environment sets everything: see docs/operations.md."""
    # Before gunicorn does: it reads WEB_CONCURRENCY before its configuration is checked.
    load_settings()
    os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "-c", str(GUNICORN_FILE)])  # noqa: S606
