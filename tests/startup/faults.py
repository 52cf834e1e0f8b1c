"""How tests start the service with faulty settings."""

import pytest

from service.startup.settings import load_settings
from service.startup.start_error import StartError


def faults_of(monkeypatch: pytest.MonkeyPatch, **environ: str) -> list[str]:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(StartError) as raised:
        load_settings()
    return raised.value.faults
