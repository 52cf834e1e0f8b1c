"""`keygen`: makes a signing key."""

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Final

from service.signing.keys import new_key, read_signing_key

HELP: Final = "make a key that verdicts are signed with"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", help="where to write the private key; never over a file that is there")


def run(options: Namespace) -> int:
    """Write a private key that only its owner can read, and print the public one."""
    text = json.dumps(new_key())
    try:
        descriptor = os.open(options.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        sys.stderr.write(f"showcheck keygen: {options.file}: {error.strerror}\n")
        return 1
    sys.stdout.write(json.dumps(read_signing_key(text).public.jwk) + "\n")
    return 0
