"""Plain requests: a question about one hand in which nothing is wrong, read in one go.

Nearly all are. What is not read here is left to the schema, which takes several times as long and knows every fault.
"""

from typing import Any, Final

from service.game.cards import Card, parse_card, parse_turned_up

_MAY_BE_NULL: Final = ("wild_rank", "groups", "finish_card", "players")


def read_plain(value: dict[str, Any]) -> dict[str, Any] | None:
    """The fields of a request as `RequestSchema` reads them; None where anything in it is not as it should be."""
    try:
        if isinstance(value["rule_set"], str) and "hand" in value:
            return {name: _read(name, given) for name, given in value.items()}
    except (KeyError, TypeError, ValueError):
        pass
    return None


def _read(name: str, given: Any) -> Any:  # noqa: ANN401
    if name == "hand":
        return _cards(given)
    if name == "rule_set" or (given is None and name in _MAY_BE_NULL):
        return given
    if name == "wild_rank":
        return parse_turned_up(given)
    if name == "groups":
        return _groups(given)
    if name == "finish_card":
        return parse_card(given)
    if name == "players" and type(given) is int:
        return given
    raise ValueError(name)


def _groups(given: Any) -> list[list[Card]]:  # noqa: ANN401
    if not isinstance(given, list) or [] in given:
        raise TypeError
    return [_cards(group) for group in given]


def _cards(given: Any) -> list[Card]:  # noqa: ANN401
    if not isinstance(given, list):
        raise TypeError
    return [parse_card(text) for text in given]
