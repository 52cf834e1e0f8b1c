"""Hostile bodies: each gets the right 4xx, and the service lives on."""

import json
import time
from io import BytesIO

import pytest
from flask.testing import FlaskClient

from service.limits import MAX_BODY_BYTES, MAX_NESTING
from service.wire.strict_json import MalformedJson, read_json
from tests.contract import value_of
from tests.examples import question

GOOD = json.dumps(question())

MALFORMED: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"hand=AS",
    "cut off": GOOD[:-1].encode(),
    "two values": b"{} {}",
    "trailing comma": b'{"hand": [],}',
    "comment": b"{} // AS",
    "single quotes": b"{'hand': 1}",
    "control character in a text": b'{"hand": "\n"}',
    "duplicate key": b'{"hand": 1, "hand": 1}',
    "duplicate key spelled in two ways": b'{"hand": 1, "h\\u0061nd": 1}',
    "duplicate key deep inside": b'{"groups": [{"a": 1, "a": 2}]}',
    "NaN": b'{"players": NaN}',
    "Infinity": b'{"players": Infinity}',
    "-Infinity": b'{"players": -Infinity}',
    "5,000 digits": b'{"players": ' + b"9" * 5_000 + b"}",
    "60,000 digits": b'{"players": -' + b"9" * 60_000 + b"}",
    "8,000 open brackets": b"[" * 8_000,
    "60,000 open brackets": b"[" * 60_000,
    "8,000 open objects": b'{"a":' * 8_000,
    "deep and well formed": b"[" * 20_000 + b"]" * 20_000,
    "one level too deep": b"[" * (MAX_NESTING + 1) + b"]" * (MAX_NESTING + 1),
    "Latin-1": '{"hand": "é"}'.encode("latin-1"),
    "UTF-16": GOOD.encode("utf-16"),
    "overlong encoding": b'{"hand": "\xc0\x80"}',
    "byte order mark": b"\xef\xbb\xbf" + GOOD.encode(),
    "encoded surrogate": b'{"hand": "\xed\xa0\x80"}',
    "lone high surrogate": b'{"rule_set": "\\ud800"}',
    "lone low surrogate": b'{"rule_set": "\\udc00\\ud800"}',
    "lone surrogate as a key": b'{"\\uD800": 1}',
    "lone surrogate deep inside": b'{"groups": [["\\ud83d"]]}',
    "quotes without end": b'"\\"' * 20_000,
    "backslashes": b'["' + b"\\" * 40_001,
    "brackets in a text without end": b'{"a": "' + b"[" * 50_000,
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_not_strict_json_is_malformed(client: FlaskClient, body: bytes) -> None:
    started = time.process_time()
    response = client.post("/validate", data=body, content_type="application/json")
    assert response.status_code == 400
    assert value_of(response)["code"] == "MALFORMED_JSON"
    assert value_of(response)["detail"].startswith("The body is not the JSON that is asked for: ")
    assert time.process_time() - started < 1
    assert client.post("/validate", data=GOOD, content_type="application/json").status_code == 200


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b' [1, -2.5e3, true, null, "\\u2660"]\n', [1, -2500.0, True, None, "♠"]),
        (b'"\\ud83c\\udccf"', "🃏"),
        (b"9" * 4_000, int("9" * 4_000)),
        (b"[" * MAX_NESTING + b"]" * MAX_NESTING, None),
        (b'["' + b"[" * 100 + b'", "\\"[", []]', ["[" * 100, '"[', []]),
        (b"[" + b"[]," * 100 + b"[]]", [[]] * 101),
        (b'{"a": {"a": 1}, "b": {"a": 1}}', {"a": {"a": 1}, "b": {"a": 1}}),
    ],
)
def test_what_is_strict_json_is_read(body: bytes, value: object) -> None:
    assert value is None or read_json(body) == value
    assert read_json(body) is not None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"a": {"hand": [], "b": 1, "hand": 2}}', 'the key "hand" stands twice in one object'),
        (b'{"%b": 1, "%b": 2}' % (b"x" * 60, b"x" * 60), f'the key "{"x" * 24}" stands twice in one object'),
        (b'{"\\ud800": 1, "\\ud800": 2}', r'the key "\ud800" stands twice in one object'),
        (b"{\nx", "Expecting property name enclosed in double quotes at line 2, column 1"),
        (MALFORMED["one level too deep"], "nested more than 32 deep"),
        (MALFORMED["byte order mark"], "it begins with a byte order mark"),
        (b"", "it is empty"),
        (b" \n", "it is empty"),
    ],
)
def test_a_message_tells_what_is_wrong_and_where(body: bytes, message: str) -> None:
    with pytest.raises(MalformedJson) as error:
        read_json(body)
    assert str(error.value) == message


@pytest.mark.parametrize("players", ["1e999", "-0.0", "1E400", "4.000"])
def test_a_number_with_a_fraction_or_exponent_is_of_a_wrong_type(client: FlaskClient, players: str) -> None:
    body = GOOD[:-1] + f', "players": {players}}}'
    response = client.post("/validate", data=body, content_type="application/json")
    assert [error["code"] for error in value_of(response)["errors"]] == ["WRONG_TYPE"]


def padded(size: int) -> bytes:
    return GOOD.encode().ljust(size)


def test_a_body_of_the_limit_is_read_and_one_byte_more_is_not(client: FlaskClient) -> None:
    assert MAX_BODY_BYTES == 64 * 1024
    at_limit = client.post("/validate", data=padded(MAX_BODY_BYTES), content_type="application/json")
    assert at_limit.status_code == 200
    for size in (MAX_BODY_BYTES + 1, MAX_BODY_BYTES + 2, 3_000_000):
        over = client.post("/validate", data=padded(size), content_type="application/json")
        assert (over.status_code, value_of(over)["code"]) == (413, "BODY_TOO_LARGE")


@pytest.mark.parametrize(("size", "status"), [(300, 200), (64 * 1024, 200), (64 * 1024 + 1, 413), (2_000_000, 413)])
def test_the_limit_holds_for_a_body_without_a_length(client: FlaskClient, size: int, status: int) -> None:
    """A chunked body: the server says that it ends the stream, and nobody says how long it is."""
    response = client.post(
        "/validate",
        content_type="application/json",
        input_stream=BytesIO(padded(size)),
        environ_overrides={"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
    )
    assert response.status_code == status


def test_a_stream_that_breaks_is_the_senders_fault(client: FlaskClient) -> None:
    class Broken(BytesIO):
        def read(self, *args: object) -> bytes:
            raise RuntimeError("invalid chunk")

        readinto = read  # type: ignore[assignment]

    response = client.post(
        "/validate",
        content_type="application/json",
        input_stream=Broken(),
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert (response.status_code, value_of(response)["code"]) == (400, "BAD_REQUEST")


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/problem+json",
        "application/json-patch+json",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
        "json",
    ],
)
def test_another_content_type_is_not_read(client: FlaskClient, content_type: str | None) -> None:
    response = client.post("/validate", data=GOOD, content_type=content_type)
    assert (response.status_code, value_of(response)["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON", "application/json; charset=utf-8", 'application/json;charset="UTF-8"'],
)
def test_json_in_utf_8_is_read(client: FlaskClient, content_type: str) -> None:
    assert client.post("/validate", data=GOOD, content_type=content_type).status_code == 200


def test_a_compressed_body_is_not_read(client: FlaskClient) -> None:
    headers = {"Content-Encoding": "gzip"}
    response = client.post("/validate", data=b"\x1f\x8b", content_type="application/json", headers=headers)
    assert response.status_code == 415
