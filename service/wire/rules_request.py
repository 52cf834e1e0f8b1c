"""Rules of a request: the rule set that it names, what was turned up, and the deck of its table."""

from collections.abc import Mapping
from typing import Any

from service.game.cards import NOTHING_TURNED_UP, TurnedUp
from service.game.rules import Deck, RuleSet
from service.wire.faults import Faults


def find_rule_set(data: Mapping[str, Any], rule_sets: Mapping[str, RuleSet], faults: Faults) -> RuleSet | None:
    """The rule set that is named, None if there is none of that name."""
    name: str | None = data.get("rule_set")
    rules = None if name is None else rule_sets.get(name)
    if name is not None and rules is None:
        faults.add(("rule_set",), "UNKNOWN_RULE_SET", {"name": name, "known": list(rule_sets)})
    return rules


def find_turned_up(data: Mapping[str, Any], rules: RuleSet | None, faults: Faults) -> TurnedUp:
    """What was turned up, if the rule set has it."""
    turned_up: TurnedUp = data.get("wild_rank") or NOTHING_TURNED_UP
    if rules is not None:
        try:
            rules.wild_rank(turned_up)
        except ValueError:
            faults.add(("wild_rank",), "WILD_RANK_NOT_POSSIBLE", {"rule_set": rules.name})
    return turned_up


def find_deck(rules: RuleSet | None, players: int | None, faults: Faults) -> Deck | None:
    """The deck of the table; without a good number of players, the one with the most packs."""
    if rules is None:
        return None
    try:
        return rules.deck(players)
    except ValueError:
        fewest, most = rules.players
    if fewest == most:
        faults.add(("players",), "WRONG_PLAYERS.EXACTLY", {"rule_set": rules.name, "players": most})
    else:
        faults.add(("players",), "WRONG_PLAYERS.FROM_TO", {"rule_set": rules.name, "fewest": fewest, "most": most})
    return rules.deck(None)
