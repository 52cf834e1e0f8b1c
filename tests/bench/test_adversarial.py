"""The slowest hands that were found stay as slow as they were: nodes visited are counted, so no clock is asked."""

import json
from pathlib import Path

import pytest

from bench.adversarial import (
    CLIMBS,
    CORPUS,
    NODES,
    search,
    write,
)
from bench.corpora import CORPORA, Deal, read_corpus
from bench.generate import RULE_SETS
from bench.measure import nodes

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


def test_what_is_written_is_read_again_with_the_same_nodes(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    found = search(["face-value-duel", "two-row-duel"], 2 * CLIMBS, 1)
    write(tmp_path, found, CLIMBS, 1)
    deals = read_corpus(tmp_path / "corpora" / CORPUS)
    recorded: dict[str, list[int]] = json.loads((tmp_path / NODES).read_text(encoding="utf-8"))
    assert all(costs == sorted(costs, reverse=True) for costs in recorded.values())
    assert [nodes(deal) for deal in deals] == [cost for costs in recorded.values() for cost in costs]
    assert len(deals) == len({deal.line for deal in deals})
