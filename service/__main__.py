"""`python -m service`: what can be done without a server."""

import sys

from service.commands import main

if __name__ == "__main__":
    sys.exit(main())
