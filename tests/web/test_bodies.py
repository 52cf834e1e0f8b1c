"""Bodies: how large, of what type, and what becomes of one that is not JSON."""

import json
from io import BytesIO

import pytest
from flask.testing import FlaskClient

from service.limits import MAX_BODY_BYTES
from tests.contract import value_of
from tests.examples import question


@pytest.mark.parametrize("players", ["1e999", "-0.0", "1E400", "4.000"])
def test_a_fraction_is_of_a_wrong_type(client: FlaskClient, players: str) -> None:
    """And so is a number with an exponent."""
    body = GOOD[:-1] + f', "players": {players}}}'
    response = client.post("/validate", data=body, content_type="application/json")
    assert [error["code"] for error in value_of(response)["errors"]] == ["WRONG_TYPE"]


GOOD = json.dumps(question())


@pytest.mark.parametrize("body", [b"", b"[" * 60_000, b'{"hand": 1, "hand": 1}', b"\xff"])
def test_a_body_that_is_not_strict_json_is_a_problem(client: FlaskClient, body: bytes) -> None:
    response = client.post("/validate", data=body, content_type="application/json")
    assert (response.status_code, value_of(response)["code"]) == (400, "MALFORMED_JSON")
    assert value_of(response)["detail"].startswith("The body is not the JSON that is asked for: ")
    assert client.post("/validate", data=GOOD, content_type="application/json").status_code == 200


def padded(size: int) -> bytes:
    return GOOD.encode().ljust(size)


def test_the_limit_of_a_body(client: FlaskClient) -> None:
    """One of 64 KiB is read, and a byte more is not."""
    assert MAX_BODY_BYTES == 64 * 1024
    at_limit = client.post("/validate", data=padded(MAX_BODY_BYTES), content_type="application/json")
    assert at_limit.status_code == 200
    for size in (MAX_BODY_BYTES + 1, MAX_BODY_BYTES + 2, 3_000_000):
        over = client.post("/validate", data=padded(size), content_type="application/json")
        assert (over.status_code, value_of(over)["code"]) == (413, "BODY_TOO_LARGE")


@pytest.mark.parametrize(
    ("size", "status"), [(300, 200), (MAX_BODY_BYTES, 200), (MAX_BODY_BYTES + 1, 413), (2_000_000, 413)]
)
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
