"""Verdict writer: writes verdicts with their id and signature, and verifies signed ones.

It does not know HTTP: `write` and `verify` return the texts of answers.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from service.game.canonical import canonical_json
from service.game.rules import RuleSet
from service.game.verdict import JUDGES, Operation, Solve, Verdict
from service.signing.attestations import Attested, BadAttestation, open_attestation, verdict_id
from service.signing.keys import KeyRing
from service.wire.faults import Faults, InvalidRequest, load_fields, require_object
from service.wire.hand_request import read_question
from service.wire.schemas import VERIFY_SCHEMA
from service.wire.verdict_json import write_statement, write_verdict


class VerdictWriter:
    """Writes and verifies the verdicts of one engine; `engine` is its version.

    Without a signing key, verdicts have an id but no attestation.
    """

    def __init__(self, rule_sets: Mapping[str, RuleSet], solve: Solve, engine: str, keys: KeyRing) -> None:
        self._rule_sets: Final = rule_sets
        self._solve: Final = solve
        self._engine: Final = engine
        self._keys: Final = keys

    def write(self, verdict: Verdict) -> str:
        """The verdict as JSON."""
        statement = write_statement(verdict, self._engine)
        signing = self._keys.signing
        attestation = None if signing is None else signing.sign(statement.encode())
        return write_verdict(verdict, verdict_id(statement), attestation)

    def verify(self, value: object) -> str:
        """What the attestation in a request says, as JSON; raises `InvalidRequest` if it proves nothing."""
        body = require_object(value)
        faults = Faults()
        asked = load_fields(VERIFY_SCHEMA, body, faults)
        attested = self._open(asked["attestation"], faults) if "attestation" in asked else None
        if faults.found or attested is None:
            raise InvalidRequest(faults.found)
        replay = canonical_json(self._replay(attested)) if asked["replay"] else "null"
        return (
            f'{{"kid":"{attested.kid}","verdict_id":"{verdict_id(attested.text)}"'
            f',"statement":{attested.text},"replay":{replay}}}'
        )

    def _open(self, token: str, faults: Faults) -> Attested | None:
        try:
            return open_attestation(token, self._keys)
        except BadAttestation as error:
            faults.add(("attestation",), error.key, error.details)
            return None

    def _replay(self, attested: Attested) -> dict[str, Any]:
        """Judge the question again: the result, and this engine's statement."""
        then = attested.statement
        now = self._judge_again(then["request"])
        rules = self._rule_sets.get(then["request"]["rule_set"])
        if rules is None or rules.digest != then["rule_set"]["digest"]:
            result = "RULES_CHANGED"
        elif now is not None and _same_verdict(now, then):
            result = "SAME"
        else:
            result = "DIFFERS"
        return {"result": result, "statement": now}

    def _judge_again(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """This engine's statement on the same question, or None if it refuses the question."""
        asked = {name: value for name, value in request.items() if name != "op"}
        if asked["finish_card"] is not None:
            asked["hand"] = [*asked["hand"], asked["finish_card"]]
        try:
            question = read_question(asked, self._rule_sets)
        except InvalidRequest:
            return None
        verdict = JUDGES[Operation(request["op"])](question, self._solve)
        statement: dict[str, Any] = json.loads(write_statement(verdict, self._engine))
        return statement


def _same_verdict(now: dict[str, Any], then: dict[str, Any]) -> bool:
    """Whether two statements differ in the version of the engine at most."""
    return canonical_json({**now, "engine": None}) == canonical_json({**then, "engine": None})
