"""Fields: how each kind of value in a request is read, and the key of the fault where it cannot be."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, TypeVar

from marshmallow import ValidationError, fields

from service.game.cards import parse_card, parse_turned_up
from service.limits import MAX_FAULTS, MAX_PLAYER_ID_CHARACTERS, MAX_PLAYERS, MAX_POINTS
from service.wire.messages.sentences import NO_DETAILS, Details

_Key = TypeVar("_Key", int, str)


def keys(wrong_type: str, details: Details = NO_DETAILS) -> dict[str, Any]:
    """A field's messages, in place of marshmallow's own: keys of faults, or lists of pairs of a key and its details."""
    wrong = [(wrong_type, details)] if details else wrong_type
    return {"required": "MISSING_FIELD", "invalid": wrong, "null": wrong}


class CardField(fields.String):
    """A card, in any accepted spelling."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        try:
            return parse_card(value)
        except ValueError:
            raise ValidationError([("UNKNOWN_CARD", {"text": value})]) from None


class WildRankField(fields.String):
    """A rank, or "JOKER" for a printed joker that was turned up."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        try:
            return parse_turned_up(value)
        except ValueError:
            raise ValidationError([("UNKNOWN_RANK", {"text": value})]) from None


def _read_each(
    items: Iterable[tuple[_Key, Any]], read: Callable[[_Key, Any], Any]
) -> tuple[dict[_Key, Any], dict[_Key, Any]]:
    """What can be read of each item, and what is faulty in it, by its key; none is read after `MAX_FAULTS` faults."""
    good: dict[_Key, Any] = {}
    faults: dict[_Key, Any] = {}
    count = 0
    for key, item in items:
        if count > MAX_FAULTS:
            break
        try:
            good[key] = read(key, item)
        except ValidationError as error:
            faults[key] = error.messages
            count += _count(error.messages)
            if error.valid_data:
                good[key] = error.valid_data
    return good, faults


def _count(messages: Any) -> int:
    return sum(map(_count, messages.values())) if isinstance(messages, dict) else len(messages)


class _EachField(fields.List[Any]):
    """A list. Faulty items are all reported, and `blank` stands for them in what was read, so that indices stay."""

    blank: Any = None

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        good, faults = _read_each(enumerate(value), lambda _, item: self.inner.deserialize(item))
        read = [good.get(index, self.blank) for index in range(len(value))]
        if faults:
            raise ValidationError(faults, valid_data=read)
        return read


class CardsField(_EachField):
    """A list of cards."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[Any]:
        if isinstance(value, list):
            try:
                return [parse_card(text) for text in value]
            except (TypeError, ValueError):
                pass  # reported item by item
        return super()._deserialize(value)


class GroupsField(_EachField):
    """A list of groups, each of them a list of cards."""

    blank = ()


class ChoiceField(fields.String):
    """One of a few words, in capitals."""

    def __init__(self, choices: type[StrEnum], **kwargs: Any) -> None:
        super().__init__(error_messages=keys("WRONG_TYPE.WORD", {"known": list(choices)}), **kwargs)
        self.choices = choices

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        try:
            return self.choices(value)
        except ValueError:
            raise ValidationError([("UNKNOWN_VALUE", {"value": value, "known": list(self.choices)})]) from None


class WholeNumberField(fields.Integer):
    """A whole number within bounds, written without a fraction."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        wrong = keys("WRONG_TYPE.WHOLE_NUMBER", {"low": low, "high": high})
        super().__init__(strict=True, error_messages=wrong, **kwargs)
        self.low, self.high = low, high

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        number = super()._deserialize(value, *args, **kwargs)
        if not self.low <= number <= self.high:
            raise self.make_error("invalid")
        return number


class PlayerIdField(fields.String):
    """The id of a player."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(error_messages=keys("WRONG_TYPE.TEXT"), **kwargs)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, *args, **kwargs)
        if not 1 <= len(text) <= MAX_PLAYER_ID_CHARACTERS:
            raise ValidationError([("WRONG_TYPE.PLAYER_ID", {"most": MAX_PLAYER_ID_CHARACTERS})])
        return text


class ObjectField(fields.Nested):
    """An object that has a schema of its own."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise self.make_error("invalid")
        return super()._deserialize(value, *args, **kwargs)


class PlayersField(_EachField):
    """A list of objects; one far too long for any table is not read."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[Any]:
        if isinstance(value, list):
            _check_players(len(value))
        return super()._deserialize(value)


def _check_players(count: int) -> None:
    if count > MAX_PLAYERS:
        raise ValidationError([("WRONG_PLAYERS.ANY_MATCH", {"count": count})])


class TotalsField(fields.Dict):
    """The total of each player, by id. Faulty ones are all reported, and left out of what was read."""

    def __init__(self, **kwargs: Any) -> None:
        self.id, self.total = PlayerIdField(), WholeNumberField(0, MAX_POINTS)
        super().__init__(keys=self.id, values=self.total, error_messages=keys("WRONG_TYPE.TOTALS"), **kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.make_error("invalid")
        _check_players(len(value))
        read, faults = _read_each(value.items(), self._read_total)
        if faults:
            raise ValidationError(faults, valid_data=read)
        return read

    def _read_total(self, id_: str, total: Any) -> Any:
        self.id.deserialize(id_)
        return self.total.deserialize(total)


class TruthField(fields.Boolean):
    """True or false, and not what could pass for them: 1, "on"."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value
