"""Arrivals: the bytes of a request as they come in, and whether all of it is there.

Only where the request ends is found out here; what it says, and whether it is HTTP at all, is the server's to read.
"""

import re
from typing import Final

# More than a request within the limits has, head included: what is longer is for the server to refuse.
MOST_BYTES: Final = 1024 * 1024
# More than the server takes of a head, or of the line that begins a chunk.
MOST_HEAD_BYTES: Final = 64 * 1024
MOST_LINE_BYTES: Final = 8 * 1024

_LENGTH: Final = re.compile(rb"\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
_CHUNKED: Final = re.compile(rb"\ntransfer-encoding:", re.IGNORECASE)
_CONTINUE: Final = re.compile(rb"\nexpect:[ \t]*100-continue[ \t]*\r?\n", re.IGNORECASE)
_REQUEST_ID: Final = re.compile(rb"\nx-request-id:[ \t]*([!-~]+)[ \t]*\r?\n", re.IGNORECASE)


class Arrival:
    """What has arrived on a connection since the last request.

    `complete` is whether the server need wait for nothing more to read the request, or to refuse it.
    """

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray()
        self.complete = False
        # Where the head ends; then where the body ends, or, where it comes in chunks, the next chunk begins.
        self._head = -1
        self._next = 0
        self._chunked = False
        if data:
            self.add(data)

    def add(self, data: bytes) -> None:
        """Take in what came next."""
        searched = max(0, len(self.data) - 3)
        self.data += data
        if self._head < 0 and not self._has_head(searched):
            return
        self.complete = len(self.data) >= MOST_BYTES or (self._chunks_end() if self._chunked else self._body_ends())

    def _has_head(self, searched: int) -> bool:
        end = self.data.find(b"\r\n\r\n", searched)
        if end < 0:
            # The server refuses a bare line feed, and a head that is too long.
            self.complete = self.data.find(b"\n\n", searched) >= 0 or len(self.data) >= MOST_HEAD_BYTES
            return False
        self._head = self._next = end + 4
        self._chunked = _CHUNKED.search(self.data, 0, self._head) is not None
        length = _LENGTH.search(self.data, 0, self._head)
        if length and not self._chunked:
            self._next += int(length[1])
        return True

    def _body_ends(self) -> bool:
        return len(self.data) >= self._next or self._next > MOST_BYTES

    def _chunks_end(self) -> bool:
        while (end := self.data.find(b"\r\n", self._next)) >= 0:
            try:
                size = int(bytes(self.data[self._next : end]).partition(b";")[0], 16)
            except ValueError:
                return True
            if size <= 0:
                # Behind the last chunk may be trailers, up to an empty line.
                return self.data.find(b"\r\n\r\n", end) >= 0
            if (following := end + 2 + size + 2) > len(self.data):
                return following > MOST_BYTES
            self._next = following
        return len(self.data) - self._next > MOST_LINE_BYTES

    @property
    def awaits_continue(self) -> bool:
        """Whether the peer sends its body only once it is told to go on."""
        return self._head >= 0 and not self.complete and _CONTINUE.search(self.data, 0, self._head) is not None

    @property
    def method(self) -> str:
        """The method, as far as there is one."""
        return self.data.partition(b" ")[0][:16].decode("latin-1")

    @property
    def request_id(self) -> str:
        """The request id that the peer has given, or nothing."""
        found = _REQUEST_ID.search(self.data, 0, max(self._head, 0))
        return found[1].decode("ascii") if found else ""
