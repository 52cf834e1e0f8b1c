"""Key files: the keys that verdicts are signed and checked with, read from the files that the settings name."""

import os
import stat

from service.limits import MAX_KEY_FILE_BYTES
from service.signing.keys import KeyRing, PublicKey, SigningKey, UnusableKey, read_public_keys, read_signing_key


def read_keys(signing_key_file: str | None, verify_keys_file: str | None) -> tuple[KeyRing, str | None, str | None]:
    """The keys of the two files, none where none is named; then what is wrong with the first and the second file."""
    signing: SigningKey | None = None
    others: list[PublicKey] = []
    signing_fault = verify_fault = None
    if signing_key_file is not None:
        try:
            signing = read_signing_key(_read_key_file(signing_key_file, secret=True))
        except UnusableKey as fault:
            signing_fault = f"{quoted(signing_key_file)}: {fault}"
    if verify_keys_file is not None:
        try:
            others = read_public_keys(_read_key_file(verify_keys_file, secret=False))
            return KeyRing(signing, others), signing_fault, None
        except UnusableKey as fault:
            verify_fault = f"{quoted(verify_keys_file)}: {fault}"
    return KeyRing(signing), signing_fault, verify_fault


def quoted(value: str) -> str:
    """A value as a message shows it; what may be a key, put there in place of its file's name, is not shown."""
    return "(what looks like a key, not the name of a file)" if "{" in value else repr(value)


def _read_key_file(path: str, *, secret: bool) -> str:
    """The text of a file. A `secret` one must be shut to all but its owner and its group: by its group Kubernetes lets
    a pod that is not root read a Secret. Where the path is a link, what it leads to counts.
    """
    try:
        # Without waiting, should it be a pipe.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            _check_mode(os.fstat(file.fileno()).st_mode, secret=secret)
            return file.read(MAX_KEY_FILE_BYTES).decode()
    except UnicodeDecodeError:
        raise UnusableKey("it is not UTF-8") from None
    except OSError as error:
        raise UnusableKey(f"{error.strerror}") from None


def _check_mode(mode: int, *, secret: bool) -> None:
    if not stat.S_ISREG(mode):
        raise UnusableKey("it is no regular file")
    if secret and mode & stat.S_IRWXO:
        raise UnusableKey(f"it is open to everybody (mode {stat.S_IMODE(mode):04o}): make it 0400 or 0440")
