"""Arrivals: the bytes of a request as they arrive, and whether it is complete.

This module finds only where a request ends; gunicorn parses it. It refuses only requests that do not end.
"""

import re
from enum import Enum, auto
from http import HTTPMethod
from typing import Final
from urllib.parse import unquote

from service.limits import MAX_CHUNKS, MAX_HEAD_BYTES, MAX_LINE_BYTES, MAX_REQUEST_BYTES

_METHODS: Final = "|".join(HTTPMethod).encode()
_LENGTH: Final = re.compile(rb"\ncontent-length:[ \t]*0*(\d*)[ \t]*\r\n", re.IGNORECASE)
_CHUNKED: Final = re.compile(rb"\ntransfer-encoding:[^\r]*\bchunked\b", re.IGNORECASE)
_CHUNK: Final = re.compile(rb"([0-9a-f]{1,15})[ \t]*(?:;.*)?", re.IGNORECASE | re.DOTALL)
_CONTINUE: Final = re.compile(rb"\nexpect:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)
# The end of a request is certain under a plain first line and without any of these headers.
_PLAIN: Final = re.compile(rb"(?:\r\n)?(?!HEAD )(?:%b) [!-~]+ HTTP/1\.1\r\n" % _METHODS)
_UNCERTAIN: Final = re.compile(
    rb"\n(?:[ \t]|transfer-encoding|connection:[^\r]*\bclose\b"
    # A length that is no number, or is not the only one.
    rb"|content-length(?!:[ \t]*\d+[ \t]*\r(?!.*\ncontent-length)))",
    re.IGNORECASE | re.DOTALL,
)
_METHOD: Final = re.compile(rb"(?:\r\n)?(%b) " % _METHODS)
_AUTHORITY: Final = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*")
_REQUEST_ID: Final = re.compile(rb"\nx-request-id:[ \t]*([!-~]+)[ \t]*(?=\r\n)", re.IGNORECASE)


class Endless(Enum):
    """Why the rest of a request is not waited for."""

    BARE_LINE_FEED = auto()
    TOO_MANY_CHUNKS = auto()
    BODY_TOO_LARGE = auto()
    LINE_TOO_LONG = auto()
    HEAD_TOO_LONG = auto()


class Arrival:
    """The bytes that have arrived on a connection since the last request.

    `complete` says that there is nothing more to wait for. `endless` says why, if the request itself is incomplete.
    """

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray()
        self.complete = False
        self.endless: Endless | None = None
        # The offset where the head ends; then where the body ends, or where the next chunk of it begins.
        self._head = -1
        self._next = 0
        self._chunked = False
        self._chunks = 0
        if data:
            self.add(data)

    def add(self, data: bytes) -> None:
        """Add bytes that have arrived."""
        searched = max(0, len(self.data) - 3)
        self.data += data
        if self._head < 0:
            self._find_head(searched)
        if self._head >= 0:
            self.complete = self._chunks_end() if self._chunked else len(self.data) >= self._next
            if not self.complete and max(len(self.data), self._next) > MAX_REQUEST_BYTES:
                self._give_up(Endless.BODY_TOO_LARGE)

    def _give_up(self, why: Endless) -> None:
        self.complete = True
        self.endless = why

    def _find_head(self, searched: int) -> None:
        # gunicorn skips one empty line before a request.
        start = 2 if self.data.startswith(b"\r\n") else 0
        end = self.data.find(b"\r\n\r\n", max(searched, start))
        if end < 0:
            if self.data.find(b"\n\n", searched) >= 0:
                self._give_up(Endless.BARE_LINE_FEED)
            elif len(self.data) > MAX_LINE_BYTES and self.data.find(b"\n", start, MAX_LINE_BYTES) < 0:
                self._give_up(Endless.LINE_TOO_LONG)
            elif len(self.data) > MAX_HEAD_BYTES:
                self._give_up(Endless.HEAD_TOO_LONG)
            return
        self._head = self._next = end + 4
        self._chunked = _CHUNKED.search(self.data, 0, self._head) is not None
        length = _LENGTH.search(self.data, 0, self._head)
        if length and not self._chunked:
            # A number of more than 18 digits is too large in any case.
            self._next += int(length[1][:18] or 0)

    def _chunks_end(self) -> bool:
        # A malformed chunk completes the request: gunicorn refuses it.
        while (end := self.data.find(b"\r\n", self._next)) >= 0:
            line = _CHUNK.fullmatch(self.data, self._next, end)
            if line is None:
                return True
            size = int(line[1], 16)
            if size == 0:
                # Trailers may follow the last chunk, up to an empty line.
                return self.data.find(b"\r\n\r\n", end) >= 0 or len(self.data) - end > MAX_HEAD_BYTES
            following = end + 2 + size + 2
            if following > min(len(self.data), MAX_REQUEST_BYTES):
                if following > MAX_REQUEST_BYTES:
                    self._give_up(Endless.BODY_TOO_LARGE)
                return self.complete
            if self.data[following - 2 : following] != b"\r\n":
                return True
            self._next = following
            self._chunks += 1
            if self._chunks > MAX_CHUNKS:
                self._give_up(Endless.TOO_MANY_CHUNKS)
                return True
        return len(self.data) - self._next > MAX_LINE_BYTES

    @property
    def has_head(self) -> bool:
        """Whether the head has arrived."""
        return self._head >= 0

    @property
    def awaits_continue(self) -> bool:
        """Whether the peer waits for "100 Continue" before it sends the body."""
        return self.has_head and not self.complete and _CONTINUE.search(self.data, 0, self._head) is not None

    @property
    def ends_here(self) -> bool:
        """Whether the bytes are certainly one whole request, after which the peer may send others.

        False for HEAD: a refusal has a body, which the peer would not expect.
        """
        return (
            self.complete
            and len(self.data) == self._next
            and _PLAIN.match(self.data) is not None
            and _UNCERTAIN.search(self.data, 0, self._head) is None
            # Parsers differ on lines with other ends.
            and self.data.count(b"\r", 0, self._head)
            == self.data.count(b"\n", 0, self._head)
            == self.data.count(b"\r\n", 0, self._head)
        )

    @property
    def method(self) -> str:
        """The method, or "" if it is unknown: an unknown one may be the end of a body, and so hold cards."""
        found = _METHOD.match(self.data)
        return found[1].decode("ascii") if found else ""

    @property
    def path(self) -> str:
        """The path of the request target, decoded."""
        words = bytes(self.data[:MAX_LINE_BYTES]).lstrip(b"\r\n").partition(b"\r\n")[0].split(b" ")
        target = words[1].decode("latin-1") if len(words) > 1 else ""
        return unquote(_AUTHORITY.sub("", target).partition("?")[0].partition("#")[0])

    @property
    def request_id(self) -> str:
        """The request id that the peer sent, or "" if it sent none or several."""
        found = _REQUEST_ID.findall(self.data, 0, self._head if self.has_head else len(self.data))
        return found[0].decode("ascii") if len(found) == 1 else ""
