"""Schemas: a request as it is read, and a verdict in its JSON form. `openapi.yaml` says the same for others."""

import json
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate

from service.arrangement import Arrangement
from service.cards import JOKER_TURNED_UP, Card, Rank, parse_card, parse_rank
from service.reasons import Reason
from service.rules import RuleSet
from service.verdict import Verdict

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
        if value in ("JOKER", "joker", "Joker"):
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


def dump_rule_set(rules: RuleSet) -> dict[str, Any]:
    """Which rule set it is: name, version and digest."""
    return {"name": rules.name, "version": rules.version, "digest": rules.digest}


def dump_verdict(verdict: Verdict) -> dict[str, Any]:
    """The JSON form of a verdict: plain values, keys in the order of the contract."""
    question = verdict.question
    turned_up = question.turned_up
    show = verdict.wrong_show is not None
    return {
        "rule_set": dump_rule_set(question.rules),
        "wild_rank": turned_up.letter if isinstance(turned_up, Rank) else turned_up,
        "judged": verdict.judged,
        "valid": verdict.valid,
        **({"wrong_show": verdict.wrong_show} if show else {}),
        "points": verdict.points,
        **({"deal": verdict.deal} if show else {}),
        "reasons": _dump_reasons(verdict.reasons),
        "submitted": None if verdict.submitted is None else _dump_arrangement(verdict.submitted),
        "best": _dump_arrangement(verdict.best),
    }


def _dump_arrangement(arrangement: Arrangement) -> dict[str, Any]:
    return {
        "declarable": arrangement.declarable,
        "points": arrangement.points,
        "groups": [
            {
                "kind": group.kind.value,
                "life": group.life,
                "cards": _codes(group.cards),
                "plays_as": None if group.plays_as is None else _codes(group.plays_as),
            }
            for group in arrangement.groups
        ],
        "ungrouped": _codes(arrangement.ungrouped),
        "charges": [{"card": charge.card.code, "points": charge.points} for charge in arrangement.charges],
        "reasons": _dump_reasons(arrangement.reasons),
    }


def _dump_reasons(reasons: tuple[Reason, ...]) -> list[dict[str, Any]]:
    return [
        {"code": reason.code, "message": reason.message, "group": reason.group, "cards": _codes(reason.cards)}
        for reason in reasons
    ]


def _codes(cards: tuple[Card, ...]) -> list[str]:
    return [card.code for card in cards]
