"""Attestations: what a signed verdict says, or why it proves nothing.

Nothing in a token counts until its signature has been checked, with a key of this service and always with Ed25519.
"""

import base64
import hashlib
from binascii import Error
from typing import Any, Final, NamedTuple

from joserfc import jws
from joserfc.errors import BadSignatureError, JoseError
from marshmallow import Schema, fields, validate

from service.game.canonical import canonical_json
from service.game.cards import CARD_PATTERN, JOKER, RANK_PATTERN
from service.game.verdict import JUDGES, DealState, Judged
from service.signing.keys import ALGORITHM, TYPE, KeyRing, PublicKey, encode
from service.wire.fields import TruthField
from service.wire.messages.sentences import NO_DETAILS, Details
from service.wire.strict_json import MalformedJson, read_json


class BadAttestation(ValueError):
    """An attestation that proves nothing: the key of a fault and its details say why."""

    def __init__(self, key: str, details: Details = NO_DETAILS) -> None:
        super().__init__(key)
        self.key = key
        self.details = details


class Attested(NamedTuple):
    """A statement, as its canonical text and as a value, and the id of the key that signed it."""

    kid: str
    text: str
    statement: dict[str, Any]


def verdict_id(statement: str) -> str:
    """The identity of a verdict: the SHA-256 of its statement's canonical text."""
    return hashlib.sha256(statement.encode()).hexdigest()


def open_attestation(token: str, keys: KeyRing) -> Attested:
    """What an attestation says; raises `BadAttestation` unless one of the `keys` signed it and it is a verdict."""
    header, payload = _parts(token)
    key = _key(header, keys)
    try:
        jws.deserialize_compact(token, key.key, algorithms=[ALGORITHM])
    except BadSignatureError:
        raise BadAttestation("BAD_SIGNATURE") from None
    except (JoseError, ValueError):
        raise BadAttestation("MALFORMED_TOKEN") from None
    return _attested(key.kid, header, payload)


def _parts(token: str) -> tuple[dict[str, Any], bytes]:
    parts = token.split(".")
    if len(parts) != 3:
        raise BadAttestation("MALFORMED_TOKEN.PARTS", {"count": len(parts)})
    header = _decode(parts[0], "MALFORMED_TOKEN.HEADER")
    try:
        value = read_json(header)
    except MalformedJson:
        value = None
    if not isinstance(value, dict):
        raise BadAttestation("MALFORMED_TOKEN.HEADER_TYPE")
    # The payload and the signature are read only under a header that names the algorithm.
    if value.get("alg") != ALGORITHM:
        raise BadAttestation("WRONG_ALGORITHM", {"algorithm": ALGORITHM})
    payload = _decode(parts[1], "MALFORMED_TOKEN.PAYLOAD")
    _decode(parts[2], "MALFORMED_TOKEN.SIGNATURE")
    if not value.keys() <= {"alg", "kid", "typ"}:
        raise BadAttestation("MALFORMED_TOKEN.HEADER_FIELDS")
    return value, payload


def _decode(text: str, fault: str) -> bytes:
    """The bytes of a part; each has one valid spelling only, and `fault` is the key for all others."""
    try:
        data = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (Error, UnicodeEncodeError):
        data = None
    if data is None or encode(data) != text:
        raise BadAttestation(fault)
    return data


def _key(header: dict[str, Any], keys: KeyRing) -> PublicKey:
    kid = header.get("kid")
    key = keys.public.get(kid) if isinstance(kid, str) else None
    if key is None:
        raise BadAttestation("UNKNOWN_KEY")
    return key


def _attested(kid: str, header: dict[str, Any], payload: bytes) -> Attested:
    """The statement in a payload whose signature is good. The same key may also have signed something else."""
    try:
        value = read_json(payload)
    except MalformedJson:
        value = None
    verdict = header.get("typ") == TYPE and isinstance(value, dict) and not _STATEMENT.validate(value)
    if not verdict or not isinstance(value, dict) or canonical_json(value).encode() != payload:
        raise BadAttestation("NOT_A_VERDICT")
    return Attested(kid, payload.decode(), value)


def _text(pattern: str, *, allow_none: bool = False) -> fields.String:
    return fields.String(required=True, allow_none=allow_none, validate=validate.Regexp(pattern + r"\Z"))


def _number(*, low: int, allow_none: bool = False) -> fields.Integer:
    # Whole numbers up to this one are exact in every reader of JSON.
    bounds = validate.Range(low, 2**53 - 1)
    return fields.Integer(required=True, strict=True, allow_none=allow_none, validate=bounds)


_WILD_RANK: Final = f"(?:{RANK_PATTERN}|{JOKER.code})"
_CODE: Final = r"[A-Z]+(?:_[A-Z]+)*"
_NAME: Final = r"[a-z0-9-]{1,64}"


class _Comparison(Schema):
    declarable = TruthField(required=True)
    points = _number(low=0)


class _Outcome(Schema):
    best = fields.Nested(_Comparison, required=True)
    deal = fields.String(validate=validate.OneOf(tuple(DealState)))
    judged = fields.String(required=True, validate=validate.OneOf(tuple(Judged)))
    points = _number(low=0)
    reasons = fields.List(_text(_CODE), required=True)
    submitted = fields.Nested(_Comparison)
    valid = TruthField(required=True)
    wrong_show = TruthField()


class _Request(Schema):
    finish_card = _text(CARD_PATTERN, allow_none=True)
    groups = fields.List(fields.List(_text(CARD_PATTERN)), required=True, allow_none=True)
    hand = fields.List(_text(CARD_PATTERN), required=True, validate=validate.Length(equal=13))
    op = fields.String(required=True, validate=validate.OneOf(tuple(JUDGES)))
    players = _number(low=2, allow_none=True)
    rule_set = _text(_NAME)
    wild_rank = _text(_WILD_RANK, allow_none=True)


class _Rules(Schema):
    digest = _text(r"sha256:[0-9a-f]{64}")
    name = _text(_NAME)
    version = _number(low=1)


class _Statement(Schema):
    engine = fields.String(required=True, validate=validate.Length(1, 64))
    outcome = fields.Nested(_Outcome, required=True)
    request = fields.Nested(_Request, required=True)
    rule_set = fields.Nested(_Rules, required=True)


_STATEMENT: Final = _Statement()
