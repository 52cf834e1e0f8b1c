"""Self check: two hands whose answers are known, solved before a worker takes traffic."""

from collections.abc import Mapping
from typing import Final

from service.game.cards import NATURAL_CARDS, parse_card
from service.game.rules import RuleSet
from service.game.verdict import Solve

# Every rule set takes the thirteen spades as a show, and finds nothing at all in the hand without a pair or a run.
_SHOW: Final = NATURAL_CARDS[:13]
_NOTHING: Final = tuple(map(parse_card, ("AS", "4S", "9S", "QS", "3H", "6H", "JH", "5D", "8D", "KD", "2C", "7C", "TC")))


def solves_right(rule_sets: Mapping[str, RuleSet], solve: Solve) -> bool:
    """Whether two known hands, a show and one with nothing in it, come out right under every rule set."""
    return all(_show_is_found(rules, solve) and _nothing_is_found(rules, solve) for rules in rule_sets.values())


def _show_is_found(rules: RuleSet, solve: Solve) -> bool:
    best = solve(_SHOW, None, rules)
    return best.declarable and best.points == 0


def _nothing_is_found(rules: RuleSet, solve: Solve) -> bool:
    best = solve(_NOTHING, None, rules)
    total = sum(rules.values)
    return not best.declarable and best.points == (total if rules.cap is None else min(total, rules.cap))
