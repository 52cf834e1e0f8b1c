"""Settings: read at the start, every fault named at once."""

import pytest

from service.startup.settings import Settings, load_settings
from service.startup.start_error import StartError
from tests.startup.faults import faults_of


def test_the_defaults() -> None:
    assert load_settings() == Settings(8080, 9090, 65_536, "INFO", 1, 1)


def test_everything_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "SHOWCHECK_PORT": "80",
        "SHOWCHECK_ADMIN_PORT": "81",
        "SHOWCHECK_CACHE_SIZE": "0",
        "SHOWCHECK_LOG_LEVEL": "DEBUG",
        "SHOWCHECK_THREADS": "8",
        "WEB_CONCURRENCY": "2",
    }.items():
        monkeypatch.setenv(name, value)
    assert load_settings() == Settings(80, 81, 0, "DEBUG", 8, 2)


def test_all_faults_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = faults_of(
        monkeypatch,
        SHOWCHECK_PORT="http",
        SHOWCHECK_ADMIN_PORT="70000",
        SHOWCHECK_CACHE_SIZE="-1",
        SHOWCHECK_LOG_LEVEL="info",
        SHOWCHECK_THREADS="",
        WEB_CONCURRENCY="1.5",
        SHOWCHECK_REQUIRE_COMPILED="perhaps",
        SHOWCHECK_TREADS="4",
        SHOWCHECK_X="",
    )
    assert faults == [
        "SHOWCHECK_PORT: must be a whole number from 1 to 65535, not 'http'",
        "SHOWCHECK_ADMIN_PORT: must be a whole number from 1 to 65535, not '70000'",
        "SHOWCHECK_CACHE_SIZE: must be a whole number from 0 to 10000000, not '-1'",
        "SHOWCHECK_THREADS: must be a whole number from 1 to 256, not ''",
        "WEB_CONCURRENCY: must be a whole number from 1 to 64, not '1.5'",
        "SHOWCHECK_LOG_LEVEL: must be one of DEBUG, INFO, WARNING, ERROR, not 'info'",
        "SHOWCHECK_REQUIRE_COMPILED: must be true or false, not 'perhaps'",
        "SHOWCHECK_TREADS: unknown setting, did you mean SHOWCHECK_THREADS?",
        "SHOWCHECK_X: unknown setting",
    ]


@pytest.mark.parametrize(("compiled", "wanted", "faults"), [(True, "1", 0), (False, "1", 1), (False, "0", 0)])
def test_a_core_that_is_not_compiled_can_be_refused(
    monkeypatch: pytest.MonkeyPatch, compiled: bool, wanted: str, faults: int
) -> None:
    monkeypatch.setattr("service.startup.settings.is_compiled", lambda: compiled)
    monkeypatch.setenv("SHOWCHECK_REQUIRE_COMPILED", wanted)
    if faults:
        with pytest.raises(StartError, match="SHOWCHECK_REQUIRE_COMPILED: the core is not compiled"):
            load_settings()
    else:
        assert load_settings().require_compiled == (wanted == "1")


@pytest.mark.parametrize(("port", "admin_port"), [("9090", None), (None, "8080"), ("7000", "7000")])
def test_the_ports_must_differ(monkeypatch: pytest.MonkeyPatch, port: str | None, admin_port: str | None) -> None:
    given = {"SHOWCHECK_PORT": port, "SHOWCHECK_ADMIN_PORT": admin_port}
    (fault,) = faults_of(monkeypatch, **{name: value for name, value in given.items() if value is not None})
    assert fault == f"SHOWCHECK_ADMIN_PORT: must differ from SHOWCHECK_PORT, both are {port or admin_port}"


def test_the_message_has_one_line_for_each_fault() -> None:
    assert str(StartError(["one", "two"])) == "showcheck cannot start:\n  one\n  two"
