"""Build: what this copy of the service is: its version, its files, and whether its core is compiled."""

import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Final

from service.game import search
from service.startup.start_error import StartError

_PACKAGE: Final = Path(__file__).resolve().parents[1]
# A wheel carries the contract and the server's configuration inside the package. In a checkout they lie beside it.
_IS_CHECKOUT: Final = not (_PACKAGE / "openapi.yaml").exists()
_FOLDER: Final = _PACKAGE.parent if _IS_CHECKOUT else _PACKAGE
OPENAPI_FILE: Final = _FOLDER / "openapi.yaml"
GUNICORN_FILE: Final = _FOLDER / "gunicorn.conf.py"


def is_compiled() -> bool:
    """Whether the core runs as compiled code."""
    return not str(search.__file__).endswith(".py")


def load_contract() -> bytes:
    """`openapi.yaml` as it is; raises `StartError` where it is missing."""
    try:
        return OPENAPI_FILE.read_bytes()
    except OSError as error:
        raise StartError([f"openapi.yaml: {error.strerror} ({OPENAPI_FILE})"]) from None


def load_version() -> str:
    """The version of the checkout that the service runs from, or of the installed package."""
    if not _IS_CHECKOUT:
        return version("showcheck")
    project = tomllib.loads((_FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: str = project["version"]
    return found
