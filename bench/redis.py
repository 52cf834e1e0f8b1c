"""A Redis of its own on a free loopback port, and how long a GET takes: the protocol over a bare socket."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

START_SECONDS: Final = 10


class RedisClient:
    """One connection that sends a command and reads its answer: the least that any client has to do."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reader = connection.makefile("rb")

    def call(self, *words: bytes) -> bytes | None:
        """The answer to a command: a bulk string, None where there is none, or the text of a simple answer.

        Raises `RuntimeError` for an error, and for a kind of answer that is not used here.
        """
        parts = [b"*%d\r\n" % len(words), *(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)]
        self._connection.sendall(b"".join(parts))
        line = self._reader.readline()
        kind, value = line[:1], line[1:-2]
        if kind == b"+":
            return value
        if kind != b"$":
            raise RuntimeError(f"Redis answered {line!r}")
        length = int(value)
        return None if length < 0 else self._reader.read(length + 2)[:-2]

    def close(self) -> None:
        self._reader.close()
        self._connection.close()


@contextmanager
def redis() -> Iterator[RedisClient]:
    """A connection to a Redis that runs as long as the block does and keeps nothing."""
    server = shutil.which("redis-server")
    if server is None:
        raise SystemExit("redis-server is needed: apt-get install redis-server")
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            client = RedisClient(_connect(port))
            try:
                yield client
            finally:
                client.close()
        finally:
            process.terminate()
            process.wait(START_SECONDS)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _connect(port: int) -> socket.socket:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
