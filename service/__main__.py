"""`python -m service`: check the settings, then become gunicorn, which would read WEB_CONCURRENCY before they are."""

import os
import sys

from service.config import StartError, load_settings


def main() -> None:
    """Never return: the process is gunicorn's, or it ends with the faults on standard error."""
    try:
        load_settings()
    except StartError as error:
        raise SystemExit(str(error)) from None
    os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "-c", "gunicorn.conf.py", *sys.argv[1:]])  # noqa: S606


if __name__ == "__main__":
    main()
