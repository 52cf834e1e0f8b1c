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
    """Check all settings, then become gunicorn, which would read WEB_CONCURRENCY before they are checked."""
    load_settings()
    os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "-c", str(GUNICORN_FILE)])  # noqa: S606
