from collections.abc import Iterator

import pytest

from tests.servers import Server, running


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with two workers."""
    with running(WEB_CONCURRENCY="2") as server:
        server.wait(lambda: len(server.workers()) == 2, "second worker")
        yield server
