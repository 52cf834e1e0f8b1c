"""Compare the golden files with today's answers, or write them anew: `python -m tests.golden [--write]`.

Reads the inputs from the files; a rule set without a file gets a dozen new cases. Every best arrangement is checked
against the oracle before anything is written.
"""

import argparse
import sys

from service.game.cards import sort_cards
from service.game.rules import RuleSet
from service.game.verdict import best_arrangement
from tests import oracle
from tests.audit import worth
from tests.golden import FOLDER, Case, new_cases, read_cases, render
from tests.strategies import RULE_SETS


def check(case: Case, rules: RuleSet) -> None:
    """Stop unless the oracle agrees with the best arrangement."""
    wild = rules.wild_rank(case.turned_up)
    found = worth(best_arrangement(tuple(sort_cards(case.hand)), wild, rules))
    expected = oracle.best(case.hand, wild, rules)
    if found != expected:
        raise SystemExit(f"{rules.name}, {case.name}: {found}, the oracle has {expected}")


def main() -> int:
    """Run it; the exit code is 1 where a file differs and is not written."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the files anew")
    write = parser.parse_args().write
    stale = 0
    for name, rules in RULE_SETS.items():
        path = FOLDER / f"{name}.txt"
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        cases = read_cases(before) if before else new_cases(rules)
        for case in cases:
            check(case, rules)
        after = render(cases, rules)
        print(f"{path.name}: {'as it was' if after == before else 'differs'}")
        if after != before and write:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(after, encoding="utf-8")
        stale += after != before and not write
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
