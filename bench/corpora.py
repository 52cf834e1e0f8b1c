"""A corpus: hands with the rule set and the wild rank that they are solved under, as a text file.

One hand a line: rule set, wild rank as on the wire ("-" for none, "JOKER" for a printed joker turned up), 13 cards.
Lines that start with "#" say where the hands come from. Every file in `corpora/` is measured: dropping one in adds it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from service.game.cards import NOTHING_TURNED_UP, Card, Rank, TurnedUp, parse_card, parse_turned_up
from service.game.rules import HAND_SIZE, RuleSet
from service.startup.rule_files import load_rule_sets

CORPORA: Final = Path(__file__).parent / "corpora"
NO_WILD: Final = "-"


@dataclass(frozen=True)
class Deal:
    """One hand of 13 cards."""

    rules: RuleSet
    turned_up: TurnedUp
    hand: tuple[Card, ...]

    @property
    def wild(self) -> Rank | None:
        return self.rules.wild_rank(self.turned_up)

    @property
    def line(self) -> str:
        """The deal as a line of a corpus file."""
        turned_up = self.turned_up.code or NO_WILD
        return " ".join([self.rules.name, turned_up, *(card.code for card in self.hand)])


@cache
def rule_sets() -> dict[str, RuleSet]:
    """The rule sets by name, in the order of their names."""
    return dict(load_rule_sets())


def parse_deal(line: str) -> Deal:
    """The deal that a line of a corpus describes; raises `ValueError` where it describes none."""
    name, turned_up, *codes = line.split()
    rules = rule_sets().get(name)
    if rules is None:
        raise ValueError(f"no rule set {name!r}: {line}")
    if len(codes) != HAND_SIZE:
        raise ValueError(f"{len(codes)} cards: {line}")
    return Deal(rules, _parse_turned_up(turned_up), tuple(parse_card(code) for code in codes))


def _parse_turned_up(text: str) -> TurnedUp:
    return NOTHING_TURNED_UP if text == NO_WILD else parse_turned_up(text)


def read_corpus(path: Path) -> list[Deal]:
    """The deals of a corpus file, in its order; raises `ValueError` with the number of the line that is wrong."""
    deals = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line and not line.startswith("#"):
            try:
                deals.append(parse_deal(line))
            except ValueError as error:
                raise ValueError(f"{path.name}:{number}: {error}") from error
    return deals


def corpus_text(provenance: Iterable[str], deals: Iterable[Deal]) -> str:
    """A corpus file: a comment line for each line of `provenance`, then the deals."""
    lines = [*(f"# {line}" for line in provenance), *(deal.line for deal in deals)]
    return "\n".join(lines) + "\n"
