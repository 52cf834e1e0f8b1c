"""Any number of hands against the oracle, on all cores: `python -m tests.fuzz 10000 --seed 1`.

Prints the first failing hand as JSON, a request body for /score with what was found, and exits 1 on any mismatch.
"""

import argparse
import json
import multiprocessing
import random
import sys
from collections.abc import Sequence
from itertools import islice

from service.game.arrangement import Arrangement
from service.game.cards import Card, sort_cards
from service.game.verdict import Question, best_arrangement, judge_show
from tests import oracle
from tests.audit import faults, worth
from tests.strategies import RULE_SETS, Deal, make_groups, make_laid_out, seeded_deals

CHUNK = 50


def failure(deal: Deal, groups: Sequence[tuple[Card, ...]] | None = None) -> dict[str, object] | None:
    """How core and oracle differ over the best arrangement, or over the one laid out; None where they agree."""
    if groups is None:
        expected = oracle.best(deal.hand, deal.wild, deal.rules)
    else:
        expected = oracle.submitted(deal.hand, groups, deal.wild, deal.rules)
    try:
        found = arrangement_of(deal, groups)
    except Exception as error:  # noqa: BLE001 - a crash is a finding like any other, and its hand has to be shown
        return report(deal, groups, expected, [repr(error)])
    differences = faults(found, deal.hand, deal.wild, deal.rules)
    if worth(found) == expected and not differences:
        return None
    return report(deal, groups, expected, [str(worth(found)), *differences])


def arrangement_of(deal: Deal, groups: Sequence[tuple[Card, ...]] | None) -> Arrangement:
    """What the core makes of it."""
    if groups is None:
        return best_arrangement(tuple(sort_cards(deal.hand)), deal.wild, deal.rules)
    submitted = judge_show(Question(deal.rules, deal.turned_up, deal.hand, tuple(groups))).submitted
    assert submitted is not None
    return submitted


def report(
    deal: Deal, groups: Sequence[tuple[Card, ...]] | None, expected: oracle.Worth, found: list[str]
) -> dict[str, object]:
    """A request body that shows the mismatch again, and both answers."""
    request: dict[str, object] = {
        "rule_set": deal.rules.name,
        "players": deal.players,
        "wild_rank": deal.turned_up.code,
        "hand": [card.code for card in deal.hand],
    }
    if groups is not None:
        request["groups"] = [[card.code for card in group] for group in groups]
    return {"request": request, "oracle": str(expected), "core": found}


def run_chunk(part: tuple[int, int, int]) -> list[dict[str, object]]:
    """The failures among the hands of one part of a seed; each hand is judged alone and laid out in groups."""
    seed, start, stop = part
    found = [failure(deal) for deal in seeded_deals(seed, start, stop)]
    rng = random.Random(f"{seed}:{start}:groups")
    rule_sets = list(RULE_SETS.values())
    for number, deal in enumerate(seeded_deals(seed, start, stop)):
        if number % 2:
            found[number] = found[number] or failure(deal, make_groups(rng.choice, deal, []))
        else:
            found[number] = found[number] or failure(*make_laid_out(rng.choice, rng.choice(rule_sets)))
    return [report for report in found if report is not None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("count", type=int, metavar="N", help="how many hands")
    parser.add_argument("--seed", type=int, default=1, help="which hands (default 1)")
    options = parser.parse_args(arguments)
    parts = [(options.seed, start, min(start + CHUNK, options.count)) for start in range(0, options.count, CHUNK)]
    failed = done = 0
    with multiprocessing.Pool() as pool:
        for (_, start, stop), reports in zip(parts, pool.imap(run_chunk, parts), strict=True):
            for report in islice(reports, 0 if failed else 1):
                print("mismatch:", json.dumps(report, ensure_ascii=False), flush=True)
            failed += len(reports)
            done += stop - start
            if done % 1000 == 0:
                print(f"{done} of {options.count}", flush=True)
    print(f"{done - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
