"""Build: what this copy of the service is: its version, its contract, and whether its core is compiled."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from service.game import search
from service.startup.start_error import StartError

# The contract lies beside the package, where it is edited and reviewed, and so does the project's own file.
_ROOT: Final = Path(__file__).resolve().parents[2]
OPENAPI_FILE: Final = _ROOT / "openapi.yaml"
PROJECT_FILE: Final = _ROOT / "pyproject.toml"


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
    """The version of the installed package, or of the checkout that the service runs from."""
    try:
        return version("showcheck")
    except PackageNotFoundError:
        found: str = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))["project"]["version"]
        return found
