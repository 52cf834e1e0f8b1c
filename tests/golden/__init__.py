"""Whole answers pinned as plain text, one file a rule set in `tests/data/golden`.

A file is a list of cases. Each opens with its inputs (`case`, `players`, `wild`, `hand`, `laid`, which are read back)
and goes on with the answer, which is written anew and compared.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.game.arrangement import Arrangement
from service.game.cards import NOTHING_TURNED_UP, Card, TurnedUp, parse_card, parse_turned_up
from service.game.rules import RuleSet
from service.game.verdict import Question, judge_show, score_hand
from service.wire.messages.reasons import reason_message
from tests.strategies import HANDS, make_deal, make_groups, make_laid_out

FOLDER: Final = Path(__file__).parents[1] / "data/golden"
INPUTS: Final = ("case", "players", "wild", "hand", "laid")
SEED: Final = 13


@dataclass(frozen=True)
class Case:
    """A hand, and the groups that were laid out, if any."""

    name: str
    players: int
    turned_up: TurnedUp
    hand: tuple[Card, ...]
    groups: tuple[tuple[Card, ...], ...] | None


def new_cases(rules: RuleSet) -> list[Case]:
    """A dozen cases for a rule set that has none yet: each kind of hand, and hands laid out."""
    rng = random.Random(f"{SEED}:{rules.name}")
    cases = []
    for kind in HANDS:
        deal = make_deal(rng.choice, rules, kind)
        cases.append(Case(kind, deal.players, deal.turned_up, deal.hand, None))
    for number in range(1, 6):
        deal, groups = make_laid_out(rng.choice, rules)
        cases.append(Case(f"laid out {number}", deal.players, deal.turned_up, deal.hand, tuple(groups)))
    for kind in ("dense", "joker-rich"):
        deal = make_deal(rng.choice, rules, kind)
        groups = make_groups(rng.choice, deal, [])
        cases.append(Case(f"{kind}, laid out at random", deal.players, deal.turned_up, deal.hand, tuple(groups)))
    return cases


def read_cases(text: str) -> list[Case]:
    """The cases of a file, by their input lines."""
    cases = []
    for block in text.strip().split("\n\n"):
        lines = [line.partition(" ") for line in block.splitlines()]
        given = {key: value.strip() for key, _, value in lines if key in INPUTS}
        groups = None if given["laid"] == "-" else tuple(_cards(group) for group in given["laid"].split("|"))
        wild = given["wild"]
        turned_up = NOTHING_TURNED_UP if wild == "-" else parse_turned_up(wild)
        cases.append(Case(given["case"], int(given["players"]), turned_up, _cards(given["hand"]), groups))
    return cases


def _cards(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(code) for code in text.split())


def render(cases: list[Case], rules: RuleSet) -> str:
    """The whole file: inputs and answers."""
    return "\n\n".join("\n".join(_lines(case, rules)) for case in cases) + "\n"


def _lines(case: Case, rules: RuleSet) -> Iterator[str]:
    yield f"case      {case.name}"
    yield f"players   {case.players}"
    yield f"wild      {case.turned_up.code or '-'}"
    yield f"hand      {_codes(case.hand)}"
    yield f"laid      {'-' if case.groups is None else ' | '.join(map(_codes, case.groups))}"
    question = Question(rules, case.turned_up, case.hand, case.groups)
    shown, scored = judge_show(question), score_hand(question)
    yield f"validate  {'valid' if shown.valid else 'wrong show'}, {shown.points} points, deal {shown.deal}"
    yield f"score     {scored.judged}, {scored.points} points"
    if scored.submitted is not None:
        yield from _arrangement("submitted", scored.submitted)
    yield from _arrangement("best", scored.best)


def _arrangement(name: str, arrangement: Arrangement) -> Iterator[str]:
    yield f"{name:9} {'declarable' if arrangement.declarable else 'not declarable'}, {arrangement.points} points"
    for group in arrangement.groups:
        plays_as = "" if group.plays_as in (None, group.cards) else f"  as  {_codes(group.plays_as or ())}"
        yield f"  {group.kind:15} {group.life or '-':6} {_codes(group.cards)}{plays_as}"
    yield f"  ungrouped  {_codes(arrangement.ungrouped) or '-'}"
    yield f"  charges    {', '.join(f'{charge.card.code} {charge.points}' for charge in arrangement.charges) or '-'}"
    for reason in arrangement.reasons:
        where = "hand" if reason.group is None else f"group {reason.group}"
        yield f"  {reason.code}, {where}, {_codes(reason.cards) or '-'}: {reason_message(reason)}"


def _codes(cards: tuple[Card, ...]) -> str:
    return " ".join(card.code for card in cards)
