"""Strict JSON: what `json.loads` lets pass or trips over is refused here, always in the same way."""

import json
from collections import Counter
from typing import Final

from service.limits import MAX_NESTING
from service.wire.messages.sentences import NO_DETAILS, Details


class MalformedJson(ValueError):
    """The body is not the JSON that the contract asks for; the key of a problem and its details say why."""

    def __init__(self, key: str, details: Details = NO_DETAILS) -> None:
        super().__init__(key)
        self.key = key
        self.details = details


def read_json(body: bytes) -> object:
    """The JSON value in `body`; raises `MalformedJson`.

    Refused, beside what is no JSON: duplicate keys, NaN and infinities, nesting deeper than `MAX_NESTING`, a byte
    order mark, text that is not UTF-8, lone surrogates, numbers with thousands of digits.
    """
    try:
        text = body.decode()
        value: object = _DECODER.decode(text)
        if text.count("[") + text.count("{") > MAX_NESTING:
            _check_nesting(value)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedJson("MALFORMED_JSON.LONE_SURROGATE") from None
    except UnicodeDecodeError as error:
        raise MalformedJson("MALFORMED_JSON.NOT_UTF_8", {"byte": error.start}) from None
    except json.JSONDecodeError as error:
        raise _syntax_error(error) from None
    except RecursionError:
        raise _too_deep() from None
    except MalformedJson:
        raise
    except ValueError:
        raise MalformedJson("MALFORMED_JSON.NUMBER_TOO_LONG") from None
    return value


def _syntax_error(error: json.JSONDecodeError) -> MalformedJson:
    """Why a text is no JSON at all."""
    if not error.doc.strip():
        return MalformedJson("MALFORMED_JSON.EMPTY")
    if error.doc.startswith("\ufeff"):
        return MalformedJson("MALFORMED_JSON.BYTE_ORDER_MARK")
    return MalformedJson("MALFORMED_JSON.SYNTAX", {"found": error.msg, "line": error.lineno, "column": error.colno})


def _too_deep() -> MalformedJson:
    return MalformedJson("MALFORMED_JSON.TOO_DEEP", {"most": MAX_NESTING})


def _check_nesting(value: object) -> None:
    level = [value]
    for _ in range(MAX_NESTING):
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise _too_deep()


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise MalformedJson("MALFORMED_JSON.REPEATED_KEY", {"key": twice})
    return made


def _constant(name: str) -> object:
    raise MalformedJson("MALFORMED_JSON.NO_NUMBER", {"name": name})


# Made once: `json.loads` makes one for every text.
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
