"""Schemas: a request as it is read. `openapi.yaml` says the same for others."""

from typing import Any, Final

from marshmallow import Schema, fields, pre_load, validate

from service.game.rules import MatchFormat
from service.game.settlement import Drop
from service.game.verdict import Judged
from service.limits import MAX_DEALS, MAX_FAULTS, MAX_POINTS
from service.wire.fields import (
    CardField,
    CardsField,
    ChoiceField,
    GroupsField,
    ObjectField,
    PlayerIdField,
    PlayersField,
    TotalsField,
    TruthField,
    WholeNumberField,
    WildRankField,
    keys,
)


def _rule_set() -> fields.String:
    return fields.String(required=True, error_messages=keys("WRONG_TYPE.RULE_SET"))


def _wild_rank() -> WildRankField:
    return WildRankField(allow_none=True, error_messages=keys("WRONG_TYPE.WILD_RANK"))


def _hand(required: bool) -> CardsField:
    return CardsField(
        CardField(error_messages=keys("WRONG_TYPE.CARD")),
        required=required,
        allow_none=not required,
        error_messages=keys("WRONG_TYPE.CARDS"),
    )


def _groups() -> GroupsField:
    return GroupsField(
        CardsField(
            CardField(error_messages=keys("WRONG_TYPE.CARD")),
            validate=validate.Length(min=1, error="WRONG_TYPE.EMPTY_GROUP"),
            error_messages=keys("WRONG_TYPE.CARDS"),
        ),
        allow_none=True,
        error_messages=keys("WRONG_TYPE.GROUPS"),
    )


def _finish_card() -> CardField:
    return CardField(allow_none=True, error_messages=keys("WRONG_TYPE.CARD_OR_NULL"))


class _StrictSchema(Schema):
    """Fields that are not known are faults; null stands for absent."""

    error_messages = {"unknown": "UNKNOWN_FIELD"}  # noqa: RUF012 (marshmallow declares it so)

    @pre_load
    def _leave_out_what_is_not_listed(self, data: dict[str, Any], **_: object) -> dict[str, Any]:
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
    players = fields.Integer(strict=True, allow_none=True, error_messages=keys("WRONG_TYPE.PLAYER_COUNT"))


class PlayerSchema(_StrictSchema):
    """A player of a deal."""

    id = PlayerIdField(required=True)
    hand = _hand(required=False)
    groups = _groups()
    finish_card = _finish_card()
    dropped = ChoiceField(Drop, allow_none=True)


class MatchSchema(_StrictSchema):
    """A match before the deal."""

    format = ChoiceField(MatchFormat, required=True)
    limit = WholeNumberField(1, MAX_POINTS, allow_none=True)
    deals_left = WholeNumberField(1, MAX_DEALS, allow_none=True)
    totals = TotalsField(required=True)


class DealSchema(_StrictSchema):
    """A deal to settle. Whether its parts fit together is not checked here."""

    rule_set = _rule_set()
    wild_rank = _wild_rank()
    players = PlayersField(
        ObjectField(PlayerSchema, error_messages=keys("WRONG_TYPE.PLAYER")),
        required=True,
        error_messages=keys("WRONG_TYPE.PLAYERS"),
    )
    declarer = fields.String(allow_none=True, error_messages=keys("WRONG_TYPE.DECLARER"))
    arrange = ChoiceField(Judged, allow_none=True)
    match = ObjectField(MatchSchema, allow_none=True, error_messages=keys("WRONG_TYPE.MATCH"))


REQUEST_SCHEMA: Final = RequestSchema()
DEAL_SCHEMA: Final = DealSchema()


class VerifySchema(_StrictSchema):
    """A signed verdict to verify, and whether to judge it again."""

    attestation = fields.String(required=True, error_messages=keys("WRONG_TYPE.ATTESTATION"))
    replay = TruthField(load_default=False, error_messages=keys("WRONG_TYPE.REPLAY"))


VERIFY_SCHEMA: Final = VerifySchema()
