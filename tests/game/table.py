"""Short ways to lay cards on the table in a test."""

from service.game.arrangement import Group, assess
from service.game.cards import NOTHING_TURNED_UP, Card, TurnedUp, parse_card, parse_turned_up
from service.game.verdict import Question, Verdict, judge_show, score_hand
from tests.strategies import RULE_SETS


def cards(text: str) -> tuple[Card, ...]:
    """ "AH 10♥ JOKER" as cards."""
    return tuple(parse_card(code) for code in text.split())


def turned_up(text: str | None) -> TurnedUp:
    """What lies face up, as the wire says it."""
    return NOTHING_TURNED_UP if text is None else parse_turned_up(text)


def read(group: str, wild: str | None = None, rule_set: str = "online-13") -> Group:
    """How one group by itself is read."""
    rules = RULE_SETS[rule_set]
    return assess([cards(group)], [], rules.wild_rank(turned_up(wild)), rules).groups[0]


def ask(rule_set: str, groups: str, wild: str | None = None, loose: str = "") -> Question:
    """A hand laid out in groups, "AH 2H 3H | 9C 9D 9S", with cards left loose beside them; it has 13 cards."""
    laid_out = tuple(cards(group) for group in groups.split("|"))
    hand = tuple(card for group in laid_out for card in group) + cards(loose)
    assert len(hand) == 13
    return Question(RULE_SETS[rule_set], turned_up(wild), hand, laid_out)


def show(rule_set: str, groups: str, wild: str | None = None, loose: str = "") -> Verdict:
    """The verdict on a show."""
    return judge_show(ask(rule_set, groups, wild, loose))


def score(rule_set: str, groups: str, wild: str | None = None, loose: str = "") -> Verdict:
    """What a loser with these groups is charged."""
    return score_hand(ask(rule_set, groups, wild, loose))


def codes(verdict: Verdict) -> list[str]:
    """The reason codes, in order."""
    return [reason.code for reason in verdict.reasons]
