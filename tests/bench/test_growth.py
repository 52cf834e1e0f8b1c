"""Hands made to measure have what was asked for, long hands are answered right, and the report shows the figures."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest

from service.game.cards import JOKER, JOKER_TURNED_UP, NOTHING_TURNED_UP, Card, parse_card
from service.game.rules import HAND_SIZE
from service.game.solver import Solution, solve
from tests import oracle
from tests.bench import growth
from tests.bench.corpora import Deal, rule_sets
from tests.bench.growth import AXES, JOKERS, KINDS, PAIRS, SIZES, check, conclusions, main, points, three_packs
from tests.bench.hands import counted_deal, full_deck

LONG = "AS 2S 3S 4S 5H 6H 7H 8H 9D 9C 9S TS TH TC TD JC QC KC JOKER 4C 4D"


def wild_or_printed(deal: Deal) -> int:
    return sum(card is JOKER or card.rank is deal.wild for card in deal.hand)


@pytest.mark.parametrize("built", [False, True])
def test_a_counted_hand_has_so_many_jokers_and_pairs(built: bool) -> None:
    random, rules = Random(1), rule_sets()["family-13"]
    cases = [(jokers, 0) for jokers in JOKERS] + [(1, pairs) for pairs in PAIRS]
    for jokers, pairs in cases:
        deal = counted_deal(random, rules, jokers, pairs, built=built)
        others = Counter(card for card in deal.hand if card is not JOKER and card.rank is not deal.wild)
        assert len(deal.hand) == HAND_SIZE
        assert wild_or_printed(deal) == jokers
        assert sorted(others.values(), reverse=True)[:pairs] == [2] * pairs
        assert list(others.values()).count(2) == pairs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_a_long_hand_is_dealt_from_three_packs_and_answered_right(kind: str, size: int) -> None:
    random, rules = Random(2), three_packs()
    for _ in range(5):
        deal = KINDS[kind](random, rules, size)
        assert len(deal.hand) == size
        assert Counter(deal.hand) <= Counter(full_deck(rules))
        check(deal)


@pytest.mark.parametrize("kind", KINDS)
def test_17_cards_are_answered_with_the_optimum(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle's own search, told that hands have 17 cards."""

    @cache
    def without(mask: int) -> int:
        masks = 1
        for i in range(17):
            if not mask >> i & 1:
                masks |= masks << (1 << i)
        return masks

    monkeypatch.setattr(oracle, "_without", without)
    random, rules = Random(3), three_packs()
    for _ in range(4):
        deal = KINDS[kind](random, rules, 17)
        solution = solve(deal.hand, deal.wild, rules)
        worth = oracle.Worth(solution.declarable, solution.points, sum(map(len, solution.groups)))
        assert worth == oracle.best(deal.hand, deal.wild, rules), deal.line


def test_conclusions_name_the_dearest_and_the_cheapest_place() -> None:
    rows = [
        {"axis": axis, "at": at, "kind": "built", "mean": mean, "worst": worst}
        for axis in AXES
        for at, mean, worst in ((3, 8.0, 90.0), (4, 12.0, 40.0), (5, 4.0, 5.0))
    ]
    first, *_ = conclusions({"solver": "compiled", "rows": rows})
    assert first == (
        "Jokers in the hand, compiled: most at 4, 12.0; least at 5, 4.0 (a factor of 3.0). Worst hand: 90.0, at 3."
    )


def test_21_cards_that_lie_in_groups_can_be_shown() -> None:
    hand = tuple(parse_card(code) for code in LONG.split())
    solution = solve(hand, rule_sets()["online-13"].wild_rank(NOTHING_TURNED_UP), three_packs())
    assert (solution.declarable, solution.points, solution.ungrouped) == (True, 0, ())


def test_a_wrong_answer_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = three_packs()
    deal = Deal(rules, JOKER_TURNED_UP, tuple(parse_card(code) for code in LONG.split()))

    def lost(hand: tuple[Card, ...], *rest: object) -> Solution:
        return Solution((hand[:3],), (), 0, declarable=True, nodes=1)

    monkeypatch.setattr(growth, "solve", lost)
    with pytest.raises(ValueError, match=r"^online-13 JOKER AS 2S"):
        check(deal)


def test_the_points_cover_every_axis() -> None:
    places = {(point.axis, point.at, point.kind) for point in points(1)}
    jokers = {("jokers", at, kind) for at in JOKERS for kind in ("built", "random")}
    pairs = {("pairs", at, kind) for at in PAIRS for kind in ("built", "random")}
    assert places == jokers | pairs | {("cards", at, kind) for at in SIZES for kind in KINDS}


def test_measured_and_reported_the_same_twice(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    main(["measure", str(figures), "--hands", "1"])
    written = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        main(["report", str(figures), str(figures), "--docs", str(folder)])
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1]
    assert set(written[0]) == {"growth.md", "growth.json", "growth.svg"}
    text = written[0]["growth.md"].decode()
    rows = json.loads(written[0]["growth.json"])[0]["rows"]
    assert all(f"## {title}" in text for title in AXES.values())
    assert all(
        f"| {row['at']}, {row['kind']} | 1 | {row['nodes_mean']:.1f} | {row['nodes_median']:.0f} |" in text
        for row in rows
    )
