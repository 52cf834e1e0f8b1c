"""Rule-set files: all are read at the start, and every fault names its file."""

from pathlib import Path

import pytest

from service.startup.rule_files import load_rule_sets
from service.startup.start_error import StartError
from tests.strategies import RULE_SET_TEXTS, edit_text


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


@pytest.mark.parametrize("text", ["version = " + "9" * 5_000, "notes = " + "[" * 3_000])
def test_a_file_that_breaks_the_toml_reader_is_a_fault(tmp_path: Path, text: str) -> None:
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
