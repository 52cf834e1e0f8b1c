"""Schemas: the structure of a request, and a verdict in its JSON form. `openapi.yaml` says the same for others."""

from typing import Any, Final

from marshmallow import Schema, fields, validate

from service.arrangement import Arrangement
from service.cards import Card, Rank
from service.reasons import Reason
from service.rules import RuleSet
from service.verdict import Verdict


def _messages(wanted: str) -> dict[str, Any]:
    """A field's messages in place of marshmallow's own: the code of the fault, then its detail."""
    wrong = f"WRONG_TYPE: Must be {wanted}."
    return {"required": "MISSING_FIELD: Must be given.", "invalid": wrong, "null": wrong}


def _card_field() -> fields.String:
    return fields.String(error_messages=_messages("a card as a text"))


class RequestSchema(Schema):
    """The structure of a request. What the texts in it say is not checked here; null stands for absent."""

    error_messages = {"unknown": "UNKNOWN_FIELD: No such field."}  # noqa: RUF012 (marshmallow declares it so)

    rule_set = fields.String(required=True, error_messages=_messages("the name of a rule set"))
    wild_rank = fields.String(allow_none=True, error_messages=_messages("a rank as a text, JOKER, or null"))
    hand = fields.List(_card_field(), required=True, error_messages=_messages("a list of cards"))
    groups = fields.List(
        fields.List(
            _card_field(),
            validate=validate.Length(min=1, error="WRONG_TYPE: A group must have at least one card."),
            error_messages=_messages("a list of cards"),
        ),
        allow_none=True,
        error_messages=_messages("a list of groups, or null"),
    )
    finish_card = fields.String(allow_none=True, error_messages=_messages("a card as a text, or null"))
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
