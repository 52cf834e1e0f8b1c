"""Command line: the commands of `python -m service`. It imports neither `web` nor Flask."""
