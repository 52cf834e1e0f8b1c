import os

import pytest


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("SHOWCHECK_") or name == "WEB_CONCURRENCY":
            monkeypatch.delenv(name)
