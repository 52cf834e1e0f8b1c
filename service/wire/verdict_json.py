"""Answers: the JSON text of a verdict, of the statement that stands for it, and of a settlement. Each is written in one
go; `openapi.yaml` says the same for others.

No dictionaries are built on the way, and compiled this takes a tenth of the time that they and `json.dumps` would.
"""

from collections.abc import Callable, Sequence
from json.encoder import encode_basestring
from typing import Final

from service.game.arrangement import Arrangement, Charge, Group
from service.game.cards import ALL_CARDS, Card, TurnedUp, sort_cards
from service.game.reasons import Reason
from service.game.rules import RuleSet
from service.game.settlement import Result, Settlement, Standing
from service.game.verdict import Operation, Verdict
from service.wire.messages.reasons import reason_message

_QUOTED: Final = tuple(f'"{card.code}"' for card in ALL_CARDS)


def write_statement(verdict: Verdict, engine: str) -> str:
    """What the verdict of an engine of that version says, as canonical JSON (RFC 8785): keys sorted, cards in listing
    order, whatever their order in the request. All of it is ASCII but what a version might hold.
    """
    question, show = verdict.question, verdict.operation is Operation.VALIDATE
    rules, groups, finish = question.rules, question.groups, question.finish_card
    submitted = verdict.submitted
    return "".join(
        (
            f'{{"engine":{encode_basestring(engine)},"outcome":{{"best":{_comparison(verdict.best)}',
            f',"deal":"{verdict.deal}"' if show else "",
            f',"judged":"{verdict.judged}","points":{verdict.points},"reasons":[',
            ",".join([f'"{reason.code}"' for reason in verdict.reasons]),
            "]" if submitted is None else f'],"submitted":{_comparison(submitted)}',
            f',"valid":{_truth(verdict.valid)}',
            f',"wrong_show":{_truth(not verdict.valid)}' if show else "",
            '},"request":{"finish_card":',
            "null" if finish is None else _QUOTED[finish.order],
            ',"groups":',
            "null" if groups is None else "[" + ",".join([_cards(sort_cards(group)) for group in groups]) + "]",
            f',"hand":{_cards(sort_cards(question.hand))},"op":"{verdict.operation}","players":',
            "null" if question.players is None else str(question.players),
            f',"rule_set":"{rules.name}","wild_rank":{_wild_rank(question.turned_up)}}}',
            f',"rule_set":{{"digest":"{rules.digest}","name":"{rules.name}","version":{rules.version}}}}}',
        )
    )


def _comparison(arrangement: Arrangement) -> str:
    return f'{{"declarable":{_truth(arrangement.declarable)},"points":{arrangement.points}}}'


def write_verdict(verdict: Verdict, verdict_id: str, attestation: str | None = None) -> str:
    """The verdict as compact JSON, its keys in the order of the contract."""
    show = verdict.operation is Operation.VALIDATE
    reasons = _reasons(verdict.reasons)
    submitted = "null" if verdict.submitted is None else _arrangement(verdict.submitted, verdict.reasons, reasons)
    return "".join(
        (
            f'{{"verdict_id":"{verdict_id}",',
            _head(verdict.question.rules, verdict.question.turned_up),
            f',"judged":"{verdict.judged}","valid":{_truth(verdict.valid)}',
            f',"wrong_show":{_truth(not verdict.valid)}' if show else "",
            f',"points":{verdict.points}',
            f',"deal":"{verdict.deal}"' if show else "",
            ',"reasons":',
            reasons,
            ',"submitted":',
            submitted,
            ',"best":',
            _arrangement(verdict.best, verdict.reasons, reasons),
            "}" if attestation is None else f',"attestation":"{attestation}"}}',
        )
    )


def write_settlement(settlement: Settlement, write: Callable[[Verdict], str]) -> str:
    """The settlement as compact JSON, with the text that `write` gives for each verdict in it."""
    return "".join(
        (
            "{",
            _head(settlement.table.rules, settlement.table.turned_up),
            f',"deal":"{settlement.deal}","winner":',
            "null" if settlement.winner is None else encode_basestring(settlement.winner),
            ',"players":[',
            ",".join([_result(result, write) for result in settlement.results]),
            '],"match":',
            "null" if settlement.standing is None else _standing(settlement.standing),
            "}",
        )
    )


def _result(result: Result, write: Callable[[Verdict], str]) -> str:
    verdict = "null" if result.verdict is None else write(result.verdict)
    id_ = encode_basestring(result.id)
    return f'{{"id":{id_},"outcome":"{result.outcome}","points":{result.points},"verdict":{verdict}}}'


def _standing(standing: Standing) -> str:
    match = standing.match
    limit = "null" if match.limit is None else str(match.limit)
    deals_left = "null" if match.deals_left is None else str(match.deals_left)
    totals = ",".join([f"{encode_basestring(id_)}:{total}" for id_, total in match.totals.items()])
    return (
        f'{{"format":"{match.format}","limit":{limit},"deals_left":{deals_left},"totals":{{{totals}}}'
        f',"out":{_ids(standing.out)},"over":{_truth(standing.over)},"winners":{_ids(standing.winners)}}}'
    )


def _ids(ids: Sequence[str]) -> str:
    return "[" + ",".join([encode_basestring(id_) for id_ in ids]) + "]"


def _head(rules: RuleSet, turned_up: TurnedUp) -> str:
    """What every answer names first: the rule set, and what was turned up, in its canonical spelling."""
    rule_set = f'{{"name":"{rules.name}","version":{rules.version},"digest":"{rules.digest}"}}'
    return f'"rule_set":{rule_set},"wild_rank":{_wild_rank(turned_up)}'


def _wild_rank(turned_up: TurnedUp) -> str:
    code = turned_up.code
    return "null" if code is None else f'"{code}"'


def _arrangement(arrangement: Arrangement, reasons: Sequence[Reason], written: str) -> str:
    """The text of an arrangement. Its reasons are mostly those of the verdict, which are `written` already."""
    return "".join(
        (
            f'{{"declarable":{_truth(arrangement.declarable)},"points":{arrangement.points},"groups":[',
            ",".join([_group(group) for group in arrangement.groups]),
            '],"ungrouped":',
            _cards(arrangement.ungrouped),
            ',"charges":[',
            ",".join([_charge(charge) for charge in arrangement.charges]),
            '],"reasons":',
            written if arrangement.reasons is reasons else _reasons(arrangement.reasons),
            "}",
        )
    )


def _group(group: Group) -> str:
    life = "null" if group.life is None else f'"{group.life}"'
    cards = _cards(group.cards)
    plays_as = "null" if group.plays_as is None else cards if group.plays_as is group.cards else _cards(group.plays_as)
    return f'{{"kind":"{group.kind}","life":{life},"cards":{cards},"plays_as":{plays_as}}}'


def _charge(charge: Charge) -> str:
    return f'{{"card":{_QUOTED[charge.card.order]},"points":{charge.points}}}'


def _reasons(reasons: Sequence[Reason]) -> str:
    return "[" + ",".join([_reason(reason) for reason in reasons]) + "]"


def _reason(reason: Reason) -> str:
    group = "null" if reason.group is None else str(reason.group)
    message = encode_basestring(reason_message(reason))
    return f'{{"code":"{reason.code}","message":{message},"group":{group},"cards":{_cards(reason.cards)}}}'


def _cards(cards: Sequence[Card]) -> str:
    return "[" + ",".join([_QUOTED[card.order] for card in cards]) + "]"


def _truth(value: bool) -> str:
    return "true" if value else "false"
