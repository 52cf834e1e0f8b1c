"""The stopwatch counts right, and every corpus is measured. No test looks at a time."""

import gc
from pathlib import Path

import pytest

from bench.corpora import CORPORA, read_corpus
from bench.measure import RUNS, Figures, figures, time_deals
from bench.solves import CALLS, measure
from service.game.cards import Card, Rank, sort_cards
from service.game.rules import RuleSet

HANDS = 10


@pytest.fixture
def small_corpus(tmp_path: Path) -> Path:
    lines = (CORPORA / "built.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "small.txt"
    path.write_text("".join(lines[-HANDS:]), encoding="utf-8")
    return path


def test_figures_of_one_to_a_hundred_microseconds() -> None:
    times = [1000 * microseconds for microseconds in range(100, 0, -1)]
    assert figures(times) == Figures(
        hands=100, per_second=100 / 0.00505, mean=50.5, median=50.5, percentile_99=99, worst=100
    )


def test_the_99_percent_point_of_few_hands_is_the_worst() -> None:
    assert figures([3000, 1000, 2000]).percentile_99 == 3


def test_every_hand_is_solved_sorted_once_in_each_pass(small_corpus: Path) -> None:
    deals = read_corpus(small_corpus)
    seen: list[tuple[tuple[Card, ...], Rank | None, RuleSet]] = []
    timings = time_deals(lambda *question: seen.append(question), deals)
    assert seen == [(tuple(sort_cards(deal.hand)), deal.wild, deal.rules) for deal in deals] * RUNS
    assert [timing.deal for timing in timings] == deals
    assert all(timing.best <= timing.first for timing in timings)


def test_a_failing_solver_leaves_the_garbage_collector_on(small_corpus: Path) -> None:
    def fail(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> None:
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        time_deals(fail, read_corpus(small_corpus))
    assert gc.isenabled()


def test_every_corpus_is_measured(small_corpus: Path) -> None:
    """Each call has a row for the whole corpus, and one for each rule set in it."""
    rows = measure([small_corpus])["rows"]
    totals = [row for row in rows if row["rule_set"] == "all"]
    assert [(row["corpus"], row["call"], row["best"]["hands"]) for row in totals] == [
        ("small", call, HANDS) for call in CALLS
    ]
    assert sum(row["best"]["hands"] for row in rows if row["rule_set"] != "all") == HANDS * len(CALLS)
    assert {row["slowest"] for row in totals} <= {deal.line for deal in read_corpus(small_corpus)}
