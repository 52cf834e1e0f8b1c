"""Fields: how each kind of value in a request is read, and what is said where it cannot be."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, Final, TypeVar

from marshmallow import ValidationError, fields, validate

from service.game.cards import parse_card, parse_turned_up
from service.limits import MAX_FAULTS, MAX_PLAYER_ID_CHARACTERS, MAX_PLAYERS, MAX_POINTS
from service.wire.faults import shown

_Key = TypeVar("_Key", int, str)

WRONG_ID: Final = f"WRONG_TYPE: The id of a player must have 1 to {MAX_PLAYER_ID_CHARACTERS} characters."


def error_messages_of(wanted: str) -> dict[str, Any]:
    """A field's messages in place of marshmallow's own: the code of the fault, then its detail."""
    wrong = f"WRONG_TYPE: Must be {wanted}."
    return {"required": "MISSING_FIELD: Must be given.", "invalid": wrong, "null": wrong}


class CardField(fields.String):
    """A card, in any accepted spelling."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        try:
            return parse_card(value)
        except ValueError:
            unknown = f'UNKNOWN_CARD: {shown(value)} is not a card: a rank and a suit ("TH"), or "JOKER".'
            raise ValidationError(unknown) from None


class WildRankField(fields.String):
    """A rank, or "JOKER" for a printed joker that was turned up."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        try:
            return parse_turned_up(value)
        except ValueError:
            unknown = f"UNKNOWN_RANK: {shown(value)} is neither a rank (A, 2 to 9, T or 10, J, Q, K) nor JOKER."
            raise ValidationError(unknown) from None


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
                pass  # told item by item
        return super()._deserialize(value)


class GroupsField(_EachField):
    """A list of groups, each of them a list of cards."""

    blank = ()


class ChoiceField(fields.String):
    """One of a few words, in capitals."""

    def __init__(self, choices: type[StrEnum], **kwargs: Any) -> None:
        wanted = f"one of {', '.join(choices)}"
        super().__init__(error_messages=error_messages_of(wanted), **kwargs)
        self.choices = choices

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        try:
            return self.choices(value)
        except ValueError:
            known = ", ".join(self.choices)
            raise ValidationError(f"UNKNOWN_VALUE: {shown(value)} is not one of {known}.") from None


class WholeNumberField(fields.Integer):
    """A whole number within bounds, written without a fraction."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        wanted = f"a whole number from {low} to {high}, without a fraction"
        bounds = validate.Range(low, high, error=f"WRONG_TYPE: Must be {wanted}.")
        super().__init__(strict=True, validate=bounds, error_messages=error_messages_of(wanted), **kwargs)


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
        raise ValidationError(f"WRONG_PLAYERS: {count} are more than can play in any match.")


class TotalsField(fields.Dict):
    """The total of each player, by id. Faulty ones are all reported, and left out of what was read."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(values=WholeNumberField(0, MAX_POINTS), **kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.make_error("invalid")
        _check_players(len(value))
        read, faults = _read_each(value.items(), self._total)
        if faults:
            raise ValidationError(faults, valid_data=read)
        return read

    def _total(self, id_: str, total: Any) -> Any:
        if not 1 <= len(id_) <= MAX_PLAYER_ID_CHARACTERS:
            raise ValidationError(WRONG_ID)
        return self.value_field.deserialize(total) if self.value_field else total


class TruthField(fields.Boolean):
    """True or false, and not what could pass for them: 1, "on"."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value
