"""A body in many chunks."""

import time

from service.limits import MAX_CHUNKS
from tests.connections import ASK, answer, connected
from tests.servers import running


def test_many_small_chunks_cost_no_more_than_their_bytes() -> None:
    """Read in one piece, each chunk would copy all that follows it, and these would take half a minute."""
    chunk = b"200\r\n" + b" " * 512 + b"\r\n"
    head = b"POST /batch HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with running() as server, connected(server) as connection:
        began = time.monotonic()
        connection.sendall(head + chunk * MAX_CHUNKS + b"0\r\n\r\n" + ASK)
        assert answer(connection)[0] == 400
        # What was sent behind it is answered too.
        assert answer(connection)[0] == 200
    assert time.monotonic() - began < 15
