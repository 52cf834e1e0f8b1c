"""Settings and rule-set files: read at the start, every fault named at once."""

import os
import tomllib
from pathlib import Path

import pytest

from service.startup import build
from service.startup.build import load_contract, load_version
from service.startup.rule_files import load_rule_sets
from service.startup.settings import Settings, load_settings
from service.startup.start_error import StartError
from tests.strategies import RULE_SET_TEXTS, edit_text

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("SHOWCHECK_") or name == "WEB_CONCURRENCY":
            monkeypatch.delenv(name)


def faults_of(monkeypatch: pytest.MonkeyPatch, **environ: str) -> list[str]:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(StartError) as raised:
        load_settings()
    return raised.value.faults


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


def rule_set_faults(folder: Path, **files: str | bytes) -> list[str]:
    for name, content in files.items():
        path = folder / f"{name.replace('_', '-')}.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(StartError) as raised:
        load_rule_sets(folder)
    return raised.value.faults


def test_the_rule_sets_of_the_package_are_loaded_by_name() -> None:
    rule_sets = load_rule_sets()
    assert list(rule_sets) == sorted(RULE_SET_TEXTS)
    assert all(name == rules.name for name, rules in rule_sets.items())


def test_other_files_beside_the_rule_sets_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "online-13.toml").write_text(RULE_SET_TEXTS["online-13"], encoding="utf-8")
    (tmp_path / "__init__.py").touch()
    assert list(load_rule_sets(tmp_path)) == ["online-13"]


def test_every_fault_of_every_file_names_the_file(tmp_path: Path) -> None:
    faults = rule_set_faults(
        tmp_path,
        family_13=edit_text(RULE_SET_TEXTS["family-13"], {"first_life.min": 5, "first_life.max": 4, "loser.cap": -1}),
        online_13=edit_text(RULE_SET_TEXTS["online-13"], {"first_life.min": 5, "first_life.max": 4}),
        rulebook_13=b"name = \xff",
        two_row_duel="name = ",
        face_value_duel=RULE_SET_TEXTS["face-value-duel"],
    )
    assert [fault.partition(": ")[0] for fault in faults] == [
        "family-13.toml",
        "online-13.toml",
        "rulebook-13.toml",
        "two-row-duel.toml",
    ]
    assert faults[0].startswith("family-13.toml: loser.cap: must be a whole number")
    assert faults[1] == "online-13.toml: first_life: min 5 is above max 4"
    assert faults[2] == "rulebook-13.toml: not UTF-8: invalid start byte at byte 7"
    assert faults[3].startswith("two-row-duel.toml: not TOML: ")


def test_a_file_is_called_like_its_rule_set(tmp_path: Path) -> None:
    faults = rule_set_faults(tmp_path, other=RULE_SET_TEXTS["online-13"])
    assert faults == ["other.toml: name: online-13 belongs in a file called online-13.toml"]


def test_two_files_with_one_name(tmp_path: Path) -> None:
    text = RULE_SET_TEXTS["online-13"]
    faults = rule_set_faults(tmp_path, online_13=text, online_14=text)
    assert faults == ["online-14.toml: name: online-13 is the name of online-13.toml already"]


def test_without_rule_sets_there_is_nothing_to_serve(tmp_path: Path) -> None:
    assert rule_set_faults(tmp_path) == ["no rule-set file found"]


def test_without_its_contract_the_service_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(build, "OPENAPI_FILE", tmp_path / "openapi.yaml")
    with pytest.raises(StartError, match=r"openapi\.yaml: No such file or directory"):
        load_contract()


def test_a_checkout_has_its_own_version_whatever_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "version", lambda name: f"1.2.3 of {name}")
    assert load_version() == tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    monkeypatch.setattr(build, "_IS_CHECKOUT", False)
    assert load_version() == "1.2.3 of showcheck"


@pytest.mark.parametrize("text", ["version = " + "9" * 5_000, "notes = " + "[" * 3_000])
def test_a_rule_set_file_that_the_toml_reader_trips_over_is_one_fault(tmp_path: Path, text: str) -> None:
    (tmp_path / "huge.toml").write_text(text, encoding="utf-8")
    with pytest.raises(StartError) as caught:
        load_rule_sets(tmp_path)
    assert [fault.startswith("huge.toml: not TOML: ") for fault in caught.value.faults] == [True]


def test_a_rule_set_file_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(StartError, match=r"folder\.toml: Is a directory"):
        load_rule_sets(tmp_path)
    with pytest.raises(StartError, match="rulesets: No such file or directory"):
        load_rule_sets(tmp_path / "missing")
