"""`python -m service COMMAND`, as `showcheck COMMAND` where it is not installed."""

import sys

from service.cli.main import main

if __name__ == "__main__":
    sys.exit(main(program="python -m service"))
