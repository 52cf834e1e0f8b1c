"""Signed verdicts: what is signed proves itself, and nothing else does."""

import base64
import hashlib
import json
import string
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import KeySet, OKPKey

from service.game.canonical import canonical_json
from service.game.verdict import best_arrangement, judge_show
from service.signing.keys import KeyRing, new_key, read_signing_key
from service.signing.verdict_writer import VerdictWriter
from service.startup.build import load_version
from service.startup.settings import Settings
from service.wire.faults import InvalidRequest
from service.wire.hand_request import read_question
from tests.apps import Log, on_admin_port
from tests.contract import value_of
from tests.examples import HAND, question
from tests.signed import part, sign, signing_app
from tests.strategies import FIXED, RULE_SETS, derive

KEY, OTHER = new_key(), new_key()
RING = KeyRing(read_signing_key(json.dumps(KEY)))
# No HTTP is needed to ask for a verdict, nor to have it signed.
WRITER = VerdictWriter(RULE_SETS, best_arrangement, "1", RING)
TOKEN = str(json.loads(WRITER.write(judge_show(read_question(question(), RULE_SETS))))["attestation"])


@pytest.fixture
def signing(tmp_path: Path, log: Log) -> Flask:
    return signing_app(tmp_path, KEY, log=log)


@pytest.fixture
def signer(signing: Flask) -> FlaskClient:
    """A client of a service that signs."""
    return signing.test_client()


def attest(client: FlaskClient, path: str = "/validate", **changes: Any) -> str:
    return str(value_of(client.post(path, json=question(**changes)))["attestation"])


def verify(client: FlaskClient, token: str, *, replay: bool = False) -> dict[str, Any]:
    response = client.post("/verify", json={"attestation": token, "replay": replay})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = value_of(response)
    return found


def refusals(client: FlaskClient, **body: Any) -> list[tuple[str, str]]:
    response = client.post("/verify", json=body)
    assert response.status_code == 422, response.text
    return [(each["pointer"], each["code"]) for each in value_of(response)["errors"]]


def refusal(client: FlaskClient, token: str) -> str:
    ((pointer, code),) = refusals(client, attestation=token, replay=True)
    assert pointer == "/attestation"
    return code


def payload_of(token: str) -> bytes:
    return base64.urlsafe_b64decode(token.split(".")[1] + "==")


def statement(client: FlaskClient) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(payload_of(attest(client)))
    return found


def test_without_a_key_nothing_is_signed(client: FlaskClient) -> None:
    """And no key is shown."""
    assert "attestation" not in value_of(client.post("/validate", json=question()))
    assert value_of(client.get("/keys")) == {"keys": []}
    assert refusal(client, sign(KEY, "{}")) == "UNKNOWN_KEY"


@pytest.mark.parametrize("path", ["/validate", "/score"])
def test_published_keys_prove_a_verdict(signer: FlaskClient, path: str) -> None:
    answer = value_of(signer.post(path, json=question()))
    assert list(answer)[-1] == "attestation"
    keys = KeySet.import_key_set(value_of(signer.get("/keys")))
    checked = jws.deserialize_compact(answer["attestation"], keys, algorithms=["Ed25519"])
    assert checked.headers() == {"alg": "Ed25519", "kid": KEY["kid"], "typ": "showcheck-verdict+jws"}
    assert hashlib.sha256(checked.payload or b"").hexdigest() == answer["verdict_id"]


def test_signing_changes_nothing_else_in_an_answer(signer: FlaskClient, client: FlaskClient) -> None:
    signed, plain = (value_of(each.post("/score", json=question())) for each in (signer, client))
    assert {name: value for name, value in signed.items() if name != "attestation"} == plain


@pytest.mark.parametrize("path", ["/validate", "/score"])
@pytest.mark.parametrize(
    "changes", [{}, {"groups": ..., "wild_rank": None}, {"hand": [*HAND, "4C"], "finish_card": "4C", "players": 3}]
)
def test_a_verdict_verifies_and_is_given_again(signer: FlaskClient, path: str, changes: dict[str, Any]) -> None:
    answer = value_of(signer.post(path, json=question(**changes)))
    found = verify(signer, answer["attestation"], replay=True)
    assert found["kid"] == KEY["kid"]
    assert found["verdict_id"] == answer["verdict_id"]
    assert found["statement"]["request"]["op"] == path[1:]
    assert found["statement"]["outcome"]["points"] == answer["points"]
    assert found["replay"] == {"result": "SAME", "statement": found["statement"]}
    assert verify(signer, answer["attestation"])["replay"] is None


@FIXED
@given(st.data())
def test_a_changed_character_is_noticed(data: st.DataObject) -> None:
    """Whatever is changed, the answer is a refusal: not even another spelling of the same signature passes."""
    place = data.draw(st.integers(0, len(TOKEN) - 1))
    alphabet = string.ascii_letters + string.digits + "-_.=+/ é"
    character = data.draw(st.sampled_from([each for each in alphabet if each != TOKEN[place]]))
    with pytest.raises(InvalidRequest):
        WRITER.verify({"attestation": TOKEN[:place] + character + TOKEN[place + 1 :], "replay": False})


def test_every_cut_is_refused(signer: FlaskClient) -> None:
    token = attest(signer)
    for end in range(len(token)):
        with pytest.raises(InvalidRequest):
            WRITER.verify({"attestation": token[:end]})
    assert refusal(signer, token[:-1]) == "MALFORMED_TOKEN"
    assert refusal(signer, token.rpartition(".")[0]) == "MALFORMED_TOKEN"


@pytest.mark.parametrize("alg", ["none", "nOnE", "HS256", "EdDSA", "Ed448", None, ["Ed25519"]], ids=repr)
@pytest.mark.parametrize("signature", ["", "kept"])
def test_the_token_does_not_choose_the_algorithm(signer: FlaskClient, alg: Any, signature: str) -> None:
    _, payload, kept = attest(signer).split(".")
    header = part({"alg": alg, "kid": KEY["kid"], "typ": "showcheck-verdict+jws"})
    assert refusal(signer, f"{header}.{payload}.{signature and kept}") == "WRONG_ALGORITHM"


def test_the_public_key_is_no_secret_to_sign_with(signer: FlaskClient) -> None:
    """The oldest trick: HMAC with the public key, which everybody has."""
    public = value_of(signer.get("/keys"))["keys"][0]["x"]
    header = part({"alg": "HS256", "kid": KEY["kid"]})
    signed = f"{header}.{attest(signer).split('.')[1]}"
    forged = hashlib.sha256((public + signed).encode()).digest()
    assert refusal(signer, f"{signed}.{part(forged)}") == "WRONG_ALGORITHM"


def test_a_key_of_somebody_else_is_unknown(signer: FlaskClient) -> None:
    payload = payload_of(attest(signer))
    assert refusal(signer, sign(OTHER, payload)) == "UNKNOWN_KEY"
    assert refusal(signer, sign(OTHER, payload, kid=KEY["kid"])) == "BAD_SIGNATURE"


def test_a_key_in_the_header_is_not_used(signer: FlaskClient) -> None:
    public = {name: OTHER[name] for name in ("kty", "crv", "x")}
    header = {"alg": "Ed25519", "kid": KEY["kid"], "typ": "showcheck-verdict+jws", "jwk": public}
    key = OKPKey.import_key({name: OTHER[name] for name in ("kty", "crv", "x", "d")})
    token = jws.serialize_compact(header, payload_of(attest(signer)), key, algorithms=["Ed25519"])
    assert refusal(signer, token) == "MALFORMED_TOKEN"


@pytest.mark.parametrize(
    "token",
    [
        "",
        ".",
        "..",
        "a.b",
        "a.b.c.d",
        "é.é.é",
        f"{part(b'[]')}..",
        f"{part(b'nothing')}..",
        f"{part({'alg': 'Ed25519', 'kid': 'a', 'crit': ['b64'], 'b64': False})}..",
        f"{part(b'[' * 9_000)}..",
        " ",
        "\u0000",
    ],
)
def test_what_is_no_token_is_malformed(signer: FlaskClient, token: str) -> None:
    assert refusal(signer, token) == "MALFORMED_TOKEN"


def test_an_exchanged_payload_has_a_bad_signature(signer: FlaskClient) -> None:
    header, _, signature = attest(signer).split(".")
    better = statement(signer)
    better["outcome"]["points"] = 0
    assert refusal(signer, f"{header}.{part(canonical_json(better).encode())}.{signature}") == "BAD_SIGNATURE"


@pytest.mark.parametrize("payload", ["", "{}", "[]", "null", "1", "nonsense", '{"iss":"somebody"}', "\ud800"])
def test_what_else_the_key_signed_is_no_verdict(signer: FlaskClient, payload: str) -> None:
    assert refusal(signer, sign(KEY, payload.encode(errors="surrogatepass"))) == "NOT_A_VERDICT"


def test_a_verdict_of_another_type_or_spelling_is_none(signer: FlaskClient) -> None:
    said = payload_of(attest(signer)).decode()
    assert refusal(signer, sign(KEY, said, typ="JWT")) == "NOT_A_VERDICT"
    assert refusal(signer, sign(KEY, said + " ")) == "NOT_A_VERDICT"
    assert refusal(signer, sign(KEY, said.replace('"engine":"', '"engine":"1","engine":"'))) == "NOT_A_VERDICT"
    assert verify(signer, sign(KEY, said))["statement"] == json.loads(said)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for key, part_ in inner for each in _paths(part_, (*path, key)))]


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new
    return None


@pytest.mark.parametrize("new", [None, True, -1, 1.5, 10**400, "", "X", "AH", [], {}, [[]], ["AH"]], ids=repr)
def test_signed_nonsense_is_refused(signer: FlaskClient, new: Any) -> None:
    """Any part of a statement replaced: refused, or verified as what it says; the contract holds either way."""
    good = statement(signer)
    for path in _paths(good):
        changed = json.loads(canonical_json(good))
        payload = _put(changed, path, new) if not path else (_put(changed, path, new), changed)[1]
        response = signer.post("/verify", json={"attestation": sign(KEY, canonical_json(payload)), "replay": True})
        if response.status_code == 422:
            assert [each["code"] for each in value_of(response)["errors"]] == ["NOT_A_VERDICT"], path
        else:
            assert response.status_code == 200, path
            assert value_of(response)["replay"]["result"] in {"SAME", "DIFFERS", "RULES_CHANGED"}


def test_another_outcome_differs_and_both_are_shown(signer: FlaskClient) -> None:
    said = statement(signer)
    now = json.loads(canonical_json(said))
    said["outcome"]["points"] = 0
    found = verify(signer, sign(KEY, canonical_json(said)), replay=True)
    assert found["statement"] == said
    assert found["replay"] == {"result": "DIFFERS", "statement": now}


def test_a_question_that_is_refused_today_differs(signer: FlaskClient) -> None:
    said = statement(signer)
    said["request"]["hand"] = ["AS"] * 13
    found = verify(signer, sign(KEY, canonical_json(said)), replay=True)
    assert found["replay"] == {"result": "DIFFERS", "statement": None}


def test_another_version_of_the_engine_is_no_difference(signer: FlaskClient) -> None:
    said = statement(signer) | {"engine": "0.0.1"}
    found = verify(signer, sign(KEY, canonical_json(said)), replay=True)
    assert found["replay"]["result"] == "SAME"
    assert (found["statement"]["engine"], found["replay"]["statement"]["engine"]) == ("0.0.1", load_version())


def test_changed_rules_are_reported(signer: FlaskClient) -> None:
    said = statement(signer)
    said["rule_set"]["digest"] = "sha256:" + "0" * 64
    found = verify(signer, sign(KEY, canonical_json(said)), replay=True)
    assert found["replay"] == {"result": "RULES_CHANGED", "statement": statement(signer)}
    said["rule_set"]["name"] = said["request"]["rule_set"] = "gone-13"
    found = verify(signer, sign(KEY, canonical_json(said)), replay=True)
    assert found["replay"] == {"result": "RULES_CHANGED", "statement": None}


def test_an_edited_rule_set_is_another_by_its_digest() -> None:
    edited = {**RULE_SETS, "online-13": derive("online-13", {"wrong_show.charge": 60})}
    found = json.loads(
        VerdictWriter(edited, best_arrangement, "1", RING).verify({"attestation": TOKEN, "replay": True})
    )
    assert found["replay"]["result"] == "RULES_CHANGED"
    points = [each["outcome"]["points"] for each in (found["statement"], found["replay"]["statement"])]
    assert points == [80, 60]


def test_all_faults_of_a_request_are_named_at_once(signer: FlaskClient) -> None:
    assert refusals(signer, attestation="a", replay=1, again=True) == [
        ("/again", "UNKNOWN_FIELD"),
        ("/attestation", "MALFORMED_TOKEN"),
        ("/replay", "WRONG_TYPE"),
    ]
    assert refusals(signer, replay=None) == [("/attestation", "MISSING_FIELD"), ("/replay", "WRONG_TYPE")]
    assert refusals(signer, attestation=1) == [("/attestation", "WRONG_TYPE")]
    response = signer.post("/verify", json=[])
    assert value_of(response)["errors"][0]["pointer"] == ""


def test_old_and_coming_keys_verify_too(tmp_path: Path) -> None:
    """A rotation: the new key is known before it signs, and the old one for as long as its verdicts may be disputed."""
    folders = [tmp_path / name for name in ("before", "announced", "after")]
    for folder in folders:
        folder.mkdir()
    before, announced, after = (
        signing_app(folder, *keys).test_client()
        for folder, keys in zip(folders, [(KEY,), (KEY, OTHER), (OTHER, KEY)], strict=True)
    )
    kids = [[each["kid"] for each in value_of(client.get("/keys"))["keys"]] for client in (before, announced, after)]
    assert kids == [[KEY["kid"]], [KEY["kid"], OTHER["kid"]], [OTHER["kid"], KEY["kid"]]]
    old, new = attest(before), attest(after)
    for client in (announced, after):
        assert verify(client, old, replay=True)["kid"] == KEY["kid"]
        assert verify(client, new, replay=True)["kid"] == OTHER["kid"]
        assert verify(client, old)["verdict_id"] == verify(client, new)["verdict_id"]
    assert refusal(before, new) == "UNKNOWN_KEY"


def test_the_key_is_in_no_output(
    signing: Flask, log: Log, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in an answer, nor in a header, nor in the log of a crash with the key at hand."""
    client, admin = signing.test_client(), on_admin_port(signing.test_client())
    token = attest(client)
    answers = [
        client.post("/validate", json=question()),
        client.post("/validate", json={}),
        client.get("/keys"),
        client.get("/openapi.yaml"),
        client.post("/verify", json={"attestation": token, "replay": True}),
        client.post("/verify", json={"attestation": token[:-2]}),
        client.get("/nothing"),
        *(admin.get(path) for path in ("/version", "/metrics", "/readyz", "/livez")),
    ]

    def crash(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("service.signing.verdict_writer.write_verdict", crash)
    answers.append(client.post("/score", json=question()))
    lines = log.read()
    assert lines
    told = (
        "".join(answer.text + str(answer.headers) for answer in answers)
        + json.dumps(lines)
        + "".join(capfd.readouterr())
    )
    assert KEY["x"] in told
    assert KEY["d"] not in told
    assert KEY["d"] not in repr(vars(signing)) + repr(Settings())
    # Nor is a token, which has a player's cards in it.
    assert token not in json.dumps(lines)
