"""Strict JSON: what `json.loads` lets pass or trips over is refused here, always in the same way."""

import json
from collections import Counter
from typing import Final

from service.limits import MAX_NESTING, MAX_QUOTED_CHARACTERS

_TOO_DEEP: Final = f"nested more than {MAX_NESTING} deep"


class MalformedJson(ValueError):
    """The body is not the JSON that the contract asks for; the message says why."""


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
        raise MalformedJson("a lone surrogate is no text") from None
    except UnicodeDecodeError as error:
        raise MalformedJson(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise MalformedJson(_why(error)) from None
    except RecursionError:
        raise MalformedJson(_TOO_DEEP) from None
    except MalformedJson:
        raise
    except ValueError:
        raise MalformedJson("a number has too many digits") from None
    return value


def _why(error: json.JSONDecodeError) -> str:
    """Why a text is no JSON at all."""
    if not error.doc.strip():
        return "it is empty"
    if error.doc.startswith("\ufeff"):
        return "it begins with a byte order mark"
    return f"{error.msg} at line {error.lineno}, column {error.colno}"


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
    raise MalformedJson(_TOO_DEEP)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise MalformedJson(f"the key {json.dumps(twice[:MAX_QUOTED_CHARACTERS])} stands twice in one object")
    return made


def _constant(name: str) -> object:
    raise MalformedJson(f"{name} is no JSON number")


# Made once: `json.loads` makes one for every text.
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
