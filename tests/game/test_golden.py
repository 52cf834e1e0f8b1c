"""Whole answers, byte for byte, as they are pinned in `tests/data/golden`: groups in order, charges, reasons."""

from collections import Counter

import pytest

from tests.golden import FOLDER, read_cases, render
from tests.strategies import RULE_SETS, full_deck


@pytest.mark.parametrize("name", RULE_SETS)
def test_answers_are_those_of_the_golden_file(name: str) -> None:
    """To change them on purpose: `python -m tests.golden --write`, and read the difference."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert render(read_cases(text), RULE_SETS[name]) == text


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_golden_file_has_a_dozen_possible_hands(name: str) -> None:
    cases = read_cases((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    assert len(cases) >= 12
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert len(case.hand) == 13
        assert not Counter(case.hand) - Counter(full_deck(RULE_SETS[name], case.players))


def test_every_rule_set_has_a_golden_file() -> None:
    """ "Adding a rule set adds a data file and a golden file"."""
    assert sorted(path.name for path in FOLDER.iterdir()) == [f"{name}.txt" for name in RULE_SETS]
