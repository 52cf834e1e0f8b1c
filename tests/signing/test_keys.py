"""Keys: one that cannot be used is refused with a reason, and the reason has no part of the key in it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from joserfc.jwk import OKPKey

from service.signing.keys import KeyRing, UnusableKey, new_key, read_public_keys, read_signing_key

KEY, OTHER = new_key(), new_key()


def fault_of(read: Callable[[str], object], content: Any) -> str:
    """What is wrong with a key, or a text in its place."""
    with pytest.raises(UnusableKey) as raised:
        read(content if isinstance(content, str) else json.dumps(content))
    told = str(raised.value)
    assert not any(secret in told for secret in (KEY["d"], KEY["d"][:8], OTHER["d"][:8]))
    return told


PRIVATE = {name: KEY[name] for name in ("kty", "crv", "x", "d")}
DAMAGED = "it is damaged: its parts are not 32 bytes in base64url"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "it is not JSON"),
        (KEY["d"], "it is not JSON"),
        ('{"d": "' + KEY["d"], "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        (json.dumps(KEY["d"]), "it is no JSON object"),
        ({}, "it is no Ed25519 key (kty OKP, crv Ed25519)"),
        (OKPKey.generate_key("Ed448").as_dict(private=True), "it is no Ed25519 key (kty OKP, crv Ed25519)"),
        (OKPKey.generate_key("X25519").as_dict(private=True), "it is no Ed25519 key (kty OKP, crv Ed25519)"),
        ({"kty": "oct", "k": KEY["d"]}, "it is no Ed25519 key (kty OKP, crv Ed25519)"),
        ({name: PRIVATE[name] for name in ("kty", "crv", "x")}, "it has no private part (d)"),
        ({name: PRIVATE[name] for name in ("kty", "crv", "d")}, DAMAGED),
        (PRIVATE | {"d": KEY["d"][:20]}, DAMAGED),
        (PRIVATE | {"d": KEY["d"] + "!"}, DAMAGED),
        (PRIVATE | {"d": 5}, DAMAGED),
        (PRIVATE | {"d": None}, DAMAGED),
        (PRIVATE | {"x": [KEY["x"]]}, DAMAGED),
        (PRIVATE | {"x": "é"}, DAMAGED),
        (PRIVATE | {"x": OTHER["x"]}, "its private part (d) and its public part (x) are of two different keys"),
        (PRIVATE | {"kid": ""}, "its name (kid) must be of 1 to 128 letters, digits and _.:-"),
        (PRIVATE | {"kid": 7}, "its name (kid) must be of 1 to 128 letters, digits and _.:-"),
        (PRIVATE | {"use": "enc"}, "it is for another use (use) or another algorithm (alg) than Ed25519 signatures"),
        (PRIVATE | {"alg": "HS256"}, "it is for another use (use) or another algorithm (alg) than Ed25519 signatures"),
    ],
    ids=range(22),
)
def test_what_is_no_signing_key_is_refused(content: Any, told: str) -> None:
    assert fault_of(read_signing_key, content) == told


def test_a_key_without_a_name_is_called_by_its_thumbprint() -> None:
    assert read_signing_key(json.dumps(PRIVATE)).public.kid == OKPKey.import_key(dict(PRIVATE)).thumbprint()
    assert read_signing_key(json.dumps(PRIVATE | {"kid": "2026-11"})).public.kid == "2026-11"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "it is no JSON object"),
        ({}, 'it is no JSON Web Key Set: {"keys": […]}'),
        ({"keys": {}}, 'it is no JSON Web Key Set: {"keys": […]}'),
        ({"keys": ["a"]}, 'it is no JSON Web Key Set: {"keys": […]}'),
        ({"keys": [KEY]}, "keys[0]: it has a private part (d), and this file is for public keys only"),
        ({"keys": [{"kty": "RSA"}]}, "keys[0]: it is no Ed25519 key (kty OKP, crv Ed25519)"),
        (
            {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": key["x"]} for key in (KEY, OTHER)]},
            "two keys are called a",
        ),
    ],
    ids=range(7),
)
def test_what_is_no_set_of_public_keys_is_refused(value: Any, told: str) -> None:
    assert fault_of(lambda text: KeyRing(others=read_public_keys(text)), value) == told
