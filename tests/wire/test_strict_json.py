"""Strict JSON: what is not is refused with a message that says where, however hostile it is."""

import json

import pytest

from service.limits import MAX_NESTING
from service.wire.messages.problems import problem_message
from service.wire.strict_json import MalformedJson, read_json
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
def test_what_is_not_strict_json_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        read_json(body)


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
def test_a_message_says_what_is_wrong_and_where(body: bytes, message: str) -> None:
    with pytest.raises(MalformedJson) as error:
        read_json(body)
    detail = problem_message(error.value.key, error.value.details)
    assert detail == f"The body is not the JSON that is asked for: {message}."
