"""Command line: the commands of `python -m service`. It imports all other packages, but never Flask."""
