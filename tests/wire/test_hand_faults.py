"""422: every fault of a request, all at once, each with a pointer to the value."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.limits import MAX_FAULTS
from tests.contract import CONTRACT, faults_of, value_of
from tests.examples import GROUPS, HAND, question
from tests.wire.test_deal_faults import DEAL_FAULTS

TWO_KINGS = [*HAND[:-1], "KS"]

# Reached in test_signed.py, each by what brings it about.
OF_ATTESTATIONS = {"MALFORMED_TOKEN", "WRONG_ALGORITHM", "UNKNOWN_KEY", "BAD_SIGNATURE", "NOT_A_VERDICT"}

# What is changed in a good request, and the faults that must come of it, in this order and no others.
FAULTS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"rule_set": ...}, [("/rule_set", "MISSING_FIELD")]),
    ({"hand": ..., "groups": ...}, [("/hand", "MISSING_FIELD")]),
    ({"hand": ...}, [("/hand", "MISSING_FIELD")]),
    ({"rule_sets": 1}, [("/rule_sets", "UNKNOWN_FIELD")]),
    ({"_schema": 1}, [("/_schema", "UNKNOWN_FIELD")]),
    ({"a/b~c": 1, "": 2}, [("/", "UNKNOWN_FIELD"), ("/a~1b~0c", "UNKNOWN_FIELD")]),
    ({"rule_set": 13}, [("/rule_set", "WRONG_TYPE")]),
    ({"rule_set": None}, [("/rule_set", "WRONG_TYPE")]),
    ({"hand": None}, [("/hand", "WRONG_TYPE")]),
    ({"hand": "AS"}, [("/hand", "WRONG_TYPE")]),
    ({"hand": {"0": "AS"}}, [("/hand", "WRONG_TYPE")]),
    ({"hand": [["AH"], *HAND[1:]]}, [("/hand/0", "WRONG_TYPE")]),
    ({"hand": [*HAND[:12], None]}, [("/hand/12", "WRONG_TYPE")]),
    ({"wild_rank": 7}, [("/wild_rank", "WRONG_TYPE")]),
    ({"wild_rank": ["7"]}, [("/wild_rank", "WRONG_TYPE")]),
    ({"groups": {}}, [("/groups", "WRONG_TYPE")]),
    ({"groups": ["AH"]}, [("/groups/0", "WRONG_TYPE")]),
    ({"groups": [["AH"], []]}, [("/groups/1", "WRONG_TYPE")]),
    ({"groups": [["AH", 2]]}, [("/groups/0/1", "WRONG_TYPE")]),
    ({"finish_card": 3}, [("/hand", "WRONG_HAND_SIZE"), ("/finish_card", "WRONG_TYPE")]),
    ({"players": "4"}, [("/players", "WRONG_TYPE")]),
    ({"players": True}, [("/players", "WRONG_TYPE")]),
    ({"players": 4.0}, [("/players", "WRONG_TYPE")]),
    ({"players": [4]}, [("/players", "WRONG_TYPE")]),
    ({"rule_set": "online-14"}, [("/rule_set", "UNKNOWN_RULE_SET")]),
    ({"rule_set": ""}, [("/rule_set", "UNKNOWN_RULE_SET")]),
    ({"hand": [*HAND[:12], "1S"], "groups": ...}, [("/hand/12", "UNKNOWN_CARD")]),
    ({"groups": [["AH", "XX"]]}, [("/groups/0/1", "UNKNOWN_CARD")]),
    ({"hand": [*HAND, "4C"], "finish_card": "S4"}, [("/finish_card", "UNKNOWN_CARD")]),
    ({"wild_rank": "1"}, [("/wild_rank", "UNKNOWN_RANK")]),
    ({"wild_rank": "7S"}, [("/wild_rank", "UNKNOWN_RANK")]),
    ({"wild_rank": ""}, [("/wild_rank", "UNKNOWN_RANK")]),
    ({"hand": [], "groups": ...}, [("/hand", "WRONG_HAND_SIZE")]),
    ({"hand": HAND[:12], "groups": ...}, [("/hand", "WRONG_HAND_SIZE")]),
    ({"hand": [*HAND, "4C", "5C"]}, [("/hand", "WRONG_HAND_SIZE")]),
    ({"finish_card": "2C"}, [("/hand", "WRONG_HAND_SIZE")]),
    ({"hand": [*HAND, "4C", "5C"], "finish_card": "4C"}, [("/hand", "WRONG_HAND_SIZE")]),
    ({"hand": [*HAND, "4C"]}, [("/finish_card", "FINISH_CARD_REQUIRED")]),
    ({"hand": [*HAND, "4C"], "finish_card": None}, [("/finish_card", "FINISH_CARD_REQUIRED")]),
    ({"hand": [*HAND, "4C"], "finish_card": "5C"}, [("/finish_card", "FINISH_CARD_NOT_IN_HAND")]),
    ({"hand": ["KS", *TWO_KINGS]}, [("/hand/13", "IMPOSSIBLE_HAND"), ("/finish_card", "FINISH_CARD_REQUIRED")]),
    ({"hand": ["KS", *TWO_KINGS], "finish_card": "KS"}, [("/hand/13", "IMPOSSIBLE_HAND")]),
    ({"hand": ["JOKER"] * 5 + HAND[5:], "groups": ...}, [("/hand/2", "IMPOSSIBLE_HAND")]),
    ({"hand": TWO_KINGS, "groups": ..., "rule_set": "two-row-duel"}, [("/hand/12", "IMPOSSIBLE_HAND")]),
    ({"rule_set": "face-value-duel"}, [("/hand/4", "IMPOSSIBLE_HAND")]),
    ({"groups": [*GROUPS, ["2C", "2C"]]}, [("/groups/4/1", "CARDS_NOT_IN_HAND")]),
    ({"groups": [["4S", "5S", "6S"]]}, [(f"/groups/0/{column}", "CARDS_NOT_IN_HAND") for column in range(3)]),
    ({"hand": [*HAND, "4C"], "finish_card": "4C", "groups": [["4C", "2C"]]}, [("/groups/0/0", "CARDS_NOT_IN_HAND")]),
    (
        {"rule_set": "face-value-duel", "wild_rank": "JOKER", "hand": [*HAND[:4], "6D", *HAND[5:]], "groups": ...},
        [("/wild_rank", "WILD_RANK_NOT_POSSIBLE")],
    ),
    ({"players": 1}, [("/players", "WRONG_PLAYERS")]),
    ({"players": 5}, [("/players", "WRONG_PLAYERS")]),
    ({"players": -(10**4000)}, [("/players", "WRONG_PLAYERS")]),
    # Several at once: a check that still makes sense is made, one that does not is left out.
    (
        {"rule_set": "x", "wild_rank": "0", "hand": ["AS", 1, "ZZ"], "groups": [[]], "players": True, "more": 1},
        [
            ("/rule_set", "UNKNOWN_RULE_SET"),
            ("/wild_rank", "UNKNOWN_RANK"),
            ("/hand", "WRONG_HAND_SIZE"),
            ("/hand/1", "WRONG_TYPE"),
            ("/hand/2", "UNKNOWN_CARD"),
            ("/groups/0", "WRONG_TYPE"),
            ("/players", "WRONG_TYPE"),
            ("/more", "UNKNOWN_FIELD"),
        ],
    ),
    # The packs of the biggest table are the measure while the number of players is no good.
    (
        {"players": 9, "hand": ["KS", "KS", "XX", *TWO_KINGS[3:]], "groups": [["4S"]]},
        [("/hand/2", "UNKNOWN_CARD"), ("/hand/9", "IMPOSSIBLE_HAND"), ("/players", "WRONG_PLAYERS")],
    ),
    # A finish card cannot be missed in a hand of which a card is not known: that one may be it.
    ({"hand": [*HAND, "4X"], "finish_card": "4C"}, [("/hand/13", "UNKNOWN_CARD")]),
]


@pytest.mark.parametrize(("changes", "expected"), FAULTS)
def test_faults(client: FlaskClient, changes: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    body = question(**changes)
    assert [(fault["pointer"], fault["code"]) for fault in faults_of(client, body)] == expected
    # The other call reads its requests in the same way.
    assert value_of(client.post("/score", json=body))["errors"] == faults_of(client, body)


def test_every_code_of_the_contract_is_reached() -> None:
    codes = CONTRACT["components"]["schemas"]["Fault"]["properties"]["code"]["enum"]
    of_batches = {"TOO_MANY_ITEMS", "UNKNOWN_OP"}  # see test_batch.py
    reached = {code for _, expected in [*FAULTS, *DEAL_FAULTS] for _, code in expected}
    assert reached | of_batches | OF_ATTESTATIONS == set(codes)


@pytest.mark.parametrize("body", [[], "AS", 13, None, True, [{"rule_set": "online-13"}]])
def test_a_body_that_is_no_object_is_pointed_at_as_a_whole(client: FlaskClient, body: Any) -> None:
    assert [(fault["pointer"], fault["code"]) for fault in faults_of(client, body)] == [("", "WRONG_TYPE")]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rule_set": "online"}, '"online" is not one of face-value-duel, family-13, online-13, rulebook-13, two-row'),
        ({"hand": [*HAND[:12], "AH"], "rule_set": "two-row-duel"}, "A♥ is in the hand twice, and the cards in play"),
        ({"rule_set": "face-value-duel"}, "Joker is in the hand once, and the cards in play have it not at all."),
        ({"groups": [["2C", "2C"]]}, "The groups use 2♣ more often than the judged cards have it (once)."),
        ({"players": 7}, "online-13 is for 2 to 4 players."),
        ({"hand": [*HAND, "4C"], "finish_card": "5C"}, "5♣ is not in the hand."),
        ({"hand": HAND[:3]}, "Must have 13 cards, or 14 with a finish card, not 3."),
        ({"hand": HAND[:3], "finish_card": "AH"}, "Must have 14 cards, the finish card among them, not 3."),
    ],
)
def test_a_detail_says_what_is_needed(client: FlaskClient, changes: dict[str, Any], words: str) -> None:
    assert words in faults_of(client, question(**changes))[0]["detail"]


def test_a_faulty_text_is_not_sent_back_at_length(client: FlaskClient) -> None:
    errors = faults_of(client, question(rule_set="x" * 60_000))
    assert len(errors[0]["detail"]) < 200


@pytest.mark.parametrize(
    "changes",
    [
        {"hand": [1] * 10_000, "groups": ...},
        {"hand": ["ZZ"] * 8_000, "groups": ...},
        {"groups": [["AH"] * 8_000]},
        {"groups": [[]] * 10_000},
        {f"field{number}": None for number in range(3_000)},
    ],
)
def test_a_hundred_faults_of_thousands_are_listed(client: FlaskClient, changes: dict[str, Any]) -> None:
    response = client.post("/validate", json=question(**changes))
    problem = value_of(response)
    assert len(problem["errors"]) == MAX_FAULTS
    assert problem["detail"] == "The request has more than 100 faults, of which 100 are listed."
    assert len(response.data) < 20_000


def test_thousands_of_equal_cards_are_one_fault(client: FlaskClient) -> None:
    errors = faults_of(client, question(hand=["AS", "KD"] * 4_000, groups=...))
    assert [(fault["pointer"], fault["code"]) for fault in errors] == [
        ("/hand", "WRONG_HAND_SIZE"),
        ("/hand/4", "IMPOSSIBLE_HAND"),
        ("/hand/5", "IMPOSSIBLE_HAND"),
    ]


def test_a_pointer_may_hold_a_line_break(client: FlaskClient) -> None:
    assert {"pointer": "/a\nb", "code": "UNKNOWN_FIELD", "detail": "No such field."} in faults_of(client, {"a\nb": 1})
