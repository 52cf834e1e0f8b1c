"""What the load test asks, and what must come back: a stream of requests, the same for the same seed.

The answers are computed beforehand, in process, by the core as it is in this tree; `make loadtest` so compares the
compiled core with the interpreted one besides.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from io import StringIO
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from flask.testing import FlaskClient

from bench.corpora import Deal, rule_sets
from bench.generate import DEALERS
from bench.hands import full_deck, pick, shuffled
from bench.http.bodies import SCORE, VALIDATE, request_body
from service.game.cards import JOKER, NATURAL_CARDS, Card
from service.game.solver import solve
from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app

SEED: Final = 13
# Shares of all requests.
BAD: Final = 0.02
REPEATED: Final = 0.05
# Shares of the good ones.
SCORED: Final = 0.70
# Shares of the requests of a path.
SCORED_WITH_GROUPS: Final = 0.25
SHOWN_WITH_FINISH_CARD: Final = 0.25
# A hand is asked for again soon or not at all; so many are far fewer than a cache holds.
REPEATED_WITHIN: Final = 5000
TOO_LONG: Final = 65 * 1024
JSON: Final = "application/json"
PROBLEM: Final = "application/problem+json"
# Port 80 is the one that a test client calls.
_PORT: Final = 80
_CHUNK: Final = 500


@dataclass(frozen=True)
class Ask:
    """A request. `kind` is what the report counts it under; `line` is the hand as a line of a corpus."""

    kind: str
    method: str
    path: str
    body: str
    content_type: str = JSON
    line: str = ""


@dataclass(frozen=True)
class Answer:
    """What must come back: all bytes of a verdict; of a problem all but its request id."""

    status: int
    content_type: str
    text: str


class Exchange(NamedTuple):
    ask: Ask
    answer: Answer


# -------------------------------------------------------------------------------------------------------- good requests


def deals(random: Random) -> Iterator[Deal]:
    """Hands without end: built, joker-rich and random ones, and all rule sets, in turn."""
    dealers = cycle(DEALERS.values())
    for rules in cycle(rule_sets().values()):
        # As many dealers as there are: together with the rule sets, every pair takes its turn.
        _, dealer = next(dealers)
        yield dealer(random, rules)


def _spare_card(random: Random, deal: Deal) -> Card:
    """A card that the hand could have held besides."""
    deck = deal.rules.deck(None)
    most = {**dict.fromkeys(NATURAL_CARDS, deck.packs), JOKER: deck.printed_jokers}
    return next(card for card in shuffled(random, full_deck(deal.rules)) if deal.hand.count(card) < most[card])


def _laid_out(random: Random, deal: Deal) -> tuple[tuple[Card, ...], ...]:
    """The groups of a player: the best ones, or the cards as they come."""
    hand = deal.hand
    if random.random() < 0.5:
        return tuple(tuple(group.cards) for group in solve(hand, deal.wild, deal.rules).groups)
    return hand[:3], hand[3:6], hand[6:9], hand[9:]


def good_ask(random: Random, deal: Deal, *, repeated: bool) -> Ask:
    """A request for the hand."""
    path = SCORE if random.random() < SCORED else VALIDATE
    share = SCORED_WITH_GROUPS if path == SCORE else 1
    body = json.loads(request_body(deal, _laid_out(random, deal) if random.random() < share else None))
    if path == VALIDATE and random.random() < SHOWN_WITH_FINISH_CARD:
        body["finish_card"] = _spare_card(random, deal).code
        body["hand"].append(body["finish_card"])
    return Ask(f"{path}, again" if repeated else path, "POST", path, json.dumps(body), line=deal.line)


# --------------------------------------------------------------------------------------------------------- bad requests


def _changed(**changes: Any) -> Callable[[str], tuple[str, str]]:
    """The request with some fields changed; a field changed to `...` is left out."""

    def change(body: str) -> tuple[str, str]:
        asked = {name: value for name, value in (json.loads(body) | changes).items() if value is not ...}
        return json.dumps(asked), JSON

    return change


def _with_hand(change_hand: Callable[[list[str]], list[str]]) -> Callable[[str], tuple[str, str]]:
    def change(body: str) -> tuple[str, str]:
        asked = json.loads(body)
        return json.dumps(asked | {"hand": change_hand(asked["hand"]), "groups": None}), JSON

    return change


# What is wrong, and the request's body and media type made from those of a good one.
BAD_BODIES: Final[dict[str, Callable[[str], tuple[str, str]]]] = {
    "cut off": lambda body: (body[:-7], JSON),
    "a key twice": lambda body: ('{"players": 2, "players": 3, ' + body[1:], JSON),
    "a form": lambda body: (body, "application/x-www-form-urlencoded"),
    "too long": lambda body: (body + " " * TOO_LONG, JSON),
    "no rule set": _changed(rule_set=...),
    "unknown rule set": _changed(rule_set="contract-bridge"),
    "a field too many": _changed(bet=100),
    "number as text": _changed(players="4"),
    "a card too few": _with_hand(lambda hand: hand[:12]),
    "no such card": _with_hand(lambda hand: ["1X", *hand[1:]]),
    "one card only": _with_hand(lambda hand: ["AS"] * len(hand)),
    "a group of other cards": _changed(groups=[["AS"] * 5]),
    "two faults": _changed(rule_set=..., wild_rank="joker!"),
}
# What is wrong, the method and the path.
BAD_TARGETS: Final = {
    "no such path": ("POST", "/judge"),
    "no such rule set": ("GET", "/rule-sets/contract-bridge"),
    "not a GET": ("GET", SCORE),
}


def bad_ask(random: Random, good: Ask) -> Ask:
    """A request with something wrong, made from a good one."""
    fault = pick(random, [*BAD_BODIES, *BAD_TARGETS])
    if fault in BAD_TARGETS:
        method, path = BAD_TARGETS[fault]
        return Ask(f"bad: {fault}", method, path, good.body if method == "POST" else "", line=good.line)
    body, content_type = BAD_BODIES[fault](good.body)
    return Ask(f"bad: {fault}", "POST", good.path, body, content_type, good.line)


# ----------------------------------------------------------------------------------------------------------- the stream


def stream(seed: int = SEED) -> Iterator[Ask]:
    """Requests without end, each share drawn by itself."""
    random = Random(seed)
    fresh = deals(random)
    asked: list[Deal] = []
    while True:
        drawn = random.random()
        if drawn < REPEATED and asked:
            # The newest are the last.
            yield good_ask(random, pick(random, asked[-REPEATED_WITHIN:]), repeated=True)
            continue
        deal = next(fresh)
        good = good_ask(random, deal, repeated=False)
        if drawn >= 1 - BAD:
            yield bad_ask(random, good)
        else:
            asked.append(deal)
            yield good


# ---------------------------------------------------------------------------------------------------------- the answers


def client() -> FlaskClient:
    """The service in this process, without a cache."""
    return create_app(read_state(Settings(port=_PORT, cache_size=0)), StringIO()).test_client()


def answer_to(ask: Ask, service: FlaskClient) -> Answer:
    """What the service answers; raises `ValueError` if it takes a good request for a bad one or the other way round."""
    got = service.open(ask.path, method=ask.method, data=ask.body.encode(), content_type=ask.content_type)
    if (got.status_code == 200) == ask.kind.startswith("bad"):
        raise ValueError(f"{ask.kind}: {got.status_code} for {ask.body}")
    text = got.get_data(as_text=True)
    return Answer(got.status_code, got.content_type or "", text if got.status_code == 200 else _without_id(text))


def _without_id(text: str) -> str:
    problem: dict[str, Any] = json.loads(text)
    return json.dumps({name: value for name, value in problem.items() if name != "request_id"}, sort_keys=True)


def fault(expected: Answer, status: int, content_type: str, body: bytes) -> str:
    """What is wrong with an answer, or nothing."""
    if status != expected.status:
        return f"status {status} in place of {expected.status}"
    if content_type != expected.content_type:
        return f"{content_type!r} in place of {expected.content_type!r}"
    if expected.content_type == JSON:
        return "" if body == expected.text.encode() else "another verdict"
    try:
        problem = _without_id(body.decode())
    except (ValueError, AttributeError):
        return "not a problem"
    return "" if problem == expected.text else "another problem"


_CLIENTS: list[FlaskClient] = []


def _answered(asks: list[Ask]) -> list[Exchange]:
    if not _CLIENTS:
        _CLIENTS.append(client())
    return [Exchange(ask, answer_to(ask, _CLIENTS[0])) for ask in asks]


def write(file: Path, count: int, processes: int = 2) -> None:
    """A file with the first so many requests of the stream and their answers, one exchange a line."""
    asks = stream()
    chunks = ([next(asks) for _ in range(min(_CHUNK, count - start))] for start in range(0, count, _CHUNK))
    with file.open("w", encoding="utf-8") as out, get_context("spawn").Pool(processes) as pool:
        for exchanges in pool.imap(_answered, chunks):
            out.writelines(json.dumps([asdict(each.ask), asdict(each.answer)]) + "\n" for each in exchanges)


def read(file: Path) -> list[Exchange]:
    """The exchanges of a file."""
    with file.open(encoding="utf-8") as lines:
        return [Exchange(Ask(**ask), Answer(**answer)) for ask, answer in map(json.loads, lines)]
