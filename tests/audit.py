"""Checks that an arrangement is what it claims to be, from the definitions alone."""

from collections import Counter
from collections.abc import Sequence

from service.game.arrangement import Arrangement, Group
from service.game.cards import JOKER, Card, Rank, sort_cards
from service.game.lives import Life
from service.game.melds import Kind
from service.game.rules import RuleSet
from tests import oracle


def worth(arrangement: Arrangement) -> oracle.Worth:
    """What the arrangement says of itself."""
    grouped = sum(len(group.cards) for group in arrangement.groups if group.kind is not Kind.NONE)
    return oracle.Worth(arrangement.declarable, arrangement.points, grouped)


def faults(arrangement: Arrangement, hand: Sequence[Card], wild: Rank | None, rules: RuleSet) -> list[str]:
    """Every way in which the arrangement of `hand` is not worth what it claims, in words; none when all is well."""
    found = []
    laid_out = [card for group in arrangement.groups for card in group.cards]
    if Counter(laid_out) + Counter(arrangement.ungrouped) != Counter(hand):
        found.append("groups and ungrouped cards are not the hand")
    groups = [group.cards for group in arrangement.groups]
    if oracle.submitted(hand, groups, wild, rules) != worth(arrangement):
        found.append(f"its groups are worth {oracle.submitted(hand, groups, wild, rules)}, not {worth(arrangement)}")
    for group in arrangement.groups:
        found += [f"{group.cards}: {fault}" for fault in _group_faults(group, wild, rules)]
    found += _life_faults(arrangement, rules)
    if [charge.card for charge in arrangement.charges] != _counting(arrangement, rules):
        found.append("charges are not of the cards that count")
    for charge in arrangement.charges:
        if charge.points != _value(charge.card, wild, rules):
            found.append(f"{charge.card} is charged {charge.points}")
    total = sum(charge.points for charge in arrangement.charges)
    if arrangement.points != (total if rules.cap is None else min(total, rules.cap)):
        found.append(f"{arrangement.points} points, but the charges make {total}")
    if bool(arrangement.reasons) == arrangement.declarable:
        found.append("reasons are given for a good show, or none for a bad one")
    return found


def _value(card: Card, wild: Rank | None, rules: RuleSet) -> int:
    if card is JOKER or (card.rank is wild and not rules.wild_left_over_counts):
        return 0
    assert card.rank is not None
    return rules.values[card.rank]


def _group_faults(group: Group, wild: Rank | None, rules: RuleSet) -> list[str]:
    if group.kind is Kind.NONE or group.plays_as is None:
        valid = oracle.classify(group.cards, wild, rules).valid
        bare = group.kind is Kind.NONE and group.plays_as is None and group.life is None
        return (["a valid group is called none"] if valid else []) + ([] if bare else ["half a reading"])
    found = []
    pairs = list(zip(group.cards, group.plays_as, strict=True))
    if any(card is not part and card.rank not in (None, wild) for card, part in pairs):
        found.append("a card that is no joker plays as another")
    if JOKER in group.plays_as or not any(card is part for card, part in pairs):
        found.append("no card is itself, or a joker is left a joker")
    pure = all(card is part for card, part in pairs)
    if not rules.wild_in_first_life and any(card.rank is wild for card in group.cards):
        pure = False
    if group.kind is Kind.SET:
        if not _is_set(group.plays_as):
            found.append(f"{group.plays_as} is no set")
    elif not _is_sequence(group.plays_as):
        found.append(f"{group.plays_as} is no sequence")
    elif (group.kind is Kind.PURE_SEQUENCE) != pure:
        found.append(f"called {group.kind}")
    return found


def _is_set(cards: Sequence[Card]) -> bool:
    one_rank = len({card.rank for card in cards}) == 1
    return one_rank and len({card.suit for card in cards}) == len(cards) and 3 <= len(cards) <= 4


def _is_sequence(cards: Sequence[Card]) -> bool:
    order = "A23456789TJQKA"
    ranks = "".join(card.code[0] for card in cards)
    return len({card.suit for card in cards}) == 1 and 3 <= len(ranks) <= 13 and ranks in order


def _life_faults(arrangement: Arrangement, rules: RuleSet) -> list[str]:
    lives = {group.life: group for group in arrangement.groups if group.life is not None}
    named = [group.life for group in arrangement.groups if group.life is not None]
    found = [] if len(named) == len(lives) else ["a life is named twice"]
    first, second = lives.get(Life.FIRST), lives.get(Life.SECOND)
    if first and not (first.kind is Kind.PURE_SEQUENCE and rules.loser_first_life.allow(len(first.cards))):
        found.append("the first life is none")
    is_sequence = second is not None and second.kind in (Kind.PURE_SEQUENCE, Kind.IMPURE_SEQUENCE)
    if second and not (is_sequence and rules.second_life and rules.second_life.allow(len(second.cards))):
        found.append("the second life is none")
    if second and not first:
        found.append("a second life without a first")
    return found


def _counting(arrangement: Arrangement, rules: RuleSet) -> list[Card]:
    """The cards that count, by the lives as they are named."""
    lives = {group.life for group in arrangement.groups}
    safe = [group for group in arrangement.groups if group.kind is not Kind.NONE]
    if "FIRST" not in lives:
        safe = []
    elif "SECOND" not in lives and rules.loser_needs_second_life:
        safe = [group for group in arrangement.groups if group.life == "FIRST"]
    counting = [card for group in arrangement.groups if group not in safe for card in group.cards]
    return sort_cards([*counting, *arrangement.ungrouped])
