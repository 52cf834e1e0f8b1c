"""The cache: right answers, an exact report of each look-up, from one thread or many."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from service.game.arrangement import Arrangement
from service.game.cards import NATURAL_CARDS, Card, Rank
from service.game.rules import RuleSet
from service.game.verdict import best_arrangement
from service.startup.rule_files import load_rule_sets
from service.web.solve_cache import SolveCache

RULE_SETS = load_rule_sets()
RULES = RULE_SETS["online-13"]
HANDS = [NATURAL_CARDS[start : start + 13] for start in range(40)]


def test_a_hand_is_solved_once() -> None:
    reports: list[float | None] = []
    cache = SolveCache(best_arrangement, 100, reports.append)
    first, second = (cache(HANDS[0], None, RULES) for _ in range(2))
    assert first == second == best_arrangement(HANDS[0], None, RULES)
    assert reports[0] is not None
    assert reports[0] > 0
    assert reports[1:] == [None]
    assert len(cache) == 1


def test_wild_rank_and_rule_set_count() -> None:
    reports: list[float | None] = []
    cache = SolveCache(best_arrangement, 100, reports.append)
    for rules in RULE_SETS.values():
        for wild in (None, Rank.SEVEN, Rank.ACE):
            assert cache(HANDS[5], wild, rules) == best_arrangement(HANDS[5], wild, rules)
    assert None not in reports
    assert len(cache) == len(reports) == 15


def test_the_least_recently_used_hand_is_forgotten() -> None:
    reports: list[float | None] = []
    cache = SolveCache(best_arrangement, 2, reports.append)
    for hand in (HANDS[0], HANDS[1], HANDS[0], HANDS[2], HANDS[0], HANDS[1]):
        cache(hand, None, RULES)
    assert [report is None for report in reports] == [False, False, True, False, True, False]
    assert len(cache) == 2


def test_size_zero_switches_the_cache_off() -> None:
    reports: list[float | None] = []
    cache = SolveCache(best_arrangement, 0, reports.append)
    cache(HANDS[0], None, RULES)
    cache(HANDS[0], None, RULES)
    assert None not in reports
    assert len(cache) == 0


def test_a_crash_is_neither_remembered_nor_reported() -> None:
    reports: list[float | None] = []
    crashes = [ValueError("once")]

    def solve(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
        if crashes:
            raise crashes.pop()
        return best_arrangement(hand, wild, rules)

    cache = SolveCache(solve, 10, reports.append)
    with pytest.raises(ValueError, match="once"):
        cache(HANDS[0], None, RULES)
    assert reports == []
    cache(HANDS[0], None, RULES)
    assert len(reports) == 1


def test_reports_are_exact_from_many_threads() -> None:
    """As many misses are reported as the solver was called, and each call is reported once."""
    solved: Counter[tuple[Card, ...]] = Counter()
    reports: list[float | None] = []
    together = Barrier(8)

    def solve(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
        solved[hand] += 1
        return best_arrangement(hand, wild, rules)

    cache = SolveCache(solve, 1000, reports.append)

    def player() -> None:
        together.wait()
        for hand in HANDS * 5:
            assert cache(hand, None, RULES) == expected[hand]

    expected = {hand: best_arrangement(hand, None, RULES) for hand in HANDS}
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(player) for _ in range(8)]:
            done.result()
    misses = [report for report in reports if report is not None]
    assert len(reports) == 8 * 5 * len(HANDS)
    assert len(misses) == solved.total()
    assert len(cache) == len(HANDS)
