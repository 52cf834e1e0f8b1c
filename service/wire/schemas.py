"""Schemas: a request as it is read. `openapi.yaml` says the same for others."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, Final, TypeVar

from marshmallow import Schema, ValidationError, fields, pre_load, validate

from service.game.cards import parse_card, parse_turned_up
from service.game.rules import MatchFormat, RuleSet
from service.game.settlement import Drop
from service.game.verdict import Judged
from service.limits import MAX_DEALS, MAX_FAULTS, MAX_PLAYER_ID_CHARACTERS, MAX_PLAYERS, MAX_POINTS
from service.wire.faults import shown

_Key = TypeVar("_Key", int, str)

_WRONG_ID: Final = f"WRONG_TYPE: The id of a player must have 1 to {MAX_PLAYER_ID_CHARACTERS} characters."


def _messages(wanted: str) -> dict[str, Any]:
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
        super().__init__(error_messages=_messages(wanted), **kwargs)
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
        super().__init__(strict=True, validate=bounds, error_messages=_messages(wanted), **kwargs)


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
            raise ValidationError(_WRONG_ID)
        return self.value_field.deserialize(total) if self.value_field else total


def _rule_set() -> fields.String:
    return fields.String(required=True, error_messages=_messages("the name of a rule set"))


def _wild_rank() -> WildRankField:
    return WildRankField(allow_none=True, error_messages=_messages("a rank as a text, JOKER, or null"))


def _hand(required: bool) -> CardsField:
    return CardsField(
        CardField(error_messages=_messages("a card as a text")),
        required=required,
        allow_none=not required,
        error_messages=_messages("a list of cards"),
    )


def _groups() -> GroupsField:
    return GroupsField(
        CardsField(
            CardField(error_messages=_messages("a card as a text")),
            validate=validate.Length(min=1, error="WRONG_TYPE: A group must have at least one card."),
            error_messages=_messages("a list of cards"),
        ),
        allow_none=True,
        error_messages=_messages("a list of groups, or null"),
    )


def _finish_card() -> CardField:
    return CardField(allow_none=True, error_messages=_messages("a card as a text, or null"))


class _StrictSchema(Schema):
    """Fields that are not known are faults; null stands for absent."""

    error_messages = {"unknown": "UNKNOWN_FIELD: No such field."}  # noqa: RUF012 (marshmallow declares it so)

    @pre_load
    def _leave_out_what_is_not_told(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        if len(data) <= len(self.fields) + MAX_FAULTS:
            return data
        unknown = [name for name in data if name not in self.fields]
        left_out = {*unknown[MAX_FAULTS + 1 :]}
        return {name: value for name, value in data.items() if name not in left_out}


class RequestSchema(_StrictSchema):
    """A question about one hand, read card by card. Whether its fields fit together is not checked here."""

    rule_set = _rule_set()
    wild_rank = _wild_rank()
    hand = _hand(required=True)
    groups = _groups()
    finish_card = _finish_card()
    players = fields.Integer(
        strict=True, allow_none=True, error_messages=_messages("a whole number without a fraction, or null")
    )


class PlayerSchema(_StrictSchema):
    """A player of a deal."""

    id = fields.String(
        required=True,
        validate=validate.Length(1, MAX_PLAYER_ID_CHARACTERS, error=_WRONG_ID),
        error_messages=_messages("a text"),
    )
    hand = _hand(required=False)
    groups = _groups()
    finish_card = _finish_card()
    dropped = ChoiceField(Drop, allow_none=True)


class MatchSchema(_StrictSchema):
    """A match before the deal."""

    format = ChoiceField(MatchFormat, required=True)
    limit = WholeNumberField(1, MAX_POINTS, allow_none=True)
    deals_left = WholeNumberField(1, MAX_DEALS, allow_none=True)
    totals = TotalsField(required=True, error_messages=_messages("an object with a total for each player"))


class DealSchema(_StrictSchema):
    """A deal that is to be settled. Whether its parts fit together is not checked here."""

    rule_set = _rule_set()
    wild_rank = _wild_rank()
    players = PlayersField(
        ObjectField(PlayerSchema, error_messages=_messages("an object with an id, and a hand or a drop")),
        required=True,
        error_messages=_messages("a list of players"),
    )
    declarer = fields.String(allow_none=True, error_messages=_messages("the id of a player, or null"))
    arrange = ChoiceField(Judged, allow_none=True)
    match = ObjectField(MatchSchema, allow_none=True, error_messages=_messages("an object, or null"))


REQUEST_SCHEMA: Final = RequestSchema()
DEAL_SCHEMA: Final = DealSchema()


class TruthField(fields.Boolean):
    """True or false, and not what could pass for them: 1, "on"."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value


class VerifySchema(_StrictSchema):
    """A signed verdict that is to be verified, and whether it is to be judged again."""

    attestation = fields.String(required=True, error_messages=_messages("an attestation as a text"))
    replay = TruthField(load_default=False, error_messages=_messages("true or false"))


VERIFY_SCHEMA: Final = VerifySchema()


def dump_rule_set(rules: RuleSet) -> dict[str, Any]:
    """Which rule set it is: name, version and digest."""
    return {"name": rules.name, "version": rules.version, "digest": rules.digest}
