"""The contract is valid, says what the code does, and its examples are real."""

import re
from typing import Any

import pytest
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask
from flask.testing import FlaskClient
from marshmallow import Schema
from openapi_spec_validator import validate

from service.game import cards
from service.game.cards import CARD_PATTERN, RANK_PATTERN
from service.limits import MAX_FAULTS
from service.startup.build import OPENAPI_FILE
from service.web.admin import ADMIN_PATHS
from service.wire.faults import FIELD_ORDER
from service.wire.schemas import DealSchema, MatchSchema, PlayerSchema, RequestSchema
from tests import contract
from tests.contract import CONTRACT, validator, value_of

REQUEST_EXAMPLES = [
    (path, name, request["value"])
    for path in ("/validate", "/score", "/settle")
    for body in [CONTRACT["paths"][path]["post"]["requestBody"]["$ref"].rpartition("/")[2]]
    for name, request in CONTRACT["components"]["requestBodies"][body]["content"]["application/json"][
        "examples"
    ].items()
]


def test_the_contract_is_valid_openapi() -> None:
    validate(CONTRACT)


def test_every_object_in_the_contract_is_closed() -> None:
    def objects(value: Any) -> list[Any]:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        found = [value] if isinstance(value, dict) and value.get("type") == "object" else []
        return found + [each for part in inner for each in objects(part)]

    assert len(objects(CONTRACT)) > 15
    # Totals have the ids of players for keys.
    maps = [each for each in objects(CONTRACT) if isinstance(each["additionalProperties"], dict)]
    assert all(each["propertyNames"] for each in maps)
    assert [each for each in objects(CONTRACT) if each not in maps and each["additionalProperties"] is not False] == []


def test_the_paths_are_those_of_the_url_map(app: Flask) -> None:
    served = {
        (rule.rule.replace("<", "{").replace(">", "}"), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD"}
    }
    written = {(path, method) for path, item in CONTRACT["paths"].items() for method in item if method != "servers"}
    assert served == written
    assert contract.ADMIN_PATHS == ADMIN_PATHS


def test_every_call_may_be_too_slow_or_too_many() -> None:
    """What the worker answers before any application is asked."""
    for path, item in CONTRACT["paths"].items():
        for method in item.keys() - {"servers"}:
            answers = item[method]["responses"].keys()
            assert "408" in answers, path
            assert "servers" in item or "503" in answers, path


def test_the_contract_is_served_as_it_is(client: FlaskClient) -> None:
    response = client.get("/openapi.yaml")
    assert response.data == OPENAPI_FILE.read_bytes()
    assert response.content_type == "application/yaml"


def _types(schema: Any) -> Any:
    """What is comparable: the types down to the items, with null where it is allowed."""
    if "$ref" in schema:
        return _types(CONTRACT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    options = schema.get("oneOf", schema.get("anyOf"))
    if options:
        types = {each for option in options for each in _types(option)[0]}
        return types, None, None
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    items = _types(schema["items"]) if "items" in schema else None
    return set(kinds), items, schema.get("minItems") if items and items[1] is None else None


@pytest.mark.parametrize(
    ("name", "schema"),
    [("Question", RequestSchema), ("Deal", DealSchema), ("Player", PlayerSchema), ("Match", MatchSchema)],
)
def test_a_request_is_that_of_the_marshmallow_schema(name: str, schema: type[Schema]) -> None:
    """The bounds that depend on more than one field (13 or 14 cards) are checked elsewhere in the code."""
    spec = APISpec("Showcheck", "1", "3.1.0", plugins=[MarshmallowPlugin()])
    spec.components.schema(name, schema=schema)
    made = spec.to_dict()["components"]["schemas"][name]
    written = CONTRACT["components"]["schemas"][name]
    assert set(made["required"]) == set(written["required"])
    assert list(made["properties"]) == list(written["properties"])
    for property_, field in made["properties"].items():
        kinds, items, _ = _types(field)
        written_kinds, written_items, _ = _types(written["properties"][property_])
        assert (kinds, items) == (written_kinds, written_items), property_


def test_faults_are_listed_in_the_order_of_the_fields() -> None:
    schemas = [list(schema().fields) for schema in (RequestSchema, DealSchema, PlayerSchema, MatchSchema)]
    assert {name for names in schemas for name in names} == set(FIELD_ORDER)
    for names in schemas:
        assert names == [name for name in FIELD_ORDER if name in names]


def test_the_card_pattern_takes_what_is_accepted() -> None:
    """And nothing else."""
    card = validator("/components/schemas/CardAsSent")
    assert [text for text in cards._CARDS if not card.is_valid(text)] == []
    ranks, suits = set("A23456789TJQKatjqk") | {"10"}, set("SHDCshdc♤♡♢♧")
    suits |= {suit + selector for suit in "♠♥♦♣" for selector in ("", "\ufe0e", "\ufe0f")}
    assert {rank + suit for rank in ranks for suit in suits} | {"JOKER", "joker", "Joker"} == set(cards._CARDS)
    for text in ("", "1S", "ASS", "S", "JoKER", "5ſ", " AS", "0S", "11S"):
        assert not card.is_valid(text)


@pytest.mark.parametrize(
    ("schema", "pattern", "written"),
    [
        ("Card", CARD_PATTERN, {card.code for card in cards.ALL_CARDS}),
        ("WildRank", f"{RANK_PATTERN}|JOKER", {*(rank.letter for rank in cards.Rank), "JOKER"}),
    ],
)
def test_answers_write_each_card_and_rank_in_one_way(schema: str, pattern: str, written: set[str]) -> None:
    """The contract and the game each have a pattern for it, and both take the same texts."""
    valid = validator(f"/components/schemas/{schema}").is_valid
    texts = {*cards._CARDS, *cards._RANKS, "", "1S", "SA", " AS", "AS ", "JOKERS"}
    assert {text for text in texts if valid(text)} == written
    assert {text for text in texts if re.fullmatch(pattern, text)} == written


def test_the_contract_lists_as_many_faults_as_are_sent() -> None:
    assert CONTRACT["components"]["schemas"]["Problem"]["properties"]["errors"]["maxItems"] == MAX_FAULTS


@pytest.mark.parametrize(("path", "name", "request_body"), REQUEST_EXAMPLES)
def test_an_example_of_the_contract_is_answered_as_it_says(
    client: FlaskClient, path: str, name: str, request_body: Any
) -> None:
    reference = CONTRACT["paths"][path]["post"]["requestBody"]["$ref"].removeprefix("#")
    validator(f"{reference}/content/application~1json/schema").validate(request_body)
    answers = CONTRACT["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]["examples"]
    assert value_of(client.post(path, json=request_body)) == answers[name]["value"]


def test_the_example_of_a_problem_is_real(client: FlaskClient) -> None:
    cards = ["AS", "AS", "1S", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS"]
    problem = CONTRACT["components"]["responses"]["InvalidRequest"]["content"]["application/problem+json"]
    response = client.post(
        "/validate", json={"rule_set": "online-13", "hand": cards}, headers={"X-Request-ID": "deal-4711"}
    )
    assert value_of(response) == problem["examples"]["twoFaults"]["value"]
