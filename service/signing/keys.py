"""Keys: the Ed25519 keys that sign and check verdicts, read from JSON Web Keys (RFC 7517).

No message, no `repr` and no answer made here contains any part of a private key.
"""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from service.game.canonical import canonical_json

# The name in RFC 9864, which deprecates `EdDSA` because that does not name the curve.
ALGORITHM: Final = "Ed25519"
# Distinguishes a verdict from other things that the same key may have signed.
TYPE: Final = "showcheck-verdict+jws"

_KID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_PRIVATE: Final = "d"


class UnusableKey(ValueError):
    """A key that cannot be used; the message says why, as in "it has no private part"."""


class PublicKey:
    """A key that checks verdicts."""

    def __init__(self, kid: str, key: OKPKey) -> None:
        self.kid: Final = kid
        self.key: Final = key

    @property
    def jwk(self) -> dict[str, str]:
        """The key as a JSON Web Key."""
        return {
            "kty": "OKP",
            "crv": "Ed25519",
            "x": str(self.key.as_dict(private=False)["x"]),
            "kid": self.kid,
            "use": "sig",
            "alg": ALGORITHM,
        }


class SigningKey:
    """A key that signs verdicts; `public` is its other half."""

    def __init__(self, public: PublicKey, key: OKPKey) -> None:
        self.public: Final = public
        # The header never changes, so signing needs only the signature; joserfc would write the header each time.
        self._private: Final[Any] = key.get_op_key("sign")
        header = {"alg": ALGORITHM, "kid": public.kid, "typ": TYPE}
        self._header: Final = encode(canonical_json(header).encode())

    def sign(self, payload: bytes) -> str:
        """The payload as a compact JWS (RFC 7515)."""
        signed = f"{self._header}.{encode(payload)}"
        return f"{signed}.{encode(self._private.sign(signed.encode()))}"


class KeyRing:
    """The signing key, if there is one, and all public keys by `kid`, its own included."""

    def __init__(self, signing: SigningKey | None = None, others: Iterable[PublicKey] = ()) -> None:
        self.signing: Final = signing
        self.public: Final[Mapping[str, PublicKey]] = _by_kid([*([signing.public] if signing else []), *others])

    @property
    def jwks(self) -> dict[str, list[dict[str, str]]]:
        """All public keys as a JSON Web Key Set; the one of the signing key comes first."""
        return {"keys": [each.jwk for each in self.public.values()]}


def _by_kid(keys: Iterable[PublicKey]) -> dict[str, PublicKey]:
    found: dict[str, PublicKey] = {}
    for each in keys:
        if found.setdefault(each.kid, each).jwk != each.jwk:
            raise UnusableKey(f"two keys are called {each.kid}")
    return found


def encode(data: bytes) -> str:
    """Base64url without padding, as JWS and JWK use it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def new_key() -> dict[str, str]:
    """A new private key as a JSON Web Key; its `kid` is its thumbprint (RFC 7638)."""
    key = OKPKey.generate_key("Ed25519")
    made = key.as_dict(private=True)
    return {name: str(made[name]) for name in ("kty", "crv", "x", _PRIVATE)} | {
        "kid": key.thumbprint(),
        "use": "sig",
        "alg": ALGORITHM,
    }


def read_signing_key(text: str) -> SigningKey:
    """The private key in a JSON text; raises `UnusableKey`."""
    jwk = _json(text)
    public = _public_key(jwk)
    if _PRIVATE not in jwk:
        raise UnusableKey("it has no private part (d)")
    signing = SigningKey(public, _key(jwk, ("x", _PRIVATE)))
    # The file states both halves, so they may belong to two different keys.
    if _key({**jwk, "x": _derived_x(signing)}, ("x",)).as_dict() != public.key.as_dict():
        raise UnusableKey("its private part (d) and its public part (x) are of two different keys")
    return signing


def _derived_x(signing: SigningKey) -> str:
    return encode(signing._private.public_key().public_bytes_raw())  # noqa: SLF001 (of this module)


def read_public_keys(text: str) -> list[PublicKey]:
    """The keys of a JSON Web Key Set; raises `UnusableKey`."""
    listed = _json(text).get("keys")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise UnusableKey('it is no JSON Web Key Set: {"keys": […]}')
    keys = []
    for index, jwk in enumerate(listed):
        try:
            keys.append(_public_only(jwk))
        except UnusableKey as fault:
            raise UnusableKey(f"keys[{index}]: {fault}") from None
    return keys


def _public_only(jwk: dict[str, Any]) -> PublicKey:
    if _PRIVATE in jwk:
        raise UnusableKey("it has a private part (d), and this file is for public keys only")
    return _public_key(jwk)


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        # Not the parser's message, which may quote the key.
        raise UnusableKey("it is not JSON") from None
    if not isinstance(value, dict):
        raise UnusableKey("it is no JSON object")
    return value


def _public_key(jwk: dict[str, Any]) -> PublicKey:
    if (jwk.get("kty"), jwk.get("crv")) != ("OKP", "Ed25519"):
        raise UnusableKey("it is no Ed25519 key (kty OKP, crv Ed25519)")
    if jwk.get("use", "sig") != "sig" or jwk.get("alg", ALGORITHM) not in (ALGORITHM, "EdDSA"):
        raise UnusableKey("it is for another use (use) or another algorithm (alg) than Ed25519 signatures")
    key = _key(jwk, ("x",))
    kid = jwk.get("kid", key.thumbprint())
    if not isinstance(kid, str) or not _KID.fullmatch(kid):
        raise UnusableKey("its name (kid) must be of 1 to 128 letters, digits and _.:-")
    return PublicKey(kid, key)


def _key(jwk: dict[str, Any], parts: tuple[str, ...]) -> OKPKey:
    """The key from these parts of a JWK, without its other members."""
    try:
        given = {"kty": "OKP", "crv": "Ed25519"} | {name: jwk.get(name) for name in parts}
        return OKPKey.import_key(given)  # type: ignore[arg-type]
    except (JoseError, ValueError, TypeError):
        raise UnusableKey("it is damaged: its parts are not 32 bytes in base64url") from None
