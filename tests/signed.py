"""Keys and signed verdicts for tests."""

import json
from pathlib import Path
from typing import Any

from flask import Flask
from joserfc import jws
from joserfc.jwk import OKPKey

from service.signing.keys import encode, read_signing_key
from service.startup.settings import Settings
from tests.apps import Log, start_app


def write_key(folder: Path, jwk: dict[str, str], name: str = "key.json", mode: int = 0o600) -> str:
    """The path of a file with that key."""
    file = folder / name
    file.write_text(json.dumps(jwk), encoding="utf-8")
    file.chmod(mode)
    return str(file)


def write_public(folder: Path, *jwks: dict[str, str], name: str = "public.json") -> str:
    """The path of a file with the public halves of these keys."""
    file = folder / name
    public = [read_signing_key(json.dumps(jwk)).public.jwk for jwk in jwks]
    file.write_text(json.dumps({"keys": public}), encoding="utf-8")
    return str(file)


def signing_app(folder: Path, jwk: dict[str, str], *others: dict[str, str], log: Log | None = None) -> Flask:
    """An application that signs with one key and knows some others."""
    settings = Settings(signing_key_file=write_key(folder, jwk), verify_keys_file=write_public(folder, *others))
    return start_app(settings, log)


def sign(jwk: dict[str, str], payload: bytes | str, **header: Any) -> str:
    """A compact JWS by the library, not by the service."""
    given = {"alg": "Ed25519", "kid": jwk["kid"], "typ": "showcheck-verdict+jws"} | header
    key = OKPKey.import_key({name: jwk[name] for name in ("kty", "crv", "x", "d")})
    return jws.serialize_compact(given, payload, key, algorithms=[given["alg"]])


def part(value: object) -> str:
    """A part of a JWS, whatever is in it."""
    return encode(value if isinstance(value, bytes) else json.dumps(value).encode())
