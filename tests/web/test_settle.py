"""POST /settle: what goes in and what comes out. Which settlement is right is for the core's tests."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings

from service.game.settlement import Player, Table
from service.game.verdict import best_arrangement
from service.signing.keys import KeyRing
from service.signing.verdict_writer import VerdictWriter
from service.startup.build import load_version
from service.wire.deal_request import read_table
from service.wire.operations import create_operations
from tests.apps import Log
from tests.contract import validator, value_of
from tests.examples import HAND, LOSING_HAND, SHOW_HAND, deal, player, question
from tests.strategies import FIXED, RULE_SETS, tables

WRITER = VerdictWriter(RULE_SETS, best_arrangement, load_version(), KeyRing())
# Without a first life under any rule set, and with cards of its own.
OTHER_HAND = ["AS", "3S", "5S", "9H", "JH", "KH", "2D", "4D", "TD", "3C", "5C", "QC", "JOKER"]


def ask(client: FlaskClient, **changes: Any) -> dict[str, Any]:
    response = client.post("/settle", data=json.dumps(deal(**changes)), content_type="application/json")
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = value_of(response)
    return answer


def wrong_show(**changes: Any) -> dict[str, Any]:
    return deal(players=[player("p1", HAND), player("p2", LOSING_HAND), player("p3", OTHER_HAND)], **changes)


def test_keys_come_in_the_order_of_the_contract(client: FlaskClient) -> None:
    answer = ask(client, match={"format": "POINTS", "totals": {"p3": 1, "p1": 2, "p2": 3}})
    assert list(answer) == ["rule_set", "wild_rank", "deal", "winner", "players", "match"]
    assert [list(each) for each in answer["players"]] == [["id", "outcome", "points", "verdict"]] * 3
    assert list(answer["match"]) == ["format", "limit", "deals_left", "totals", "out", "over", "winners"]
    assert list(answer["match"]["totals"].items()) == [("p3", 21), ("p1", 2), ("p2", 83)]


def test_the_verdicts_are_those_of_the_other_calls(client: FlaskClient) -> None:
    """The declarer is judged as by /validate, a loser as by /score."""
    groups = [["2S", "4S"], ["8H", "TH", "QH"]]
    answer = ask(client, players=[player("p1", SHOW_HAND), player("p2", LOSING_HAND, groups=groups)])
    asked = {"rule_set": "family-13", "players": 2}
    shown = client.post("/validate", json=question(**asked, hand=SHOW_HAND, groups=...))
    scored = client.post("/score", json=question(**asked, hand=LOSING_HAND, groups=groups))
    assert [each["verdict"] for each in answer["players"]] == [value_of(shown), value_of(scored)]


def test_losers_are_charged_as_laid_out_or_at_best(client: FlaskClient) -> None:
    players = [player("p1", SHOW_HAND), player("p2", HAND, groups=[]), {"id": "p3", "dropped": "FIRST"}]
    laid_out, at_best = ask(client, players=players), ask(client, players=players, arrange="BEST")
    assert laid_out == ask(client, players=players, arrange="SUBMITTED") == ask(client, players=players, arrange=None)
    assert [
        (each["players"][1]["points"], each["players"][1]["verdict"]["judged"]) for each in (laid_out, at_best)
    ] == [
        (79, "SUBMITTED"),
        (2, "BEST"),
    ]
    # The show stays as it was laid out.
    shown = [player("p1", SHOW_HAND, groups=[]), *players[1:]]
    assert ask(client, players=shown, arrange="BEST")["players"][0]["outcome"] == "WRONG_SHOW"


def test_players_who_go_on_are_not_charged(client: FlaskClient) -> None:
    response = client.post("/settle", json=wrong_show())
    answer = value_of(response)
    assert (answer["deal"], answer["winner"]) == ("CONTINUES", None)
    playing = {"outcome": "PLAYING", "points": 0, "verdict": None}
    assert answer["players"][1:] == [{"id": "p2", **playing}, {"id": "p3", **playing}]
    hidden = {f'"{card}"' for card in LOSING_HAND + OTHER_HAND if card not in HAND}
    assert len(hidden) > 20
    assert not [card for card in hidden if card in response.text]


def test_the_last_one_in_needs_no_hand(client: FlaskClient) -> None:
    answer = ask(client, declarer=..., players=[{"id": "p1", "dropped": "MIDDLE"}, {"id": "p2"}])
    assert answer["winner"] == "p2"
    assert answer["players"][1] == {"id": "p2", "outcome": "WON", "points": 0, "verdict": None}


def test_null_is_the_same_as_absent(client: FlaskClient) -> None:
    nulls = {"hand": None, "groups": None, "finish_card": None}
    with_nulls = [
        player("p1", SHOW_HAND, groups=None, finish_card=None, dropped=None),
        {"id": "p2", "dropped": "FIRST", **nulls},
    ]
    plain = [player("p1", SHOW_HAND), {"id": "p2", "dropped": "FIRST"}]
    assert ask(client, players=with_nulls, match=None, arrange=None) == ask(client, players=plain)


def test_a_race_has_one_limit_which_need_not_be_sent(client: FlaskClient) -> None:
    asked = {"rule_set": "two-row-duel", "players": [player("p1", SHOW_HAND), player("p2", LOSING_HAND)]}
    totals = {"p1": 90, "p2": 90}
    answer = ask(client, **asked, match={"format": "RACE", "totals": totals})
    assert answer == ask(client, **asked, match={"format": "RACE", "limit": 100, "totals": totals})
    assert (answer["match"]["limit"], answer["match"]["out"], answer["match"]["over"]) == (100, ["p2"], True)
    assert answer["match"]["winners"] == ["p1"]


def test_a_match_goes_on_with_what_was_answered(client: FlaskClient) -> None:
    """Two drop in each deal; who is out of the pool is dealt no more cards, and keeps the total."""
    match: dict[str, Any] = {"format": "POOL", "limit": 101, "totals": {"p1": 0, "p2": 0, "p3": 25}}
    ids, told = ["p2", "p3"], []
    while ids:
        players = [player("p1", SHOW_HAND), *({"id": id_, "dropped": "MIDDLE"} for id_ in ids)]
        answer = ask(client, players=players, match=match)["match"]
        told.append((answer["out"], answer["over"], answer["winners"]))
        match = {name: answer[name] for name in ("format", "limit", "deals_left", "totals")}
        ids = [id_ for id_ in ids if id_ not in answer["out"]]
    assert told == [([], False, []), (["p3"], False, []), (["p2", "p3"], True, ["p1"])]
    assert match["totals"] == {"p1": 0, "p2": 120, "p3": 105}


def test_the_order_of_cards_changes_no_byte(client: FlaskClient) -> None:
    turned = wrong_show()
    for each in turned["players"]:
        each["hand"] = each["hand"][::-1]
    first = client.post("/settle", json=wrong_show())
    assert client.post("/settle", json=turned).data == first.data
    assert first.data == client.post("/settle", json=wrong_show()).data


@pytest.mark.parametrize(
    ("changes", "outcome", "verdicts"),
    [
        ({}, "VALID_SHOW", ["VALID_SHOW", "SCORED"]),
        ({"players": wrong_show()["players"]}, "WRONG_SHOW", ["WRONG_SHOW"]),
        ({"declarer": ..., "players": [{"id": "p1"}, {"id": "p2", "dropped": "FIRST"}]}, "NO_SHOW", []),
    ],
)
def test_every_verdict_is_counted_and_the_log_has_no_card(
    client: FlaskClient, admin: FlaskClient, log: Log, changes: dict[str, Any], outcome: str, verdicts: list[str]
) -> None:
    def counted() -> dict[str, float]:
        lines = admin.get("/metrics").text.splitlines()
        found = [line for line in lines if line.startswith("showcheck_verdicts_total{") and '"family-13"' in line]
        return {line.partition('outcome="')[2].partition('"')[0]: float(line.rpartition(" ")[2]) for line in found}

    ask(client, **changes)
    line = next(line for line in log.read() if line["route"] == "/settle")
    assert (line["rule_set"], line["outcome"], line["status"]) == ("family-13", outcome, 200)
    assert not set(line) & {"players", "hand", "groups", "declarer"}
    assert "JOKER" not in json.dumps(line)
    assert counted() == {each: float(verdicts.count(each)) for each in set(verdicts)}


def test_a_deal_is_settled_without_http(client: FlaskClient) -> None:
    """From the JSON value to the text of the answer: what a batch of deals asks for."""
    answer = create_operations(RULE_SETS, best_arrangement, WRITER.write)["settle"](deal())
    assert answer.outcome == "VALID_SHOW"
    assert [given.outcome for given in answer.verdicts] == ["VALID_SHOW", "SCORED"]
    assert answer.text + "\n" == client.post("/settle", json=deal()).text


def body_of(table: Table) -> dict[str, Any]:
    """The request that describes a table."""
    turned_up = table.turned_up
    match = table.match
    return {
        "rule_set": table.rules.name,
        "wild_rank": turned_up.code,
        "players": [_player_of(each) for each in table.players],
        "declarer": table.declarer,
        "arrange": "BEST" if table.losers_at_best else "SUBMITTED",
        "match": match
        and {
            "format": match.format,
            "limit": match.limit,
            "deals_left": match.deals_left,
            "totals": dict(match.totals),
        },
    }


def _player_of(each: Player) -> dict[str, Any]:
    sent: dict[str, Any] = {"id": each.id, "dropped": each.dropped}
    if each.question is not None:
        groups = each.question.groups
        sent["hand"] = [card.code for card in each.question.hand]
        sent["groups"] = groups if groups is None else [[card.code for card in group] for group in groups]
    return sent


@settings(FIXED, max_examples=300)
@given(tables())
def test_a_table_is_read_as_it_was_sent(table: Table) -> None:
    """A round trip; and what the contract says of a request holds for all of these."""
    body = body_of(table)
    assert read_table(body, RULE_SETS) == table
    validator("/components/schemas/Deal").validate(body)
