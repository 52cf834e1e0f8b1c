"""The self check: a solver that finds too much or too little keeps the service from being ready."""

from collections.abc import Callable

import pytest
from flask import Flask

from service.game.arrangement import Arrangement
from service.game.cards import Card, Rank
from service.game.rules import RuleSet
from service.game.verdict import best_arrangement
from service.startup.rule_files import load_rule_sets
from service.startup.settings import Settings
from service.web import self_check
from service.web.self_check import solves_right
from tests.apps import on_admin_port
from tests.contract import value_of


def test_known_hands_are_solved_right() -> None:
    """Under every rule set."""
    assert solves_right(load_rule_sets(), best_arrangement)


def test_a_wrong_solver_is_noticed() -> None:
    """Whether it finds too much or too little."""

    def blind(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
        return best_arrangement(self_check._NOTHING, wild, rules)

    def rosy(hand: tuple[Card, ...], wild: Rank | None, rules: RuleSet) -> Arrangement:
        return best_arrangement(self_check._SHOW, wild, rules)

    assert not solves_right(load_rule_sets(), blind)
    assert not solves_right(load_rule_sets(), rosy)


def test_a_service_that_solves_wrong_is_not_ready_but_lives(
    monkeypatch: pytest.MonkeyPatch, start: Callable[[Settings], Flask]
) -> None:
    monkeypatch.setattr(self_check, "_SHOW", self_check._NOTHING)
    admin = on_admin_port(start(Settings()).test_client())
    response = admin.get("/readyz")
    assert (response.status_code, value_of(response)["code"]) == (503, "NOT_READY")
    assert admin.get("/livez").status_code == 200
