"""Schemas: a request as it is read. `openapi.yaml` says the same for others."""

import json
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate

from service.cards import JOKER_SPELLINGS, JOKER_TURNED_UP, parse_card, parse_rank
from service.rules import RuleSet

# How much of a faulty text is shown back.
_SHOWN: Final = 24


def shown(text: str) -> str:
    """A faulty text as it stands in a message: quoted, and not more of it than helps."""
    return json.dumps(text if len(text) <= _SHOWN else text[:_SHOWN] + "…", ensure_ascii=False)


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
        if value in JOKER_SPELLINGS:
            return JOKER_TURNED_UP
        try:
            return parse_rank(value)
        except ValueError:
            unknown = f"UNKNOWN_RANK: {shown(value)} is neither a rank (A, 2 to 9, T or 10, J, Q, K) nor JOKER."
            raise ValidationError(unknown) from None


class _EachField(fields.List[Any]):
    """A list. Faulty items are all reported, and `blank` stands for them in what was read, so that indices stay."""

    blank: Any = None

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        read, faults = [], {}
        for index, item in enumerate(value):
            try:
                read.append(self.inner.deserialize(item))
            except ValidationError as error:
                faults[index] = error.messages
                read.append(error.valid_data or self.blank)
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


class RequestSchema(Schema):
    """A request, read card by card. Whether its fields fit together is not checked here; null stands for absent."""

    error_messages = {"unknown": "UNKNOWN_FIELD: No such field."}  # noqa: RUF012 (marshmallow declares it so)

    rule_set = fields.String(required=True, error_messages=_messages("the name of a rule set"))
    wild_rank = WildRankField(allow_none=True, error_messages=_messages("a rank as a text, JOKER, or null"))
    hand = CardsField(
        CardField(error_messages=_messages("a card as a text")),
        required=True,
        error_messages=_messages("a list of cards"),
    )
    groups = GroupsField(
        CardsField(
            CardField(error_messages=_messages("a card as a text")),
            validate=validate.Length(min=1, error="WRONG_TYPE: A group must have at least one card."),
            error_messages=_messages("a list of cards"),
        ),
        allow_none=True,
        error_messages=_messages("a list of groups, or null"),
    )
    finish_card = CardField(allow_none=True, error_messages=_messages("a card as a text, or null"))
    players = fields.Integer(
        strict=True, allow_none=True, error_messages=_messages("a whole number without a fraction, or null")
    )


REQUEST_SCHEMA: Final = RequestSchema()


class TruthField(fields.Boolean):
    """True or false, and not what could pass for them: 1, "on"."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value


class VerifySchema(Schema):
    """A signed verdict that is to be verified, and whether it is to be judged again."""

    error_messages = {"unknown": "UNKNOWN_FIELD: No such field."}  # noqa: RUF012 (marshmallow declares it so)

    attestation = fields.String(required=True, error_messages=_messages("an attestation as a text"))
    replay = TruthField(load_default=False, error_messages=_messages("true or false"))


VERIFY_SCHEMA: Final = VerifySchema()


def dump_rule_set(rules: RuleSet) -> dict[str, Any]:
    """Which rule set it is: name, version and digest."""
    return {"name": rules.name, "version": rules.version, "digest": rules.digest}
