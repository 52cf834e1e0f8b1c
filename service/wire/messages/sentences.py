"""Sentences: templates with named placeholders, and the ways in which a placeholder writes its detail."""

import json
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from service.game.cards import Card, name_cards
from service.limits import MAX_QUOTED_CHARACTERS

# Plain values by name: texts, numbers, lists of texts or numbers.
Details = Mapping[str, Any]
NO_DETAILS: Final[Details] = MappingProxyType({})

T = TypeVar("T")

# How often a card stands in a hand.
_TIMES: Final = {0: "not at all", 1: "once", 2: "twice"}
_MANY_TIMES: Final = "{count} times"
_EITHER: Final = "{others} or {last}"
_BOTH: Final = "{others} and {last}"
_EMPTY_GROUP: Final = "an empty group"


def _shown(text: str) -> str:
    """A faulty text, quoted, and not more of it than helps."""
    kept = text if len(text) <= MAX_QUOTED_CHARACTERS else text[:MAX_QUOTED_CHARACTERS] + "…"
    return json.dumps(kept, ensure_ascii=False)


def _escaped(text: str) -> str:
    """The beginning of a text that might not be encodable, in ASCII."""
    return json.dumps(text[:MAX_QUOTED_CHARACTERS])


def _listed(values: Sequence[Any]) -> str:
    return ", ".join([str(value) for value in values])


def _either(values: Sequence[Any]) -> str:
    written = str(values[0])
    for value in values[1:]:
        written = _EITHER.format(others=written, last=value)
    return written


def list_cards(cards: Sequence[Card]) -> str:
    """Cards in the middle of a sentence: "5♦, 6♦ and 7♦"."""
    names = [card.symbol for card in cards]
    return _BOTH.format(others=", ".join(names[:-1]), last=names[-1]) if len(names) > 1 else "".join(names)


def list_groups(groups: Sequence[Sequence[Card]]) -> str:
    """Groups one after the other: "5♦ 6♦; 9♠ 9♥"."""
    return "; ".join([name_cards(group) or _EMPTY_GROUP for group in groups])


def _times(count: int) -> str:
    return _TIMES.get(count) or _MANY_TIMES.format(count=count)


def _size(count: int) -> str:
    return f"{count // 1024} KiB" if count < 1024 * 1024 else f"{count // (1024 * 1024)} MiB"


# By what stands behind the colon of a placeholder.
_FORMS: Final[dict[str, Callable[[Any], str]]] = {
    "": str,
    "shown": _shown,
    "escaped": _escaped,
    "listed": _listed,
    "either": _either,
    "times": _times,
    "size": _size,
}


def write_detail(name: str, form: str) -> Callable[[Details], str]:
    """What a placeholder stands for among details: the one of its name, in its form."""
    write = _FORMS[form]
    return lambda details: write(details[name])


class Sentences(Generic[T]):
    """A table of templates by key, each taken apart once; `part` gives what a placeholder stands for.

    It gets the name and the form of the placeholder, and returns a function of what a sentence is about.
    """

    def __init__(self, templates: Mapping[str, str], part: Callable[[str, str], Callable[[T], str]]) -> None:
        self._pieces: Final = {
            key: [
                (text, None if name is None else part(name, form or ""))
                for text, name, form, _ in Formatter().parse(template)
            ]
            for key, template in templates.items()
        }

    def message(self, key: str, subject: T) -> str:
        """The sentence of a key; raises `KeyError` for a key or a detail that is not there."""
        words = []
        for text, part in self._pieces[key]:
            words.append(text)
            if part is not None:
                words.append(part(subject))
        return "".join(words)
