"""Matches: the match before the deal that a request asks to settle."""

from collections.abc import Collection, Mapping
from typing import Any

from service.game.rules import MatchFormat, MatchRules, RuleSet
from service.game.settlement import Match
from service.wire.faults import Faults


def read_match(
    given: Mapping[str, Any],
    data: Mapping[str, Any],
    rules: RuleSet | None,
    ids: Collection[str],
    all_known: bool,
    faults: Faults,
) -> Match | None:
    """The match among players of these `ids`; `given` has its fields as they were sent, `data` as the schema read them.

    With `all_known` there are no other players at the table. None, with a fault, for a match without a good format.
    """
    name: MatchFormat | None = data.get("format")
    format_ = _find_format(name, rules, faults)
    limit: int | None = data.get("limit")
    deals_left: int | None = data.get("deals_left")
    totals: Mapping[str, int] = data.get("totals", {})
    if format_ is not None:
        limit = _find_limit(given, limit, format_, faults)
        _check_deals_left(given, deals_left, format_, faults)
    _check_missing_totals(given.get("totals"), ids, faults)
    for id_, total in totals.items():
        if id_ in ids:
            _check_total(id_, total, limit, faults)
        elif all_known and format_ is not None:
            _check_stranger(id_, total, limit, format_, faults)
    return None if name is None else Match(name, limit, deals_left, totals)


def _find_format(name: MatchFormat | None, rules: RuleSet | None, faults: Faults) -> MatchRules | None:
    if rules is None or name is None:
        return None
    for format_ in rules.matches:
        if format_.format == name:
            return format_
    known = [str(format_.format) for format_ in rules.matches]
    path = ("match", "format")
    if known:
        faults.add(path, "WRONG_FORMAT", {"rule_set": rules.name, "known": known, "format": str(name)})
    else:
        faults.add(path, "WRONG_FORMAT.NO_MATCH", {"rule_set": rules.name})
    return None


def _find_limit(given: Mapping[str, Any], limit: int | None, format_: MatchRules, faults: Faults) -> int | None:
    """The limit that was sent, or the only one that the format has."""
    path, limits = ("match", "limit"), format_.limits
    if given.get("limit") is None:
        if len(limits) > 1:
            faults.add(path, "MISSING_FIELD.LIMIT", {"limits": limits})
        return limits[0] if len(limits) == 1 else None
    if limit is None or limit in limits:
        return limit
    if limits:
        faults.add(path, "WRONG_LIMIT", {"format": str(format_.format), "limits": limits})
    else:
        faults.add(path, "WRONG_LIMIT.NO_LIMIT", {"format": str(format_.format)})
    return None


def _check_deals_left(given: Mapping[str, Any], deals_left: int | None, format_: MatchRules, faults: Faults) -> None:
    path = ("match", "deals_left")
    if format_.format is MatchFormat.DEALS:
        if given.get("deals_left") is None:
            faults.add(path, "MISSING_FIELD.DEALS_LEFT")
    elif deals_left is not None:
        faults.add(path, "WRONG_DEALS_LEFT", {"format": str(format_.format)})


def _check_missing_totals(totals: object, ids: Collection[str], faults: Faults) -> None:
    if isinstance(totals, dict):
        for id_ in ids:
            if id_ not in totals:
                faults.add(("match", "totals", id_), "MISSING_FIELD")


def _check_total(id_: str, total: int, limit: int | None, faults: Faults) -> None:
    if limit is not None and total >= limit:
        faults.add(("match", "totals", id_), "OUT_OF_MATCH", {"id": id_, "limit": limit})


def _check_stranger(id_: str, total: int, limit: int | None, format_: MatchRules, faults: Faults) -> None:
    """Someone who does not play this deal must be out of the pool."""
    may_be_out = format_.format is MatchFormat.POOL and (limit is None or total >= limit)
    if not may_be_out:
        faults.add(("match", "totals", id_), "UNKNOWN_PLAYER", {"id": id_})
