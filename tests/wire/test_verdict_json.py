"""The text of an answer is the JSON of its verdict, value for value, compact and in the order of the contract."""

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from service.game.arrangement import Arrangement
from service.game.canonical import canonical_json
from service.game.cards import JOKER, NOTHING_TURNED_UP, Card, sort_cards
from service.game.reasons import Reason
from service.game.rules import MatchFormat
from service.game.settlement import Drop, Match, Player, Settlement, Table, settle
from service.game.verdict import Question, Verdict, judge_show, score_hand
from service.wire.messages.reasons import reason_message
from service.wire.verdict_json import write_settlement, write_statement, write_verdict
from tests.strategies import FIXED, RULE_SETS, Deal, laid_out_deals, tables


def codes(cards: tuple[Card, ...] | None) -> list[str] | None:
    return None if cards is None else [card.code for card in cards]


def reasons_of(reasons: tuple[Reason, ...]) -> list[dict[str, Any]]:
    return [
        {
            "code": reason.code,
            "message": reason_message(reason),
            "group": reason.group,
            "cards": codes(reason.cards),
        }
        for reason in reasons
    ]


def arrangement_of(arrangement: Arrangement) -> dict[str, Any]:
    groups = [
        {**group._asdict(), "cards": codes(group.cards), "plays_as": codes(group.plays_as)}
        for group in arrangement.groups
    ]
    charges = [{"card": charge.card.code, "points": charge.points} for charge in arrangement.charges]
    return {
        **arrangement._asdict(),
        "groups": groups,
        "ungrouped": codes(arrangement.ungrouped),
        "charges": charges,
        "reasons": reasons_of(arrangement.reasons),
    }


def comparison_of(arrangement: Arrangement) -> dict[str, Any]:
    return {"declarable": arrangement.declarable, "points": arrangement.points}


def statement_of(verdict: Verdict, engine: str) -> dict[str, Any]:
    question, rules, show = verdict.question, verdict.question.rules, verdict.deal is not None
    groups, finish_card = question.groups, question.finish_card
    return {
        "engine": engine,
        "rule_set": {"name": rules.name, "version": rules.version, "digest": rules.digest},
        "request": {
            "op": "validate" if show else "score",
            "rule_set": rules.name,
            "wild_rank": question.turned_up.code,
            "hand": codes(tuple(sort_cards(question.hand))),
            "groups": None if groups is None else [codes(tuple(sort_cards(group))) for group in groups],
            "finish_card": None if finish_card is None else finish_card.code,
            "players": question.players,
        },
        "outcome": {
            "judged": verdict.judged,
            "valid": verdict.valid,
            "points": verdict.points,
            "reasons": [reason.code for reason in verdict.reasons],
            "best": comparison_of(verdict.best),
            **({} if verdict.submitted is None else {"submitted": comparison_of(verdict.submitted)}),
            **({"wrong_show": verdict.wrong_show, "deal": verdict.deal} if show else {}),
        },
    }


def value_of(verdict: Verdict) -> dict[str, Any]:
    rules, turned_up = verdict.question.rules, verdict.question.turned_up
    show = verdict.deal is not None
    return {
        "verdict_id": "id",
        "rule_set": {"name": rules.name, "version": rules.version, "digest": rules.digest},
        "wild_rank": turned_up.code,
        "judged": verdict.judged,
        "valid": verdict.valid,
        **({"wrong_show": verdict.wrong_show} if show else {}),
        "points": verdict.points,
        **({"deal": verdict.deal} if show else {}),
        "reasons": reasons_of(verdict.reasons),
        "submitted": None if verdict.submitted is None else arrangement_of(verdict.submitted),
        "best": arrangement_of(verdict.best),
    }


@pytest.mark.parametrize("judge", [judge_show, score_hand])
@pytest.mark.parametrize("laid_out", [True, False])
def test_the_text_is_the_json_of_the_verdict(judge: Any, laid_out: bool) -> None:
    @FIXED
    @given(laid_out_deals())
    def check(asked: tuple[Deal, list[tuple[Card, ...]]]) -> None:
        deal, groups = asked
        verdict = judge(Question(deal.rules, deal.turned_up, deal.hand, tuple(groups) if laid_out else None))
        text = json.dumps(value_of(verdict), ensure_ascii=False, separators=(",", ":"))
        assert write_verdict(verdict, "id") == text
        assert write_verdict(verdict, "id", "a.b.c") == text[:-1] + ',"attestation":"a.b.c"}'

    check()


def written(verdict: Verdict) -> str:
    return write_verdict(verdict, "id")


def settlement_of(settlement: Settlement) -> dict[str, Any]:
    rules, turned_up = settlement.table.rules, settlement.table.turned_up
    standing = settlement.standing
    return {
        "rule_set": {"name": rules.name, "version": rules.version, "digest": rules.digest},
        "wild_rank": turned_up.code,
        "deal": settlement.deal,
        "winner": settlement.winner,
        "players": [
            {
                "id": result.id,
                "outcome": result.outcome,
                "points": result.points,
                "verdict": None if result.verdict is None else value_of(result.verdict),
            }
            for result in settlement.results
        ],
        "match": standing
        and {
            "format": standing.match.format,
            "limit": standing.match.limit,
            "deals_left": standing.match.deals_left,
            "totals": standing.match.totals,
            "out": list(standing.out),
            "over": standing.over,
            "winners": list(standing.winners),
        },
    }


@settings(FIXED, max_examples=200)
@given(tables())
def test_the_text_is_the_json_of_the_settlement(table: Table) -> None:
    settlement = settle(table)
    text = json.dumps(settlement_of(settlement), ensure_ascii=False, separators=(",", ":"))
    assert write_settlement(settlement, written) == text


def test_an_id_may_be_any_text() -> None:
    id_ = 'é"\\\n\u2028{}♠'
    players = (Player(id_, None, None), Player("b", None, Drop.FIRST))
    match = Match(MatchFormat.POINTS, None, None, {id_: 1, "b": 2})
    settlement = settle(
        Table(RULE_SETS["online-13"], NOTHING_TURNED_UP, players, None, losers_at_best=False, match=match)
    )
    assert json.loads(write_settlement(settlement, written)) == settlement_of(settlement)


@pytest.mark.parametrize("judge", [judge_show, score_hand])
@pytest.mark.parametrize("laid_out", [True, False])
@pytest.mark.parametrize(("finish_card", "players"), [(None, None), (JOKER, 2)])
def test_a_statement_is_canonical_json(judge: Any, laid_out: bool, finish_card: Card | None, players: int) -> None:
    """As an implementation of RFC 8785 that shares nothing with this one writes it."""

    @FIXED
    @given(laid_out_deals(), st.text(max_size=8))
    def check(asked: tuple[Deal, list[tuple[Card, ...]]], engine: str) -> None:
        deal, laid = asked
        groups = tuple(laid) if laid_out else None
        verdict = judge(Question(deal.rules, deal.turned_up, deal.hand, groups, finish_card, players))
        canonical = rfc8785.dumps(statement_of(verdict, engine))
        assert write_statement(verdict, engine).encode() == canonical
        assert canonical_json(json.loads(canonical)).encode() == canonical

    check()


@FIXED
@given(laid_out_deals(), st.randoms(use_true_random=False))
def test_the_order_of_cards_makes_no_other_statement(asked: tuple[Deal, list[tuple[Card, ...]]], random: Any) -> None:
    deal, groups = asked
    turned = Question(
        deal.rules,
        deal.turned_up,
        tuple(random.sample(deal.hand, 13)),
        tuple(tuple(random.sample(group, len(group))) for group in groups),
    )
    first = write_statement(judge_show(Question(deal.rules, deal.turned_up, deal.hand, tuple(groups))), "1")
    assert write_statement(judge_show(turned), "1") == first
