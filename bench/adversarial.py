"""`python -m bench adversarial`: a search for the hands on which the solver visits most nodes.

Simulated annealing from the worst hands of the other corpora, then from the worst found for any rule set: change a card
(or the wild rank) for another, keep what costs more, and at first some of what costs less. The worst become the corpus
`adversarial`, and their nodes are written to `nodes.json`, which a test holds the solver to. The same steps and seed
find the same hands.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from math import exp
from pathlib import Path
from random import Random
from typing import Final

from bench.corpora import CORPORA, Deal, corpus_text, read_corpus, rule_sets
from bench.generate import DEALERS, RULE_SETS
from bench.hands import full_deck, pick
from bench.measure import nodes
from service.game.cards import NOTHING_TURNED_UP, Card, Rank, TurnedUp, sort_cards
from service.game.rules import RuleSet

CORPUS: Final = "adversarial.txt"
NODES: Final = "nodes.json"
CLIMBS: Final = 20
HANDED_ON: Final = 5
# A hand that costs a tenth less is taken with probability 1/e at the start of a climb, and hardly ever at its end.
WARMEST: Final = 0.1
COLDEST: Final = 0.003
NEW_WILD_RANK: Final = 0.05
TWO_CARDS: Final = 0.25
WILD_RANKS: Final = (NOTHING_TURNED_UP, *map(TurnedUp, Rank))


def neighbour(random: Random, deal: Deal) -> Deal:
    """The hand with another wild rank, or with one or two cards changed for others that the deck has left."""
    if random.random() < NEW_WILD_RANK:
        return replace(deal, turned_up=pick(random, [rank for rank in WILD_RANKS if rank != deal.turned_up]))
    hand = list(deal.hand)
    for _ in range(2 if random.random() < TWO_CARDS else 1):
        left = full_counts(deal.rules) - Counter(hand)
        hand[int(random.random() * len(hand))] = pick(random, list(left))
    return replace(deal, hand=tuple(sort_cards(hand)))


@cache
def full_counts(rules: RuleSet) -> Counter[Card]:
    """How often each card is in the deck."""
    return Counter(full_deck(rules))


def climb(random: Random, start: Deal, steps: int) -> tuple[int, Deal]:
    """The worst hand met in so many steps from `start`, and its nodes."""
    here, cost = start, nodes(start)
    worst = cost, here
    for step in range(steps):
        warmth = WARMEST * (COLDEST / WARMEST) ** (step / steps)
        other = neighbour(random, here)
        other_cost = nodes(other)
        if other_cost >= cost or random.random() < exp((other_cost / cost - 1) / warmth):
            here, cost = other, other_cost
            if cost > worst[0]:
                worst = cost, here
    return worst


Found = list[tuple[int, Deal]]


def starts(name: str) -> list[Deal]:
    """The worst hands of a rule set in the corpora that are dealt, with sorted cards."""
    deals = [deal for corpus in DEALERS for deal in read_corpus(CORPORA / f"{corpus}.txt") if deal.rules.name == name]
    ordered = sorted(deals, key=nodes, reverse=True)[:CLIMBS]
    return [Deal(deal.rules, deal.turned_up, tuple(sort_cards(deal.hand))) for deal in ordered]


def handed_on(name: str, found: Iterable[Found]) -> list[Deal]:
    """The worst hands that were found for any rule set, under the rule set `name` and where its deck has the cards.

    What is slow under one rule set is a good place to start under another, that its own hands are far from.
    """
    rules = rule_sets()[name]
    deals = {
        deal.line: deal
        for pairs in found
        for deal in (replace(deal, rules=rules) for _, deal in pairs[:HANDED_ON])
        if Counter(deal.hand) <= full_counts(rules)
    }
    return list(deals.values())


def climb_from(deals: list[Deal], steps: int, seed: str) -> Found:
    """What a climb from each of the deals found in `steps` steps in all, each hand once, the worst first."""
    found = {}
    for number, start in enumerate(deals):
        # A generator for each climb: none depends on how long another is.
        cost, deal = climb(Random(f"{seed} {number}"), start, steps // len(deals))
        found[deal.line] = cost, deal
    return worst_first(found.values())


def worst_first(found: Iterable[tuple[int, Deal]]) -> Found:
    """The `CLIMBS` worst hands, the worst first."""
    return sorted(found, key=lambda pair: (-pair[0], pair[1].line))[:CLIMBS]


def search(names: Iterable[str], steps: int, seed: int) -> dict[str, Found]:
    """The worst hands of each rule set: half of the steps from the corpora, half from what the first half found."""
    first = {name: climb_from(starts(name), steps // 2, f"{seed} {name}") for name in names}
    found = {}
    for name, pairs in first.items():
        more = climb_from(handed_on(name, first.values()), steps // 2, f"{seed} {name} again")
        both = {deal.line: (cost, deal) for cost, deal in pairs + more}
        found[name] = worst_first(both.values())
    return found


def write(folder: Path, found: dict[str, Found], steps: int, seed: int) -> None:
    """The corpus and the recorded nodes, both in the order of the hands."""
    provenance = [
        f"Made by `python -m bench adversarial --steps {steps} --seed {seed}`: the hands on which the solver",
        f"visits most nodes, by rule set, the worst first: the {CLIMBS} worst that climbs ended on.",
        "Each line: rule set, wild rank (- for none, JOKER for a printed joker turned up), 13 cards.",
    ]
    deals = [deal for pairs in found.values() for _, deal in pairs]
    (folder / "corpora" / CORPUS).write_text(corpus_text(provenance, deals), encoding="utf-8")
    recorded = {name: [cost for cost, _ in pairs] for name, pairs in found.items()}
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(costs)}" for name, costs in recorded.items())
    (folder / NODES).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def summary(name: str, pairs: Found) -> Iterator[str]:
    """What is printed of a rule set: the nodes before and after the search, and the worst hand."""
    yield f"{name}: {nodes(starts(name)[0])} nodes in the other corpora, {pairs[0][0]} found ({len(pairs)} hands)"
    yield f"  {pairs[0][1].line}"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench adversarial", description=__doc__)
    parser.add_argument("--steps", type=int, default=800_000, metavar="N", help="hands tried for each rule set")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--folder", type=Path, default=CORPORA.parent, help="where nodes.json and corpora/ are")
    options = parser.parse_args(arguments)
    found = search(RULE_SETS, options.steps, options.seed)
    sys.stdout.writelines(f"{line}\n" for name in found for line in summary(name, found[name]))
    write(options.folder, found, options.steps, options.seed)
