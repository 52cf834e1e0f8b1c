"""POST /validate and /score: what goes in and what comes out. Which verdict is right is for the core's tests."""

import hashlib
import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.startup.build import load_version
from tests.contract import value_of
from tests.examples import GROUPS, HAND, SHOW_HAND, question
from tests.strategies import RULE_SETS


def ask(client: FlaskClient, path: str = "/validate", **changes: Any) -> dict[str, Any]:
    response = client.post(path, json=question(**changes))
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = value_of(response)
    return answer


def but_for_the_id(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "verdict_id"}


def test_keys_come_in_the_order_of_the_contract(client: FlaskClient) -> None:
    answer = ask(client)
    top = [
        "verdict_id",
        "rule_set",
        "wild_rank",
        "judged",
        "valid",
        "wrong_show",
        "points",
        "deal",
        "reasons",
        "submitted",
        "best",
    ]
    assert list(answer) == top
    assert list(answer["rule_set"]) == ["name", "version", "digest"]
    assert list(answer["best"]) == ["declarable", "points", "groups", "ungrouped", "charges", "reasons"]
    assert list(answer["best"]["groups"][0]) == ["kind", "life", "cards", "plays_as"]
    assert list(answer["reasons"][0]) == ["code", "message", "group", "cards"]


def test_a_score_says_nothing_of_a_show(client: FlaskClient) -> None:
    validated, scored = ask(client), ask(client, "/score")
    assert set(validated) - set(scored) == {"wrong_show", "deal"}
    assert scored["points"] == scored["submitted"]["points"] == 2
    assert validated["points"] == 80


def test_a_valid_show_costs_nothing(client: FlaskClient) -> None:
    answer = ask(client, hand=SHOW_HAND, groups=...)
    assert (answer["valid"], answer["wrong_show"], answer["points"], answer["deal"]) == (True, False, 0, "ENDS")
    assert answer["reasons"] == []


def test_without_groups_the_best_is_judged(client: FlaskClient) -> None:
    answer = ask(client, groups=...)
    assert answer["judged"] == "BEST"
    assert answer["submitted"] is None
    assert answer["reasons"] == answer["best"]["reasons"]


def test_groups_may_be_none_at_all(client: FlaskClient) -> None:
    """An empty list says that the player laid out nothing; that is not the same as not saying anything."""
    answer = ask(client, groups=[])
    assert answer["judged"] == "SUBMITTED"
    assert answer["submitted"]["groups"] == []
    assert len(answer["submitted"]["ungrouped"]) == 13


def test_groups_are_answered_in_the_order_sent(client: FlaskClient) -> None:
    answer = ask(client, groups=GROUPS[::-1])
    assert [set(group["cards"]) for group in answer["submitted"]["groups"]] == [set(group) for group in GROUPS[::-1]]


@pytest.mark.parametrize("path", ["/validate", "/score"])
def test_the_order_of_cards_changes_no_byte(client: FlaskClient, path: str) -> None:
    first = client.post(path, json=question())
    turned = question(hand=HAND[::-1], groups=[group[::-1] for group in GROUPS])
    assert client.post(path, json=turned).data == first.data
    assert client.post(path, json=question()).data == first.data


@pytest.mark.parametrize(
    ("sent", "answered"),
    [("7", "7"), ("10", "T"), ("T", "T"), ("q", "Q"), ("joker", "JOKER"), (None, None), (..., None)],
)
def test_the_wild_rank_has_its_canonical_spelling(client: FlaskClient, sent: Any, answered: Any) -> None:
    assert ask(client, wild_rank=sent)["wild_rank"] == answered


def test_every_spelling_of_a_card_is_understood(client: FlaskClient) -> None:
    spelled = ["ah", "2♥", "3♥️", "5d", "Joker", "7♢", "9C", "9s", "9D", "KS", "KH", "kd", "2♧"]
    same = question(hand=spelled, groups=[spelled[0:3], spelled[3:6], spelled[6:9], spelled[9:12]])
    assert client.post("/validate", json=same).data == client.post("/validate", json=question()).data


def test_the_finish_card_is_not_judged(client: FlaskClient) -> None:
    put_away = ask(client, hand=["4C", *HAND], finish_card="4C")
    assert but_for_the_id(put_away) == but_for_the_id(ask(client))


def test_one_of_two_equal_cards_may_be_put_away(client: FlaskClient) -> None:
    answer = ask(client, hand=[*HAND, "AH"], finish_card="AH")
    assert answer["submitted"]["ungrouped"] == ["2C"]


def test_null_is_the_same_as_absent(client: FlaskClient) -> None:
    nulls = question(wild_rank=None, groups=None, finish_card=None, players=None)
    absent = question(wild_rank=..., groups=...)
    assert client.post("/validate", json=nulls).data == client.post("/validate", json=absent).data


def test_the_players_settle_the_packs(client: FlaskClient) -> None:
    """Two play the rule book with one pack, three to six with two; without a number it is two packs."""
    twice = ["AH", "AH", *HAND[1:-1]]
    three, without = (
        ask(client, rule_set="rulebook-13", hand=twice, groups=..., players=players) for players in (3, None)
    )
    assert but_for_the_id(three) == but_for_the_id(without)
    assert client.post("/validate", json=question(rule_set="rulebook-13", hand=twice, players=2)).status_code == 422


def test_an_answer_is_compact_utf_8(client: FlaskClient) -> None:
    body = client.post("/validate", json=question()).data
    assert "2♣ is in no group" in body.decode()
    assert body.decode() == json.dumps(json.loads(body), ensure_ascii=False, separators=(",", ":")) + "\n"


def test_rule_sets_are_listed_and_shown(client: FlaskClient) -> None:
    listed = value_of(client.get("/rule-sets"))["rule_sets"]
    assert [each["name"] for each in listed] == sorted(RULE_SETS)
    for each in listed:
        shown = value_of(client.get(f"/rule-sets/{each['name']}"))
        assert {key: shown[key] for key in each} == each
        assert shown["notes"]
    assert client.get("/rule-sets/online-14").status_code == 404


def test_a_verdict_names_the_rule_set_as_it_is_shown(client: FlaskClient) -> None:
    shown = value_of(client.get("/rule-sets/online-13"))
    assert ask(client)["rule_set"] == {key: shown[key] for key in ("name", "version", "digest")}


def test_the_id_is_of_the_question_and_the_verdict(client: FlaskClient) -> None:
    """Every part of the question counts, whether or not it changes the verdict; how it is written does not."""
    questions: list[dict[str, Any]] = [
        {},
        {"players": 4},
        {"players": 3},
        {"hand": [*HAND, "4C"], "finish_card": "4C"},
        {"hand": [*HAND, "5C"], "finish_card": "5C"},
        {"groups": ...},
        {"groups": []},
        {"groups": GROUPS[::-1]},
        {"wild_rank": "8"},
        {"rule_set": "family-13"},
    ]
    ids = [ask(client, path, **changes)["verdict_id"] for path in ("/validate", "/score") for changes in questions]
    assert len(set(ids)) == len(ids)


def test_the_id_is_the_same_for_ever(client: FlaskClient) -> None:
    """An id of one version of the engine that changes is a lie in somebody's records."""
    statement = (
        f'{{"engine":"{load_version()}",'
        '"outcome":{"best":{"declarable":false,"points":2},"deal":"ENDS","judged":"SUBMITTED",'
        '"points":80,"reasons":["UNGROUPED_CARDS"],"submitted":{"declarable":false,"points":2},"valid":false,'
        '"wrong_show":true},"request":{"finish_card":null,"groups":[["AH","2H","3H"],["5D","7D","JOKER"],'
        '["9S","9D","9C"],["KS","KH","KD"]],"hand":["9S","KS","AH","2H","3H","KH","5D","7D","9D","KD","2C","9C",'
        '"JOKER"],"op":"validate","players":null,"rule_set":"online-13","wild_rank":"7"},"rule_set":{"digest":'
        '"sha256:cf84b8d2628f8e1f459ab65aeb6e9cb1fa8b1037d5f5444d0b29c8d7e7bb8b80","name":"online-13","version":2}}'
    )
    assert ask(client)["verdict_id"] == hashlib.sha256(statement.encode()).hexdigest()
