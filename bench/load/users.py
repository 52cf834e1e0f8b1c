"""The users, for locust only: importing it patches Python. `python -m bench load` starts it, and sets what it needs.

All users take the next request of one stream, in its order, so that what is asked hangs on no timing.
"""

import os
from itertools import cycle
from pathlib import Path
from typing import Final

from locust import FastHttpUser, constant_throughput, task

from bench.load import mix

EXCHANGES: Final = "LOAD_EXCHANGES"
# Requests a second of a user, at most: a backend has other things to do too.
RATE: Final = "LOAD_RATE"

_exchanges = cycle(mix.read(Path(os.environ[EXCHANGES])))


class Backend(FastHttpUser):  # type: ignore[misc]
    """A game backend with one connection that stays open."""

    wait_time = constant_throughput(float(os.environ[RATE]))
    # An answer that takes longer is none.
    connection_timeout = network_timeout = 10.0
    max_retries = 0

    @task  # type: ignore[untyped-decorator]
    def ask(self) -> None:
        ask, expected = next(_exchanges)
        headers = {"Content-Type": ask.content_type} if ask.method == "POST" else {}
        with self.client.request(
            ask.method, ask.path, name=ask.kind, data=ask.body or None, headers=headers, catch_response=True
        ) as answer:
            # Without a status there was no answer, and locust has taken that for a failure already.
            if not answer.status_code:
                return
            if fault := mix.fault(expected, answer.status_code, answer.headers.get("Content-Type", ""), answer.content):
                answer.failure(fault)
            else:
                answer.success()
