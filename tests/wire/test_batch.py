"""Batches: each item is answered as its call would answer it, whatever the others are."""

import json
import logging
from io import StringIO
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from service.limits import MAX_BATCH_BYTES, MAX_ITEMS
from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app
from tests.apps import Log
from tests.contract import CONTRACT, value_of
from tests.examples import HAND, SHOW_HAND, question
from tests.strategies import FIXED

# Nobody declared: the last one in wins.
DEAL = {"rule_set": "family-13", "players": [{"id": "p1", "dropped": "FIRST"}, {"id": "p2"}]}
GOOD: list[tuple[str, dict[str, Any]]] = [
    ("validate", question()),
    ("validate", question(hand=SHOW_HAND, groups=...)),
    ("score", question()),
    ("score", question(groups=..., rule_set="family-13", wild_rank=...)),
    ("settle", DEAL),
]
BAD: list[tuple[Any, list[tuple[str, str]]]] = [
    ({}, [("/id", "MISSING_FIELD"), ("/op", "MISSING_FIELD")]),
    ([], [("", "WRONG_TYPE")]),
    (None, [("", "WRONG_TYPE")]),
    ({"id": "", "op": "score", **question()}, [("/id", "WRONG_TYPE")]),
    ({"id": "x" * 129, "op": "score", **question()}, [("/id", "WRONG_TYPE")]),
    ({"id": 7, "op": "score", **question()}, [("/id", "WRONG_TYPE")]),
    ({"id": "bad", "op": "judge", **question()}, [("/op", "UNKNOWN_OP")]),
    ({"id": "bad", "op": 1}, [("/op", "WRONG_TYPE")]),
    ({"id": None, "op": "score", **question(hand=HAND[:12])}, [("/hand", "WRONG_HAND_SIZE"), ("/id", "WRONG_TYPE")]),
    ({"id": "bad", "op": "score", **question(odd=1)}, [("/odd", "UNKNOWN_FIELD")]),
    ({"id": "bad", "op": "validate"}, [("/rule_set", "MISSING_FIELD"), ("/hand", "MISSING_FIELD")]),
]


# hypothesis takes no fixture that is made anew for each test.
APP = create_app(read_state(Settings()), StringIO())


def items_of(client: FlaskClient, items: list[Any]) -> list[dict[str, Any]]:
    response = client.post("/batch", json={"items": items})
    assert response.status_code == 200, response.text
    answered: list[dict[str, Any]] = value_of(response)["items"]
    assert [each["id"] for each in answered] == [
        item["id"] if isinstance(item, dict) and isinstance(item.get("id"), str) else None for item in items
    ]
    return answered


def codes(problem: dict[str, Any]) -> list[tuple[str, str]]:
    return [(fault["pointer"], fault["code"]) for fault in problem["errors"]]


@FIXED
@given(st.lists(st.sampled_from(range(len(GOOD) + len(BAD))), max_size=12))
def test_every_item_is_answered_as_if_it_were_alone(picked: list[int]) -> None:
    client = APP.test_client()
    items = [
        {"id": f"i{place}", "op": GOOD[pick][0], **GOOD[pick][1]} if pick < len(GOOD) else BAD[pick - len(GOOD)][0]
        for place, pick in enumerate(picked)
    ]
    seen: set[str] = set()
    for pick, item in zip(picked, items_of(client, items), strict=True):
        if pick < len(GOOD):
            op, body = GOOD[pick]
            assert (item["status"], item["body"]) == (200, client.post(f"/{op}", json=body).json)
        else:
            expected = BAD[pick - len(GOOD)][1]
            if item["id"] == "bad" and "bad" in seen:
                expected = sorted([*expected, ("/id", "REPEATED_ID")], key=lambda fault: fault[0] in {"/id", "/op"})
            seen.add(str(item["id"]))
            assert item["status"] == item["body"]["status"] == 422
            assert sorted(codes(item["body"])) == sorted(expected)


def test_the_text_of_an_item_is_that_of_its_call(client: FlaskClient) -> None:
    text = client.post("/batch", json={"items": [{"id": "a", "op": op, **body} for op, body in GOOD[:1]]}).text
    alone = client.post("/validate", json=GOOD[0][1]).text.rstrip("\n")
    assert text == f'{{"items":[{{"id":"a","status":200,"body":{alone}}}]}}\n'


def test_a_batch_of_none_is_answered_with_none(client: FlaskClient) -> None:
    assert items_of(client, []) == []


def test_ids_come_back_as_they_were_sent(client: FlaskClient) -> None:
    names = ['"', "\\", "é ♠", "\u0000\n", "x" * 128]
    assert [
        each["status"] for each in items_of(client, [{"id": name, "op": "score", **question()} for name in names])
    ] == [200] * len(names)


def test_a_batch_of_the_limit_is_answered() -> None:
    """And one of an item more is not."""
    # Holding a thousand answers against the contract would take seconds.
    client = APP.test_client()
    items = [{"id": str(number), "op": "score", **question()} for number in range(MAX_ITEMS + 1)]
    assert {each["status"] for each in items_of(client, items[:-1])} == {200}
    response = client.post("/batch", json={"items": items})
    assert (response.status_code, codes(value_of(response))) == (422, [("/items", "TOO_MANY_ITEMS")])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ([], [("", "WRONG_TYPE")]),
        ({}, [("/items", "MISSING_FIELD")]),
        ({"items": None}, [("/items", "WRONG_TYPE")]),
        ({"items": {}, "x": 1}, [("/items", "WRONG_TYPE"), ("/x", "UNKNOWN_FIELD")]),
    ],
)
def test_what_is_no_batch_is_refused_whole(client: FlaskClient, body: Any, expected: list[tuple[str, str]]) -> None:
    response = client.post("/batch", json=body)
    assert (response.status_code, codes(value_of(response))) == (422, expected)


def test_a_batch_may_have_two_mebibytes(client: FlaskClient) -> None:
    text = json.dumps({"items": [{"id": "a", "op": "score", **question()}]})
    for size, status in ((MAX_BATCH_BYTES, 200), (MAX_BATCH_BYTES + 1, 413)):
        response = client.post("/batch", data=text + " " * (size - len(text)), content_type="application/json")
        assert response.status_code == status


def test_an_item_that_crashes_spoils_no_other(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(*_: object) -> str:
        raise RuntimeError("boom")

    monkeypatch.setattr("service.signing.verdict_writer.verdict_id", crash)
    items = items_of(client, [{"id": "a", "op": "score", **question()}, BAD[0][0]])
    assert [(each["status"], each["body"]["code"]) for each in items] == [(500, "INTERNAL"), (422, "INVALID_REQUEST")]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_every_verdict_of_a_batch_is_counted(client: FlaskClient, admin: FlaskClient, log: Log) -> None:
    """And the line of the log has no card."""
    items = [{"id": str(number), "op": op, **body} for number, (op, body) in enumerate(GOOD)]
    items_of(client, [*items, {}])
    (line,) = log.read()
    assert (line["route"], line["outcome"], line["verdicts"], line["faulty"]) == ("/batch", "ANSWERED", 4, 1)
    assert "KH" not in json.dumps(line)
    text = admin.get("/metrics").text
    assert 'showcheck_verdicts_total{outcome="SCORED",rule_set="online-13"} 1.0' in text
    assert 'showcheck_verdicts_total{outcome="VALID_SHOW",rule_set="online-13"} 1.0' in text


def test_the_example_of_the_contract_is_answered(client: FlaskClient) -> None:
    example = CONTRACT["components"]["requestBodies"]["Batch"]["content"]["application/json"]["examples"]
    answered = items_of(client, example["oneOfThemFaulty"]["value"]["items"])
    assert [(each["id"], each["status"]) for each in answered] == [("deal-4711", 200), ("deal-4712", 422)]
