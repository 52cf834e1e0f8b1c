"""422 of POST /settle: every fault of a table, all at once, each with a pointer to the value."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.contract import faults_of
from tests.examples import HAND, LOSING_HAND, SHOW_HAND, deal, player

SHOWS, LOSES, DROPS = player("p1", SHOW_HAND), player("p2", LOSING_HAND), {"id": "p3", "dropped": "FIRST"}
TOTALS = {"p1": 60, "p2": 20, "p3": 0}


def pool(**changes: Any) -> dict[str, Any]:
    match = {"format": "POOL", "limit": 101, "totals": TOTALS} | changes
    return {"match": {name: value for name, value in match.items() if value is not ...}}


def totals(**changes: Any) -> dict[str, Any]:
    return pool(totals={name: total for name, total in (TOTALS | changes).items() if total is not ...})


def first(**changes: Any) -> dict[str, Any]:
    """The declarer changed, the others as they were."""
    changed = {name: value for name, value in (SHOWS | changes).items() if value is not ...}
    return {"players": [changed, LOSES, DROPS]}


# What is changed in a good deal, and the faults that must come of it, in this order and no others.
DEAL_FAULTS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    # The table.
    ({"rule_set": ...}, [("/rule_set", "MISSING_FIELD")]),
    ({"rule_set": "family"}, [("/rule_set", "UNKNOWN_RULE_SET")]),
    ({"wild_rank": "1"}, [("/wild_rank", "UNKNOWN_RANK")]),
    ({"players": ...}, [("/players", "MISSING_FIELD")]),
    ({"players": None}, [("/players", "WRONG_TYPE")]),
    ({"players": 3}, [("/players", "WRONG_TYPE")]),
    ({"players": {}}, [("/players", "WRONG_TYPE")]),
    ({"players": [], "declarer": ...}, [("/players", "WRONG_PLAYERS")]),
    ({"players": [SHOWS]}, [("/players", "WRONG_PLAYERS")]),
    # Thousands are not even read.
    ({"players": [{"id": "a"}] * 5_000}, [("/players", "WRONG_PLAYERS")]),
    (
        {"players": [SHOWS, LOSES, *({"id": f"q{n}", "dropped": "FIRST"} for n in range(5))]},
        [("/players", "WRONG_PLAYERS")],
    ),
    ({"players": [SHOWS, LOSES, None]}, [("/players/2", "WRONG_TYPE")]),
    ({"players": [SHOWS, LOSES, "p3"]}, [("/players/2", "WRONG_TYPE")]),
    ({"hand": SHOW_HAND}, [("/hand", "UNKNOWN_FIELD")]),
    ({"arrange": "best"}, [("/arrange", "UNKNOWN_VALUE")]),
    ({"arrange": True}, [("/arrange", "WRONG_TYPE")]),
    # Players.
    (first(id=...), [("/players/0/id", "MISSING_FIELD")]),
    (first(id=None), [("/players/0/id", "WRONG_TYPE")]),
    (first(id=1), [("/players/0/id", "WRONG_TYPE")]),
    (first(id=""), [("/players/0/id", "WRONG_TYPE")]),
    (first(id="p" * 65), [("/players/0/id", "WRONG_TYPE")]),
    (first(name="Ruby"), [("/players/0/name", "UNKNOWN_FIELD")]),
    (
        {
            "players": [SHOWS, LOSES, {"id": "p2", "dropped": "FIRST"}, {"id": "p1", "dropped": "FIRST"}],
            "declarer": "p2",
        },
        [("/players/2/id", "REPEATED_ID"), ("/players/3/id", "REPEATED_ID"), ("/declarer", "DECLARER_DROPPED")],
    ),
    (first(dropped="LATE"), [("/players/0/dropped", "UNKNOWN_VALUE")]),
    (first(dropped=1), [("/players/0/dropped", "WRONG_TYPE")]),
    (first(dropped="MIDDLE"), [("/declarer", "DECLARER_DROPPED")]),
    (
        {"rule_set": "online-13", "players": [SHOWS, LOSES, {"id": "p3", "dropped": "WRONG_SHOW"}]},
        [("/players/2/dropped", "DROP_NOT_POSSIBLE")],
    ),
    *(
        (
            {"rule_set": name, "players": [SHOWS, {"id": "p2", "dropped": way}]},
            [("/players/1/dropped", "DROP_NOT_POSSIBLE")],
        )
        for name in ("two-row-duel", "face-value-duel")
        for way in ("FIRST", "MIDDLE", "WRONG_SHOW")
    ),
    # Hands, each as in a question.
    (first(hand=...), [("/players/0/hand", "MISSING_FIELD")]),
    (first(hand=None, groups=[["AH"]]), [("/players/0/hand", "MISSING_FIELD")]),
    (first(hand="AH"), [("/players/0/hand", "WRONG_TYPE")]),
    (first(hand=SHOW_HAND[1:]), [("/players/0/hand", "WRONG_HAND_SIZE")]),
    (first(hand=[*SHOW_HAND[1:], "1S"]), [("/players/0/hand/12", "UNKNOWN_CARD")]),
    (first(hand=[*SHOW_HAND, "2C"]), [("/players/0/finish_card", "FINISH_CARD_REQUIRED")]),
    (first(hand=[*SHOW_HAND, "2C"], finish_card="3C"), [("/players/0/finish_card", "FINISH_CARD_NOT_IN_HAND")]),
    (first(groups=[["AH", "2H", "KH"]]), [("/players/0/groups/0/2", "CARDS_NOT_IN_HAND")]),
    (first(hand=["KS"] * 3 + SHOW_HAND[2:12]), [("/players/0/hand/2", "IMPOSSIBLE_HAND")]),
    ({"players": [SHOWS, LOSES, {**DROPS, "groups": [["AH"]]}]}, [("/players/2/hand", "MISSING_FIELD")]),
    ({"players": [SHOWS, LOSES, {**DROPS, "hand": ["AH"]}]}, [("/players/2/hand", "WRONG_HAND_SIZE")]),
    # All hands together.
    (
        {"players": [SHOWS, player("p2", ["KS", "KS", *LOSING_HAND[2:]]), DROPS]},
        [("/players/1/hand/1", "IMPOSSIBLE_DEAL")],
    ),
    (
        {"players": [SHOWS, LOSES, {**DROPS, "hand": ["2S", "2S", "KS", "AH", *LOSING_HAND[4:]]}]},
        [("/players/2/hand/1", "IMPOSSIBLE_DEAL")],
    ),
    # The finish card was drawn from the same packs.
    (
        {"players": [player("p1", [*SHOW_HAND, "2C"], finish_card="2C"), player("p2", ["2C", "2C", *LOSING_HAND[2:]])]},
        [("/players/1/hand/1", "IMPOSSIBLE_DEAL")],
    ),
    # Two play the rule book with one pack, three with two.
    (
        {"rule_set": "rulebook-13", "players": [SHOWS, player("p2", ["KS", *LOSING_HAND[1:]])]},
        [("/players/1/hand/0", "IMPOSSIBLE_DEAL")],
    ),
    # A card that is too many in one hand is told there, and not once more for all hands.
    (
        {"players": [SHOWS, player("p2", ["KS"] * 3 + LOSING_HAND[3:]), DROPS]},
        [("/players/1/hand/2", "IMPOSSIBLE_HAND")],
    ),
    # Four jokers in all: one hand may have them, two hands no more.
    (
        {
            "players": [
                player("p1", ["JOKER"] * 3 + SHOW_HAND[3:]),
                player("p2", ["JOKER"] * 2 + LOSING_HAND[2:]),
                DROPS,
            ]
        },
        [("/players/1/hand/1", "IMPOSSIBLE_DEAL")],
    ),
    # Who declared.
    ({"declarer": 1}, [("/declarer", "WRONG_TYPE")]),
    ({"declarer": "p4"}, [("/declarer", "UNKNOWN_PLAYER")]),
    ({"declarer": ""}, [("/declarer", "UNKNOWN_PLAYER")]),
    ({"declarer": "p3"}, [("/declarer", "DECLARER_DROPPED")]),
    ({"declarer": ...}, [("/declarer", "DECLARER_REQUIRED")]),
    ({"declarer": None}, [("/declarer", "DECLARER_REQUIRED")]),
    (
        {"declarer": ..., "players": [{"id": "p1"}, {"id": "p2"}, DROPS]},
        [
            ("/players/0/hand", "MISSING_FIELD"),
            ("/players/1/hand", "MISSING_FIELD"),
            ("/declarer", "DECLARER_REQUIRED"),
        ],
    ),
    ({"declarer": ..., "players": [DROPS, {"id": "p1", "dropped": "MIDDLE"}]}, [("/players", "ALL_DROPPED")]),
    # A declarer cannot be missed among players of whom one is not known.
    (
        {"declarer": "p4", "players": [SHOWS, LOSES, {}]},
        [("/players/2/id", "MISSING_FIELD"), ("/players/2/hand", "MISSING_FIELD")],
    ),
    ({"declarer": ..., "players": [SHOWS, LOSES, 3]}, [("/players/2", "WRONG_TYPE")]),
    # The match.
    ({"match": []}, [("/match", "WRONG_TYPE")]),
    ({"match": {}}, [("/match/format", "MISSING_FIELD"), ("/match/totals", "MISSING_FIELD")]),
    (pool(stake=1), [("/match/stake", "UNKNOWN_FIELD")]),
    (pool(format="LEAGUE"), [("/match/format", "UNKNOWN_VALUE")]),
    (pool(format="RACE", limit=100), [("/match/format", "WRONG_FORMAT")]),
    ({**pool(), "rule_set": "online-13"}, [("/match/format", "WRONG_FORMAT")]),
    ({**pool(), "rule_set": "rulebook-13"}, [("/match/format", "WRONG_FORMAT")]),
    (pool(limit=100), [("/match/limit", "WRONG_LIMIT")]),
    (pool(limit=...), [("/match/limit", "MISSING_FIELD")]),
    (pool(limit="101"), [("/match/limit", "WRONG_TYPE")]),
    (pool(limit=0), [("/match/limit", "WRONG_TYPE")]),
    (pool(format="POINTS"), [("/match/limit", "WRONG_LIMIT")]),
    (pool(format="DEALS", limit=...), [("/match/deals_left", "MISSING_FIELD")]),
    (pool(format="DEALS", limit=..., deals_left=0), [("/match/deals_left", "WRONG_TYPE")]),
    (pool(deals_left=2), [("/match/deals_left", "WRONG_DEALS_LEFT")]),
    (pool(totals=...), [("/match/totals", "MISSING_FIELD")]),
    (pool(totals=[1, 2]), [("/match/totals", "WRONG_TYPE")]),
    (pool(totals={}), [(f"/match/totals/{id_}", "MISSING_FIELD") for id_ in ("p1", "p2", "p3")]),
    (totals(p2=...), [("/match/totals/p2", "MISSING_FIELD")]),
    (totals(p2=-1), [("/match/totals/p2", "WRONG_TYPE")]),
    (totals(p2=1.0), [("/match/totals/p2", "WRONG_TYPE")]),
    (totals(p2=True), [("/match/totals/p2", "WRONG_TYPE")]),
    (totals(p2=10**4000), [("/match/totals/p2", "WRONG_TYPE")]),
    (totals(p2=1_000_001, p3=None), [("/match/totals/p2", "WRONG_TYPE"), ("/match/totals/p3", "WRONG_TYPE")]),
    (totals(p2=101), [("/match/totals/p2", "OUT_OF_MATCH")]),
    (totals(p9=100), [("/match/totals/p9", "UNKNOWN_PLAYER")]),
    (pool(format="POINTS", limit=..., totals={**TOTALS, "p9": 200}), [("/match/totals/p9", "UNKNOWN_PLAYER")]),
    (
        totals(**{"": 200, "p" * 65: 200}),
        [("/match/totals/", "WRONG_TYPE"), (f"/match/totals/{'p' * 65}", "WRONG_TYPE")],
    ),
    (totals(**{"a/b~c": 0}), [("/match/totals/a~1b~0c", "UNKNOWN_PLAYER")]),
    # Whether a stranger was out before cannot be told while the limit or the format is no good.
    (pool(limit=7, totals={**TOTALS, "p9": 50}), [("/match/limit", "WRONG_LIMIT")]),
    (pool(format="X", totals={**TOTALS, "p9": 50}), [("/match/format", "UNKNOWN_VALUE")]),
    # Several at once: a check that still makes sense is made, one that does not is left out.
    (
        {
            "rule_set": "two-row-duel",
            "wild_rank": "0",
            "players": [player("p1", HAND[:3]), {"id": "p1", "dropped": "FIRST", "hand": ["XX"] * 13}, 3],
            "declarer": "p9",
            "arrange": "WELL",
            "match": {"format": "POOL", "limit": -1, "totals": {"p1": "1"}},
            "more": 1,
        },
        [
            ("/wild_rank", "UNKNOWN_RANK"),
            ("/players", "WRONG_PLAYERS"),
            ("/players/0/hand", "WRONG_HAND_SIZE"),
            ("/players/1/id", "REPEATED_ID"),
            *((f"/players/1/hand/{n}", "UNKNOWN_CARD") for n in range(13)),
            ("/players/1/dropped", "DROP_NOT_POSSIBLE"),
            ("/players/2", "WRONG_TYPE"),
            ("/arrange", "UNKNOWN_VALUE"),
            ("/match/format", "WRONG_FORMAT"),
            ("/match/limit", "WRONG_TYPE"),
            ("/match/totals/p1", "WRONG_TYPE"),
            ("/more", "UNKNOWN_FIELD"),
        ],
    ),
]


@pytest.mark.parametrize(("changes", "expected"), DEAL_FAULTS)
def test_faults(client: FlaskClient, changes: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert [(fault["pointer"], fault["code"]) for fault in faults_of(client, deal(**changes), "/settle")] == expected


@pytest.mark.parametrize("body", [[], "AS", 13, None, True])
def test_a_body_that_is_no_object_is_pointed_at_as_a_whole(client: FlaskClient, body: Any) -> None:
    assert [(fault["pointer"], fault["code"]) for fault in faults_of(client, body, "/settle")] == [("", "WRONG_TYPE")]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"players": [SHOWS, player("p2", ["KS", "KS", *LOSING_HAND[2:]]), DROPS]},
            "K♠ is in the hands 3 times, and the cards in play have it twice.",
        ),
        ({"declarer": ...}, "2 players are in the deal: it ends when one of them declares."),
        ({"declarer": "p3"}, '"p3" has left the deal before.'),
        ({"declarer": "p" * 60_000}, f'"{"p" * 24}…" is not among the players.'),
        ({**pool(), "rule_set": "online-13"}, "online-13 is played as POINTS, not as POOL."),
        ({**pool(), "rule_set": "rulebook-13"}, "rulebook-13 has no match of several deals."),
        (pool(limit=100), "POOL has the limit 101 or 201."),
        (pool(limit=...), "Must be given: 101 or 201."),
        (pool(format="POINTS"), "POINTS has no limit."),
        (pool(deals_left=2), "POOL has no fixed number of deals."),
        (totals(p2=101), '"p2" has reached 101 before this deal.'),
        ({"arrange": "best"}, '"best" is not one of SUBMITTED, BEST.'),
        (
            {"rule_set": "online-13", "players": [SHOWS, {"id": "p2", "dropped": "WRONG_SHOW"}]},
            "In online-13 a wrong show takes nobody out of a deal that goes on.",
        ),
        (
            {"rule_set": "face-value-duel", "players": [SHOWS, {"id": "p2", "dropped": "FIRST"}]},
            "face-value-duel has no such drop.",
        ),
    ],
)
def test_a_detail_says_what_is_needed(client: FlaskClient, changes: dict[str, Any], words: str) -> None:
    assert faults_of(client, deal(**changes), "/settle")[0]["detail"] == words


@pytest.mark.parametrize(
    "changes",
    [
        {"players": [{}] * 10_000},
        {"players": [{"id": "p1", "dropped": "FIRST"}] * 1_500},
        {"players": [player("p1", ["KS"] * 9_000), LOSES]},
        {"match": {"format": "POINTS", "totals": {f"q{number}": -1 for number in range(4_000)}}},
        {"match": {"format": "POINTS", "totals": {f"q{number}": 1 for number in range(4_000)}}},
    ],
)
def test_thousands_of_faults_are_answered_all_the_same(client: FlaskClient, changes: dict[str, Any]) -> None:
    assert len(faults_of(client, deal(**changes), "/settle")) <= 100
