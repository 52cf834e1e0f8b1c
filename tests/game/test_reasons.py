"""Reasons: every code of the contract is reached, names the cards, and says in one sentence what would be needed."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from service.game.arrangement import assess
from service.game.cards import Card, sort_cards
from service.game.melds import Kind
from service.game.reasons import Reason
from service.wire.messages.reasons import reason_message
from tests.game.table import cards, codes, show
from tests.strategies import FIXED, RULE_SETS, Deal, derive, laid_out_deals

GROUP_CODES = [
    *("TOO_FEW_CARDS", "NOT_CONSECUTIVE", "WRAPS_AROUND_ACE", "MIXED_SUITS", "REPEATED_CARD", "REPEATED_SUIT"),
    *("SET_TOO_LARGE", "MIXED_RANKS", "JOKERS_ONLY"),
]
HAND_CODES = [
    *("NO_PURE_SEQUENCE", "FIRST_LIFE_TOO_SHORT", "FIRST_LIFE_TOO_LONG", "WILD_IN_FIRST_LIFE", "NO_SECOND_SEQUENCE"),
    *("SECOND_LIFE_TOO_SHORT", "SECOND_LIFE_TOO_LONG", "INVALID_GROUP", "UNGROUPED_CARDS"),
]


def faults_of_group(group: str, wild: str = "2") -> list[tuple[str, str]]:
    """Codes and messages for a group by itself; they all name it by its index and its cards."""
    rules, laid_out = RULE_SETS["family-13"], cards(group)
    arrangement = assess([laid_out], [], cards(wild + "S")[0].rank, rules)
    reasons = [reason for reason in arrangement.reasons if reason.code in GROUP_CODES]
    assert {(reason.group, reason.cards) for reason in reasons} <= {(0, tuple(sort_cards(laid_out)))}
    return [(reason.code, reason_message(reason)) for reason in reasons]


GROUP_REASONS = [
    ("5D 6D", [("TOO_FEW_CARDS", "5♦ 6♦ is too short: a sequence or a set has at least 3 cards.")]),
    ("5D", [("TOO_FEW_CARDS", "5♦ is too short: a sequence or a set has at least 3 cards.")]),
    ("5D 6D 8D", [("NOT_CONSECUTIVE", "5♦ 6♦ 8♦ is not a sequence: 7♦ is missing.")]),
    ("8D 6D 5D", [("NOT_CONSECUTIVE", "5♦ 6♦ 8♦ is not a sequence: 7♦ is missing.")]),
    ("5D 7D 9D", [("NOT_CONSECUTIVE", "5♦ 7♦ 9♦ is not a sequence: 6♦ and 8♦ are missing.")]),
    (
        "3H 5H 7H JOKER",
        [
            (
                "NOT_CONSECUTIVE",
                "3♥ 5♥ 7♥ Joker is not a sequence: 4♥ and 6♥ are missing, and there is only 1 joker to stand in.",
            )
        ],
    ),
    ("QS KS AS 3S", [("NOT_CONSECUTIVE", "A♠ 3♠ Q♠ K♠ is not a sequence")]),
    (
        "KH AH 3H JOKER",
        [
            (
                "WRAPS_AROUND_ACE",
                "A♥ 3♥ K♥ Joker is not a sequence: the ace is the lowest card or the highest, and no sequence goes on",
            )
        ],
    ),
    (
        "5D 6D 8H",
        [
            ("MIXED_SUITS", "8♥ 5♦ 6♦ is not a sequence: all its cards must be of one suit."),
            ("MIXED_RANKS", "8♥ 5♦ 6♦ is not a set: all its cards must be of one rank."),
        ],
    ),
    ("4D 4D 5D JOKER", [("REPEATED_CARD", "4♦ 4♦ 5♦ Joker is not a sequence: 4♦ stands in it more than once.")]),
    (
        "9S 9S 9D",
        [
            (
                "REPEATED_SUIT",
                "9♠ 9♠ 9♦ is not a set: 9♠ stands in it more than once, and every card must be of a different suit.",
            )
        ],
    ),
    (
        "8D 8C 8S 8H JOKER",
        [
            (
                "SET_TOO_LARGE",
                "8♠ 8♥ 8♦ 8♣ Joker is not a set: it has 5 cards, and a set has at most 4, jokers included.",
            )
        ],
    ),
    (
        "JOKER JOKER JOKER",
        [
            (
                "JOKERS_ONLY",
                "Joker Joker Joker is neither a sequence nor a set: at least one card must stand for itself.",
            )
        ],
    ),
    ("JOKER", [("TOO_FEW_CARDS", "Joker is too short"), ("JOKERS_ONLY", "Joker is neither")]),
    ("5D 9H", [("TOO_FEW_CARDS", "9♥ 5♦ is too short"), ("MIXED_SUITS", "9♥ 5♦"), ("MIXED_RANKS", "9♥ 5♦")]),
    (
        "8S 8S 8H 8D 8C",
        [("REPEATED_SUIT", "8♠ 8♠ 8♥ 8♦ 8♣ is not a set"), ("SET_TOO_LARGE", "8♠ 8♠ 8♥ 8♦ 8♣ is not a set")],
    ),
    ("4D 4D 7D", [("NOT_CONSECUTIVE", "5♦ and 6♦ are missing"), ("REPEATED_CARD", "4♦ stands in it more than once")]),
]


@pytest.mark.parametrize(("group", "expected"), GROUP_REASONS, ids=[group for group, _ in GROUP_REASONS])
def test_why_a_group_is_none(group: str, expected: list[tuple[str, str]]) -> None:
    """All that applies, in the order of the contract; the words in full, or a part of them."""
    found = faults_of_group(group)
    assert [code for code, _ in found] == [code for code, _ in expected]
    for (_, message), (_, part) in zip(found, expected, strict=True):
        assert message == part if part.endswith(".") else part in message


def test_king_ace_two_wraps_around() -> None:
    """K-A-2 is no sequence (spec, section 2)."""
    assert [code for code, _ in faults_of_group("KH AH 2H", wild="9")] == ["WRAPS_AROUND_ACE"]
    assert [code for code, _ in faults_of_group("QH KH AH 2H 3H", wild="9")] == ["WRAPS_AROUND_ACE"]


def test_a_valid_group_has_no_reason_of_its_own() -> None:
    assert faults_of_group("5D 6D 7D") == faults_of_group("5D 5H JOKER") == []


HAND_REASONS = {
    "NO_PURE_SEQUENCE": (
        show("online-13", "3S 4S JOKER | 7H 8H JOKER | 9C 9D 9S | TH TD TC TS", "2"),
        None,
        "",
        "There is no pure sequence: at least 3 cards of one suit in a row, with no joker among them, are needed.",
    ),
    "FIRST_LIFE_TOO_SHORT": (
        show("rulebook-13", "3S 4S 5S | 7H 8H JOKER | 9C 9D 9S | TH TD TC TS", "2"),
        0,
        "3S 4S 5S",
        "3♠ 4♠ 5♠ is too short for the first life: to show, it needs at least 4 cards.",
    ),
    "FIRST_LIFE_TOO_LONG": (
        show("two-row-duel", "7H 8H JOKER | 3S 4S 5S 6S 7S 8S | TH TD TC TS", "2"),
        1,
        "3S 4S 5S 6S 7S 8S",
        "3♠ 4♠ 5♠ 6♠ 7♠ 8♠ is too long for the first life: it may have at most 5 cards.",
    ),
    "WILD_IN_FIRST_LIFE": (
        show("two-row-duel", "7H 8H JOKER | 2S 3S 4S | TH TD TC TS | 9C 9D 9S", "2"),
        1,
        "2S 3S 4S",
        "2♠ 3♠ 4♠ is no first life: 2♠ is a wild card, and none may stand in it, not even in its own place.",
    ),
    "NO_SECOND_SEQUENCE": (
        show("family-13", "3S 4S 5S | 7H 7D JOKER | 9C 9D 9S | TH TD TC TS", "2"),
        None,
        "",
        "There is no second sequence: besides the first life, another sequence of at least 3 cards is needed.",
    ),
    "SECOND_LIFE_TOO_LONG": (
        show("two-row-duel", "3S 4S 5S | 6H 7H 8H 9H TH JOKER | TD TC TS AS", "A"),
        1,
        "6H 7H 8H 9H TH JOKER",
        "too long for the second life: it may have at most 5 cards.",
    ),
    "INVALID_GROUP": (
        show("online-13", "3S 4S 5S | 7H 8H JOKER | 9S 9C 9D | TH TD TC 8S", "2"),
        None,
        "8S TH TD TC",
        "Every group must be a sequence or a set, and that is not so here: 8♠ 10♥ 10♦ 10♣.",
    ),
    "UNGROUPED_CARDS": (
        show("online-13", "3S 4S 5S | 7H 8H JOKER | 9S 9C 9D | TH TD TC", "2", loose="8S"),
        None,
        "8S",
        "8♠ is in no group: to show, all 13 cards must be in groups.",
    ),
}


@pytest.mark.parametrize("code", HAND_REASONS)
def test_why_a_hand_is_no_show(code: str) -> None:
    verdict, group, named, message = HAND_REASONS[code]
    assert not verdict.valid
    reason = next(reason for reason in verdict.reasons if reason.code == code)
    assert (reason.group, reason.cards) == (group, cards(named))
    assert message in reason_message(reason)


def test_a_second_life_can_be_too_short() -> None:
    """No rule set of the five asks for that; the list of codes is open."""
    rules = derive("online-13", {"second_life.min": 4})
    groups = [cards("3S 4S 5S"), cards("7H 8H JOKER"), cards("9C 9D 9S"), cards("TH TD TC TS")]
    (reason,) = assess(groups, [], None, rules).reasons
    assert (reason.code, reason.group, reason.cards) == ("SECOND_LIFE_TOO_SHORT", 1, cards("7H 8H JOKER"))
    assert reason_message(reason) == "7♥ 8♥ Joker is too short for the second life: it needs at least 4 cards."


def test_several_cards_are_named_in_one_sentence() -> None:
    verdict = show("online-13", "3S 4S 5S | 7H 8H JOKER | 9S 9C 9D", "2", loose="8S TH TD KC")
    assert [reason_message(reason) for reason in verdict.reasons] == [
        "8♠ 10♥ 10♦ K♣ are in no group: to show, all 13 cards must be in groups."
    ]


def test_an_empty_group_is_too_short() -> None:
    arrangement = assess([cards("3S 4S 5S"), ()], [], None, RULE_SETS["online-13"])
    reason = arrangement.reasons[0]
    assert (reason.code, reason.group, arrangement.groups[1].kind) == ("TOO_FEW_CARDS", 1, Kind.NONE)
    assert reason_message(reason) == "An empty group is too short: a sequence or a set has at least 3 cards."


def test_all_reasons_are_given_and_in_the_fixed_order() -> None:
    """ "All that apply, in a fixed order, not the first one only" (spec, section 4)."""
    verdict = show("rulebook-13", "5D 6D 8H | 3S 4S 5S | 9S 9S 9D | KH AH", "2", loose="KC 4C")
    assert codes(verdict) == [
        *("MIXED_SUITS", "MIXED_RANKS", "REPEATED_SUIT", "TOO_FEW_CARDS"),
        *("FIRST_LIFE_TOO_SHORT", "NO_SECOND_SEQUENCE", "INVALID_GROUP", "UNGROUPED_CARDS"),
    ]
    assert [reason.group for reason in verdict.reasons] == [0, 0, 2, 3, 1, None, None, None]
    assert verdict.reasons[6].cards == cards("8H 5D 6D 9S 9S 9D AH KH")


def is_sentence(reason: Reason) -> bool:
    """One sentence: a capital letter, a number or a card first, one full stop, at the end."""
    return re.fullmatch(r"[A-Z0-9][^.!?\n]*\.", reason_message(reason)) is not None


def order_of(reason: Reason) -> tuple[int, int, int]:
    """Group reasons first, by group; then those of the hand; each in the order of the contract."""
    if reason.code in GROUP_CODES:
        assert reason.group is not None
        return 0, reason.group, GROUP_CODES.index(reason.code)
    return 1, HAND_CODES.index(reason.code), reason.group or 0


@settings(FIXED, max_examples=300)
@given(laid_out_deals())
def test_reasons_in_general(laid_out: tuple[Deal, Sequence[tuple[Card, ...]]]) -> None:
    """For any groups: one sentence each, the cards named, a fixed order, and a reason for every group that is none."""
    deal, groups = laid_out
    loose = list(deal.hand)
    for group in groups:
        for card in group:
            loose.remove(card)
    arrangement = assess(groups, loose, deal.wild, deal.rules)
    reasons = arrangement.reasons
    assert all(is_sentence(reason) for reason in reasons)
    assert all(card.symbol in reason_message(reason) for reason in reasons for card in reason.cards)
    assert sorted(reasons, key=order_of) == list(reasons)
    assert len({(reason.code, reason.group) for reason in reasons}) == len(reasons)
    if not arrangement.declarable:
        invalid = {index for index, group in enumerate(arrangement.groups) if group.kind is Kind.NONE}
        assert {reason.group for reason in reasons if reason.code in GROUP_CODES} == invalid
        hand_codes = {reason.code for reason in reasons if reason.code in HAND_CODES}
        assert ("INVALID_GROUP" in hand_codes) == bool(invalid)
        assert ("UNGROUPED_CARDS" in hand_codes) == bool(loose)
