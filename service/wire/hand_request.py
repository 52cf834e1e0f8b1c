"""Questions: what a request about one hand asks, or everything that is wrong with it.

The schema reads the fields, a `Reading` checks what they say together. All is reported at once: every check that still
makes sense is made, whatever else is faulty. `deals` reads a whole table, with the same checks for each hand.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, ValidationError

from service.game.cards import JOKER, NOTHING_TURNED_UP, Card, TurnedUp
from service.game.rules import HAND_SIZE, Deck, RuleSet
from service.game.verdict import Question
from service.limits import MAX_FAULTS
from service.wire.fast_path import read_plain
from service.wire.faults import Fault, InvalidRequest, Path, require_object, schema_faults, shown
from service.wire.schemas import REQUEST_SCHEMA


def read_question(value: object, rule_sets: Mapping[str, RuleSet]) -> Question:
    """The question that a JSON value asks; raises `InvalidRequest` with every fault."""
    return _QuestionReading(value, rule_sets).question()


def _add(faults: list[Fault], fault: Fault) -> None:
    """One more than are told is enough to say that there are more."""
    if len(faults) <= MAX_FAULTS:
        faults.append(fault)


class Reading:
    """One request while it is read. What the schema found faulty is None here, in lists too, or missing."""

    def __init__(self, schema: Schema, value: object, rule_sets: Mapping[str, RuleSet]) -> None:
        self.faults: list[Fault] = []
        self.given = require_object(value)
        self.data = self._load(schema, self.given)
        self.turned_up: TurnedUp = self.data.get("wild_rank") or NOTHING_TURNED_UP
        self.rules = self._rule_set(self.data.get("rule_set"), rule_sets)
        self._check_wild_rank()

    def fault(self, path: Path, code: str, detail: str) -> None:
        _add(self.faults, Fault(path, code, detail))

    def deck(self, players: int | None) -> Deck | None:
        """The deck of the table; without a good number of players, the one with the most packs."""
        if self.rules is None:
            return None
        try:
            return self.rules.deck(players)
        except ValueError as error:
            self.fault(("players",), "WRONG_PLAYERS", f"{error}.")
            return self.rules.deck(None)

    def _load(self, schema: Schema, value: dict[str, Any]) -> dict[str, Any]:
        """What the schema read; what it found faulty is noted and left out."""
        try:
            loaded: dict[str, Any] = schema.load(value)
        except ValidationError as error:
            self.faults += schema_faults(error)
            loaded = dict(error.valid_data or {})
        return loaded

    def _rule_set(self, name: str | None, rule_sets: Mapping[str, RuleSet]) -> RuleSet | None:
        rules = None if name is None else rule_sets.get(name)
        if name is not None and rules is None:
            self.fault(("rule_set",), "UNKNOWN_RULE_SET", f"{shown(name)} is not one of {', '.join(rule_sets)}.")
        return rules

    def _check_wild_rank(self) -> None:
        if self.rules is None:
            return
        try:
            self.rules.wild_rank(self.turned_up)
        except ValueError as error:
            self.fault(("wild_rank",), "WILD_RANK_NOT_POSSIBLE", f"{error}.")


class _QuestionReading(Reading):
    """A request about one hand."""

    def __init__(self, value: object, rule_sets: Mapping[str, RuleSet]) -> None:
        super().__init__(REQUEST_SCHEMA, value, rule_sets)
        self.hand = HandReading(self.faults, (), self.given, self.data)

    def _load(self, schema: Schema, value: dict[str, Any]) -> dict[str, Any]:
        return read_plain(value) or super()._load(schema, value)

    def question(self) -> Question:
        self.hand.check(self.deck(self.data.get("players")))
        if self.faults or self.rules is None:
            raise InvalidRequest(self.faults)
        return self.hand.question(self.rules, self.turned_up, self.data.get("players"))


class HandReading:
    """One hand while it is read: `given` has the fields as they were sent, `data` as the schema read them.

    Faults are added to `faults`, with `path` before the path to the field.
    """

    def __init__(self, faults: list[Fault], path: Path, given: Mapping[str, Any], data: Mapping[str, Any]) -> None:
        self.faults = faults
        self.path = path
        self.cards: list[Card | None] | None = data.get("hand")
        self.groups: Sequence[Sequence[Card | None]] | None = data.get("groups")
        self.finish_card: Card | None = data.get("finish_card")
        self.has_finish_card = given.get("finish_card") is not None
        self.judged: list[Card | None] = []

    def check(self, deck: Deck | None) -> None:
        """Note every fault of the hand; what the packs hold is only asked where `deck` is known."""
        if self.cards is None:
            return
        self._check_size(len(self.cards))
        if deck is not None:
            self._check_packs(self.cards, deck)
        self.judged = self._without_finish_card(self.cards)
        if self.groups is not None and None not in self.cards:
            self._check_groups(self.groups)

    def question(self, rules: RuleSet, turned_up: TurnedUp, players: int | None) -> Question:
        """What is asked about the hand at a table of `players`, once it was checked and found good."""
        groups = None if self.groups is None else tuple(tuple(filter(None, group)) for group in self.groups)
        hand = tuple(filter(None, self.judged))
        return Question(rules, turned_up, hand, groups, self.finish_card, players)

    def _fault(self, path: Path, code: str, detail: str) -> None:
        _add(self.faults, Fault((*self.path, *path), code, detail))

    def _check_size(self, size: int) -> None:
        if not self.has_finish_card and size == HAND_SIZE + 1:
            self._fault(("finish_card",), "FINISH_CARD_REQUIRED", "The hand has 14 cards: say which one was put away.")
        elif size != HAND_SIZE + self.has_finish_card:
            alone, both = "13 cards, or 14 with a finish card", "14 cards, the finish card among them"
            needed = both if self.has_finish_card else alone
            self._fault(("hand",), "WRONG_HAND_SIZE", f"Must have {needed}, not {size}.")

    def _check_packs(self, hand: list[Card | None], deck: Deck) -> None:
        for surplus in surplus_cards(hand, deck):
            detail = f"{surplus.card.symbol} is in the hand {surplus.times}."
            self._fault(("hand", surplus.index), "IMPOSSIBLE_HAND", detail)

    def _without_finish_card(self, hand: list[Card | None]) -> list[Card | None]:
        judged = hand.copy()
        if self.finish_card is None:
            return judged
        if self.finish_card in judged:
            judged.remove(self.finish_card)
        elif None not in hand:
            detail = f"{self.finish_card.symbol} is not in the hand."
            self._fault(("finish_card",), "FINISH_CARD_NOT_IN_HAND", detail)
        return judged

    def _check_groups(self, groups: Sequence[Sequence[Card | None]]) -> None:
        """Groups that use a card more often than the judged cards have it; only asked of a hand that is known."""
        rest = self.judged.copy()
        try:
            for group in groups:
                for card in group:
                    rest.remove(card)
        except ValueError:
            pass  # told card by card
        else:
            return
        held = Counter(self.judged)
        left = held.copy()
        for row, group in enumerate(groups):
            for column, card in enumerate(group):
                if card is None:
                    continue
                left[card] -= 1
                if left[card] < 0:
                    has = _times(held[card])
                    detail = f"The groups use {card.symbol} more often than the judged cards have it ({has})."
                    self._fault(("groups", row, column), "CARDS_NOT_IN_HAND", detail)


@dataclass(frozen=True)
class Surplus:
    """A card that stands more often among some cards than the packs hold it: where it is first too many."""

    card: Card
    index: int
    times: str


def surplus_cards(cards: Sequence[Card | None], deck: Deck) -> list[Surplus]:
    """More copies of a card than the packs hold; what is None is passed over."""
    if len(set(cards)) == len(cards) and deck.printed_jokers:
        return []
    copies = Counter(cards)
    del copies[None]
    found = []
    for card, count in copies.items():
        held = deck.printed_jokers if card is JOKER else deck.packs
        if card is not None and count > held:
            index = [index for index, other in enumerate(cards) if other is card][held]
            found.append(Surplus(card, index, f"{_times(count)}, and the cards in play have it {_times(held)}"))
    return found


def _times(count: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")
