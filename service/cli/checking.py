"""Checking: judges signed verdicts again, and lists those that are not the same today."""

import json
import re
from typing import Any, Final

from service.cli.bulk import ChunkResult
from service.cli.judging import process_engine
from service.game.canonical import canonical_json
from service.startup.settings import load_keys, load_settings
from service.wire.faults import InvalidRequest
from service.wire.strict_json import MalformedJson, read_json

_TOKEN: Final = re.compile(rb"[\w-]+\.[\w-]+\.[\w-]*")


def knows_a_key() -> bool:
    """Whether there is a key to check signed verdicts with."""
    return bool(load_keys(load_settings()).public)


def check_chunk(lines: list[bytes], first: int) -> ChunkResult:
    """Judge the signed verdicts in lines of answers again; the text has a line for each that is not the same today."""
    numbered = [(number, verdict) for number, line in enumerate(lines, first) for verdict in _verdicts(line)]
    checked = [{"line": number, **_check(verdict)} for number, verdict in numbered]
    different = [check for check in checked if check["result"] != "SAME"]
    text = "".join(json.dumps(check, ensure_ascii=False) + "\n" for check in different)
    return ChunkResult(text, sum(map(len, lines)), len(checked), len(different))


def _verdicts(line: bytes) -> list[dict[str, Any]]:
    """The verdicts in a line. A line is an attestation, or the answer to a hand or a deal, alone or as that of an item.

    A problem has no verdict. A line that is none of these has an empty one.
    """
    if _TOKEN.fullmatch(line.strip()):
        return [{"attestation": line.strip().decode()}]
    try:
        answer = read_json(line)
    except MalformedJson:
        return [{}]
    if isinstance(answer, dict) and "status" in answer and "body" in answer:
        status, answer = answer["status"], answer["body"]
        if status != 200 and not (isinstance(answer, dict) and answer.keys() & {"attestation", "players"}):
            return []
    if not isinstance(answer, dict):
        return [{}]
    players = answer.get("players")
    return _settled_verdicts(players) if isinstance(players, list) and "verdict_id" not in answer else [answer]


def _settled_verdicts(players: list[Any]) -> list[dict[str, Any]]:
    """The verdicts in a settlement, each with the points that the player is `charged`, which it has to say itself."""
    judged = [player for player in players if isinstance(player, dict) and isinstance(player.get("verdict"), dict)]
    return [{**player["verdict"], "charged": player.get("points")} for player in judged]


def _check(verdict: dict[str, Any]) -> dict[str, Any]:
    """The verdict's id and the result; for one with a good signature also the statements then and now, and which fields
    of the answer were altered; otherwise why it proves nothing.
    """
    check = {"verdict_id": verdict.get("verdict_id")}
    if "attestation" not in verdict:
        return {**check, "result": "UNSIGNED" if "verdict_id" in verdict else "NO_VERDICT"}
    try:
        verified = json.loads(process_engine().writer.verify({"attestation": verdict["attestation"], "replay": True}))
    except InvalidRequest as error:
        return {**check, "result": error.faults[0].code, "detail": error.faults[0].detail}
    result = verified["replay"]["result"]
    if altered := _altered_fields(verdict, verified):
        check["altered"] = altered
        result = "ALTERED"
    return {**check, "result": result, "then": verified["statement"], "now": verified["replay"]["statement"]}


def _altered_fields(verdict: dict[str, Any], verified: dict[str, Any]) -> list[str]:
    """The fields in which an answer says other than its statement, or nothing. An attestation alone has none."""
    if verdict.keys() == {"attestation"}:
        return []
    # As JSON, since to Python 1 equals true.
    return [
        name
        for name, signed in _signed_fields(verified).items()
        if canonical_json(_as_signed(name, verdict.get(name))) != canonical_json(signed)
        and (name != "charged" or name in verdict)
    ]


def _signed_fields(verified: dict[str, Any]) -> dict[str, Any]:
    """The fields of an answer that its signed statement has as well, by their names in the answer."""
    statement = verified["statement"]
    outcome = statement["outcome"]
    return {
        # Not every statement has these; no answer may have more.
        **dict.fromkeys(("submitted", "wrong_show", "deal")),
        **outcome,
        "verdict_id": verified["verdict_id"],
        "charged": outcome["points"],
        "rule_set": statement["rule_set"],
        "wild_rank": statement["request"]["wild_rank"],
    }


def _as_signed(name: str, value: object) -> object:
    """A field of an answer in the shorter form that the statement has."""
    if name == "reasons" and isinstance(value, list):
        return [reason.get("code") if isinstance(reason, dict) else reason for reason in value]
    if name in {"best", "submitted"} and isinstance(value, dict):
        return {field: value.get(field) for field in ("declarable", "points")}
    return value
