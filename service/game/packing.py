"""Packing: an arrangement in half the memory, as a cache keeps it."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from service.game.arrangement import Arrangement, Group, charge_of
from service.game.cards import ALL_CARDS, Card
from service.game.lives import Life
from service.game.melds import Kind
from service.game.reasons import NO_DETAILS, Details, Reason, ReasonCode

# Plain tuples, texts and numbers, in which a garbage collector finds nothing to look at; cards by their order.
PackedDetails = tuple[bytes, bytes, bytes, int, int, int, tuple[bytes, ...]]
Packed = tuple[
    bool,
    int,
    tuple[tuple[str, str | None, bytes, bytes | None], ...],
    bytes,
    tuple[int, ...],
    bytes,
    tuple[tuple[str, int | None, bytes, PackedDetails | None], ...],
]

_KINDS: Final = {kind.value: kind for kind in Kind}
_LIVES: Final = {None: None} | {life.value: life for life in Life}
_CODES: Final = {code.value: code for code in ReasonCode}


def pack(arrangement: Arrangement) -> Packed:
    """The arrangement as a cache keeps it."""
    return (
        arrangement.declarable,
        arrangement.points,
        tuple([_pack_group(group) for group in arrangement.groups]),
        _orders([charge.card for charge in arrangement.charges]),
        tuple([charge.points for charge in arrangement.charges]),
        _orders(arrangement.ungrouped),
        tuple([_pack_reason(reason) for reason in arrangement.reasons]),
    )


def unpack(packed: Packed) -> Arrangement:
    """The arrangement that was packed."""
    declarable, points, groups, charged, charges, ungrouped, reasons = packed
    return Arrangement(
        declarable=declarable,
        points=points,
        groups=tuple([_unpack_group(kind, life, cards, plays_as) for kind, life, cards, plays_as in groups]),
        ungrouped=_cards(ungrouped),
        charges=tuple([charge_of(card, each) for card, each in zip(_cards(charged), charges, strict=True)]),
        reasons=tuple([_unpack_reason(code, group, cards, details) for code, group, cards, details in reasons]),
    )


def _pack_group(group: Group) -> tuple[str, str | None, bytes, bytes | None]:
    life = None if group.life is None else str(group.life)
    plays_as = None if group.plays_as is None else _orders(group.plays_as)
    return str(group.kind), life, _orders(group.cards), plays_as


def _unpack_group(kind: str, life: str | None, cards: bytes, plays_as: bytes | None) -> Group:
    laid = _cards(cards)
    played = None if plays_as is None else laid if plays_as == cards else _cards(plays_as)
    return Group(_KINDS[kind], _LIVES[life], laid, played)


def _pack_reason(reason: Reason) -> tuple[str, int | None, bytes, PackedDetails | None]:
    details = None if reason.details is NO_DETAILS else _pack_details(reason.details)
    return str(reason.code), reason.group, _orders(reason.cards), details


# The details of best arrangements are few, as these have no group without a reading: equal ones are one object.
@cache
def _pack_details(details: Details) -> PackedDetails:
    missing, repeated, wild, jokers, fewest, most, groups = details
    return _orders(missing), _orders(repeated), _orders(wild), jokers, fewest, most, tuple(map(_orders, groups))


def _unpack_reason(code: str, group: int | None, cards: bytes, details: PackedDetails | None) -> Reason:
    return Reason(_CODES[code], group, _cards(cards), NO_DETAILS if details is None else _unpack_details(details))


@cache
def _unpack_details(packed: PackedDetails) -> Details:
    missing, repeated, wild, jokers, fewest, most, groups = packed
    return Details(_cards(missing), _cards(repeated), _cards(wild), jokers, fewest, most, tuple(map(_cards, groups)))


def _orders(cards: Sequence[Card]) -> bytes:
    return bytes([card.order for card in cards])


def _cards(orders: bytes) -> tuple[Card, ...]:
    return tuple([ALL_CARDS[order] for order in orders])
