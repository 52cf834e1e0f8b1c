"""A request is complete exactly when its last byte has come, however it was split on its way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.limits import MAX_CHUNKS, MAX_HEAD_BYTES, MAX_LINE_BYTES, MAX_REQUEST_BYTES
from service.server.arrival import Arrival, Endless
from tests.strategies import FIXED

BODIES = st.binary(max_size=200)
HEADS = st.sampled_from(["", "X-A: b\r\n", "Accept: */*\r\nX-Request-ID: deal-1\r\n", "Expect: 100-continue\r\n"])


@st.composite
def plain(draw: st.DrawFn) -> bytes:
    """A request with a length, or with no body at all."""
    head, body = draw(HEADS), draw(BODIES)
    name = draw(st.sampled_from(["Content-Length", "content-length", "CONTENT-LENGTH"]))
    zeros = draw(st.sampled_from(["", "0", "0" * 20]))
    length = f"{name}: {zeros}{len(body)}\r\n" if body or draw(st.booleans()) else ""
    before = draw(st.sampled_from(["", "\r\n"]))
    return f"{before}POST /score HTTP/1.1\r\nHost: h\r\n{head}{length}\r\n".encode() + body


@st.composite
def chunked(draw: st.DrawFn) -> bytes:
    """A request in chunks, some with extensions, some with trailers behind them."""
    head = f"POST /score HTTP/1.1\r\n{draw(HEADS)}Transfer-Encoding: chunked\r\n\r\n".encode()
    chunks = draw(st.lists(st.binary(min_size=1, max_size=60), max_size=5))
    extension = draw(st.sampled_from([b"", b";a=b", b" ;a"]))
    trailers = draw(st.sampled_from([b"", b"X-Sum: 1\r\n", b"A: b\r\nC: d\r\n"]))
    lines = b"".join(b"%x%b\r\n%b\r\n" % (len(chunk), extension, chunk) for chunk in chunks)
    return head + lines + b"0\r\n" + trailers + b"\r\n"


@FIXED
@given(st.one_of(plain(), chunked()), st.data())
def test_a_request_is_complete_with_its_last_byte(request_: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(request_) - 1), max_size=8)))
    arrival = Arrival()
    for start, end in zip([0, *cuts], [*cuts, len(request_)], strict=True):
        assert not arrival.complete
        arrival.add(request_[start:end])
    assert arrival.complete
    assert arrival.endless is None
    assert arrival.data == request_


@FIXED
@given(st.one_of(plain(), chunked()))
def test_byte_by_byte_too(request_: bytes) -> None:
    arrival = Arrival()
    for byte in request_:
        assert not arrival.complete
        arrival.add(bytes([byte]))
    assert arrival.complete


@FIXED
@given(st.one_of(plain(), chunked()), st.one_of(plain(), chunked()))
def test_what_is_sent_behind_a_request_changes_nothing(first: bytes, second: bytes) -> None:
    arrival = Arrival(first + second)
    assert arrival.complete
    assert not arrival.ends_here


def test_a_refusal_of_head_is_the_last_on_its_connection() -> None:
    """It has a body, which would pass for the next answer."""
    line = b" /rule-sets HTTP/1.1\r\nHost: h\r\n\r\n"
    assert (Arrival(b"GET" + line).ends_here, Arrival(b"HEAD" + line).ends_here) == (True, False)


CHUNKED = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "chunks",
    [b"zz\r\n", b"\r\n", b"-1\r\n", b"0x5\r\n", b"1_0\r\n", b"+5\r\n", b"3\r\nabcX\r\n", b"a" * MAX_LINE_BYTES + b"a"],
)
def test_what_is_no_chunk_is_not_waited_for(chunks: bytes) -> None:
    assert Arrival(CHUNKED + chunks).complete


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"GET / HTTP/1.1\nHost: h\n\n", Endless.BARE_LINE_FEED),
        (b"GET / HTTP/1.1\r\nHost: h\n\n", Endless.BARE_LINE_FEED),
        (b"GET /" + b"a" * MAX_LINE_BYTES, Endless.LINE_TOO_LONG),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * MAX_HEAD_BYTES, Endless.HEAD_TOO_LONG),
        (b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % MAX_REQUEST_BYTES, Endless.BODY_TOO_LARGE),
        (CHUNKED + b"%x\r\n" % MAX_REQUEST_BYTES, Endless.BODY_TOO_LARGE),
        (CHUNKED + b"fffffffffffffff\r\n", Endless.BODY_TOO_LARGE),
        (b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n", Endless.BODY_TOO_LARGE),
        (CHUNKED + b"1\r\nx\r\n" * (MAX_CHUNKS + 1), Endless.TOO_MANY_CHUNKS),
    ],
)
def test_what_never_ends_is_not_waited_for(sent: bytes, why: Endless) -> None:
    arrival = Arrival(sent)
    assert arrival.complete
    assert arrival.endless is why
    assert not arrival.ends_here


def test_expect_100_continue_holds_until_the_body_comes() -> None:
    arrival = Arrival(b"POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n")
    seen = [arrival.awaits_continue]
    for data in (b"\r\n", b"{}"):
        arrival.add(data)
        seen.append(arrival.awaits_continue)
    assert seen == [False, True, False]


@pytest.mark.parametrize(
    ("head", "kept"),
    [("HTTP/1.1\r\n", True), ("HTTP/1.1\r\nConnection: Close\r\n", False), ("HTTP/1.0\r\n", False)],
)
def test_whether_the_peer_wants_to_send_more(head: str, kept: bool) -> None:
    assert Arrival(f"GET / {head}\r\n".encode()).ends_here is kept


LENGTH = "Content-Length: 4\r\n"


@pytest.mark.parametrize(
    ("line", "headers"),
    [
        ("POST / HTTP/1.1\r\n", "Content-Length: 0, 4\r\n"),
        ("POST / HTTP/1.1\r\n", "Content-Length: 4, 4\r\n"),
        ("POST / HTTP/1.1\r\n", "Content-Length: +4\r\n"),
        ("POST / HTTP/1.1\r\n", "Content-Length:\r\n"),
        ("POST / HTTP/1.1\r\n", "Content-Length : 4\r\n"),
        ("POST / HTTP/1.1\r\n", "Content-Length: 0\r\n" + LENGTH),
        ("POST / HTTP/1.1\r\n", LENGTH + "Host: h\r\n" + LENGTH),
        ("POST / HTTP/1.1\r\n", LENGTH + "A: b\r\n c\r\n"),
        ("POST / HTTP/1.1\r\n", LENGTH + "A: b\nB: c\r\n"),
        ("POST / HTTP/1.1\r\n", LENGTH + "A: b\rB: c\r\n"),
        ("POST / HTTP/1.1\r\n", "Transfer-Encoding: gzip\r\n"),
        ("POST / HTTP/1.1\r\n", "Transfer-Encoding:\r\n chunked\r\n"),
        ("post / HTTP/1.1\r\n", LENGTH),
        ("POST  / HTTP/1.1\r\n", LENGTH),
        ("POST / HTTP/1.0\r\n", LENGTH + "Via: x HTTP/1.1\r\n"),
    ],
)
def test_nothing_follows_where_the_end_is_not_certain(line: str, headers: str) -> None:
    """What may be the rest of a body must not pass for the next request."""
    sure = Arrival(f"POST / HTTP/1.1\r\n{LENGTH}\r\nbody".encode())
    assert sure.ends_here
    for body in ("", "body"):
        assert not Arrival(f"{line}{headers}\r\n{body}".encode()).ends_here


@pytest.mark.parametrize(
    ("sent", "method", "request_id"),
    [
        (b"GET / HTTP/1.1\r\nX-Request-ID: deal-1\r\n\r\n", "GET", "deal-1"),
        (b"GET / HTTP/1.1\r\nX-Request-ID: a\r\nX-Request-ID: b\r\n\r\n", "GET", ""),
        (b"\r\nPOST / HTTP/1.1\r\n\r\n", "POST", ""),
        (b'"7D"]} / HTTP/1.1\r\n\r\n', "", ""),
        (b'H"]}POST /score HTTP/1.1\r\n\r\n', "", ""),
        (b"GET", "", ""),
    ],
)
def test_an_unreadable_request_has_a_method_and_an_id(sent: bytes, method: str, request_id: str) -> None:
    """And nothing else of it is known."""
    arrival = Arrival(sent)
    assert (arrival.method, arrival.request_id) == (method, request_id)


@pytest.mark.parametrize(
    "line",
    [b"POST /batch", b"\r\nPOST /batch", b"POST /batch?a", b"POST /%62atch", b"POST http://h/batch", b"POST /batch#a"],
)
def test_a_path_is_known_however_it_is_spelt(line: bytes) -> None:
    assert Arrival(line + b" HTTP/1.1\r\n\r\n").path == "/batch"
    assert Arrival(line.replace(b"atch", b"utch") + b" HTTP/1.1\r\n\r\n").path == "/butch"
