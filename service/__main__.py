"""`python -m service COMMAND`."""

import sys

from service.commands import main

if __name__ == "__main__":
    sys.exit(main())
