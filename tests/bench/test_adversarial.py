"""The slowest hands that were found stay as slow as they were: nodes visited are counted, so no clock is asked."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from service.game.cards import sort_cards
from tests.bench.adversarial import (
    CLIMBS,
    CORPUS,
    HANDED_ON,
    NODES,
    climb,
    full_counts,
    handed_on,
    neighbour,
    nodes,
    search,
    write,
)
from tests.bench.corpora import CORPORA, Deal, read_corpus
from tests.bench.generate import RULE_SETS

SLACK = 1.1
RECORDED: dict[str, list[int]] = json.loads((CORPORA.parent / NODES).read_text(encoding="utf-8"))
DEALS = read_corpus(CORPORA / CORPUS)


def deals_of(name: str) -> list[Deal]:
    return [deal for deal in DEALS if deal.rules.name == name]


def test_every_rule_set_has_hands() -> None:
    assert tuple(RECORDED) == RULE_SETS
    assert all(CLIMBS // 2 < len(deals_of(name)) <= CLIMBS for name in RULE_SETS)


@pytest.mark.parametrize("name", RULE_SETS)
def test_no_hand_takes_more_nodes_than_recorded(name: str) -> None:
    for deal, recorded in zip(deals_of(name), RECORDED[name], strict=True):
        assert nodes(deal) <= SLACK * recorded, deal.line


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_search_found_worse_than_the_other_corpora_have(name: str) -> None:
    others = [path for path in CORPORA.glob("*.txt") if path.name != CORPUS]
    hands = [deal for path in others for deal in read_corpus(path)[:500] if deal.rules.name == name]
    assert max(map(nodes, deals_of(name))) > max(map(nodes, hands))


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_neighbour_is_another_hand_that_the_deck_allows(name: str) -> None:
    random = Random(1)
    deal = deals_of(name)[0]
    for _ in range(200):
        other = neighbour(random, deal)
        assert len(other.hand) == len(deal.hand)
        assert Counter(other.hand) <= full_counts(deal.rules)
        assert other.hand == tuple(sort_cards(other.hand))
        assert (Counter(other.hand) - Counter(deal.hand)).total() <= 2
        assert other.hand == deal.hand or other.turned_up == deal.turned_up
        deal = other


def test_a_climb_ends_no_lower_than_it_started_and_the_same_each_time() -> None:
    start = read_corpus(CORPORA / "built.txt")[2]
    cost, deal = climb(Random(1), start, 300)
    assert cost == nodes(deal) > nodes(start)
    assert climb(Random(1), start, 300) == (cost, deal)


def test_hands_are_handed_on_where_the_deck_has_the_cards() -> None:
    found = [[(nodes(deal), deal) for deal in deals_of(name)] for name in RULE_SETS]
    duel = handed_on("face-value-duel", found)
    assert all(Counter(deal.hand) <= full_counts(deal.rules) for deal in duel)
    assert {deal.rules.name for deal in duel} == {"face-value-duel"}
    assert len(duel) < len(handed_on("family-13", found)) <= HANDED_ON * len(RULE_SETS)


def test_what_is_written_is_read_again_with_the_same_nodes(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    found = search(["face-value-duel", "two-row-duel"], 2 * CLIMBS, 1)
    write(tmp_path, found, CLIMBS, 1)
    deals = read_corpus(tmp_path / "corpora" / CORPUS)
    recorded: dict[str, list[int]] = json.loads((tmp_path / NODES).read_text(encoding="utf-8"))
    assert all(costs == sorted(costs, reverse=True) for costs in recorded.values())
    assert [nodes(deal) for deal in deals] == [cost for costs in recorded.values() for cost in costs]
    assert len(deals) == len({deal.line for deal in deals})
