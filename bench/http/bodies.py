"""Request bodies from the benchmark hands, and the answers that they must get."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.corpora import CORPORA, Deal, read_corpus, rule_sets
from bench.generate import DEALERS
from service.game.cards import Card
from service.game.solver import solve
from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app

SCORE: Final = "/score"
VALIDATE: Final = "/validate"
BATCH: Final = "/batch"
BATCH_ITEMS: Final = 1000
HANDS: Final = CORPORA / "built.txt"
SEED: Final = 4


@dataclass(frozen=True)
class Bodies:
    """Request bodies for one path: the file that wrk reads, a body a line, and the right answer to each."""

    file: Path
    texts: tuple[str, ...]
    answers: tuple[bytes, ...]

    @property
    def mean_bytes(self) -> float:
        return sum(map(len, self.answers)) / len(self.answers)

    @property
    def typical(self) -> bytes:
        """The answer whose size is nearest to the mean."""
        mean = self.mean_bytes
        return min(self.answers, key=lambda answer: abs(len(answer) - mean))


def request_body(deal: Deal, groups: Sequence[Sequence[Card]] | None = None) -> str:
    """The deal as a request, with the groups that the player laid out if there are any."""
    turned_up = deal.turned_up.code
    body: dict[str, Any] = {
        "rule_set": deal.rules.name,
        "wild_rank": turned_up,
        "hand": [card.code for card in deal.hand],
    }
    if groups is not None:
        body["groups"] = [[card.code for card in group] for group in groups]
    return json.dumps(body)


def layouts(deals: Sequence[Deal]) -> Iterator[Sequence[Sequence[Card]]]:
    """For each deal the groups of a player: in turn the best ones, and the cards as they come in 3, 3, 3 and 4."""
    for number, deal in enumerate(deals):
        hand = deal.hand
        if number % 2 == 0:
            yield [group.cards for group in solve(hand, deal.wild, deal.rules).groups]
        else:
            yield hand[:3], hand[3:6], hand[6:9], hand[9:]


def make_bodies(folder: Path) -> dict[str, Bodies]:
    """The bodies for each path: every hand built from groups, and the same with groups laid out."""
    deals = read_corpus(HANDS)
    laid_out = zip(deals, layouts(deals), strict=True)
    texts = {
        SCORE: [request_body(deal) for deal in deals],
        VALIDATE: [request_body(deal, groups) for deal, groups in laid_out],
    }
    return {path: _with_answers(folder, path, each) for path, each in texts.items()}


def _with_answers(folder: Path, path: str, texts: list[str]) -> Bodies:
    # Port 80 is the one that a test client calls.
    client = create_app(read_state(Settings(port=80, cache_size=0)), StringIO()).test_client()
    answers = []
    for text in texts:
        answer = client.post(path, data=text, content_type="application/json")
        if answer.status_code != 200:
            raise ValueError(f"{path}: {answer.status}: {text}")
        answers.append(answer.data)
    return Bodies(write_lines(folder / f"{path[1:]}.txt", texts), tuple(texts), tuple(answers))


def write_lines(file: Path, texts: Sequence[str]) -> Path:
    """A file with a body a line."""
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return file


def batch_bodies(texts: Sequence[str]) -> list[str]:
    """The requests for /score, a thousand to a batch."""
    return [
        json.dumps(
            {
                "items": [
                    {"id": str(number), "op": "score", **json.loads(text)}
                    for number, text in enumerate(texts[first : first + BATCH_ITEMS])
                ]
            }
        )
        for first in range(0, len(texts), BATCH_ITEMS)
    ]


def distinct_bodies(count: int) -> list[str]:
    """So many requests with different hands, in turn random and built from groups; the rule sets take turns too."""
    random = Random(SEED)
    texts: dict[str, None] = {}
    dealers = cycle((DEALERS["random"][1], DEALERS["built"][1]))
    for rules, dealer in zip(cycle(rule_sets().values()), dealers, strict=False):
        texts[request_body(dealer(random, rules))] = None
        if len(texts) == count:
            break
    return list(texts)
