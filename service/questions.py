"""Questions: what a request asks, or everything that is wrong with it.

The schema reads the fields, `_Reading` checks what they say together. All is reported at once: every check that still
makes sense is made, whatever else is faulty.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from marshmallow import ValidationError

from service.cards import JOKER, Card, Rank
from service.rules import HAND_SIZE, Deck, RuleSet
from service.schemas import REQUEST_SCHEMA, shown
from service.verdict import Question

_FIELDS: Final = {name: place for place, name in enumerate(REQUEST_SCHEMA.fields)}


@dataclass(frozen=True)
class Fault:
    """One fault of a request: `path` leads to the value, as ("hand", 3)."""

    path: tuple[str | int, ...]
    code: str
    detail: str

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer (RFC 6901)."""
        return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in self.path)


class InvalidRequest(ValueError):
    """The body is JSON but no question; `faults` has all that is wrong, in the order of the contract's fields."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = sorted(faults, key=_place)


def _place(fault: Fault) -> tuple[Any, ...]:
    field = str(fault.path[0]) if fault.path else ""
    return _FIELDS.get(field, len(_FIELDS)), field, fault.path[1:]


def read_question(value: object, rule_sets: Mapping[str, RuleSet]) -> Question:
    """The question that a JSON value asks; raises `InvalidRequest` with every fault."""
    if not isinstance(value, dict):
        raise InvalidRequest([Fault((), "WRONG_TYPE", "The body must be a JSON object.")])
    return _Reading(value, rule_sets).question()


class _Reading:
    """One request while it is read. What the schema found faulty is None here, in lists too, or missing."""

    def __init__(self, value: dict[str, Any], rule_sets: Mapping[str, RuleSet]) -> None:
        self.faults: list[Fault] = []
        self.given = value
        data = self._load(value)
        self.hand: list[Card | None] | None = data.get("hand")
        self.groups: list[list[Card | None]] | None = data.get("groups")
        self.finish_card: Card | None = data.get("finish_card")
        self.turned_up: Rank | str | None = data.get("wild_rank")
        self.players: int | None = data.get("players")
        self.rules = self._rule_set(data.get("rule_set"), rule_sets)

    def question(self) -> Question:
        judged: list[Card | None] = []
        self._check_wild_rank()
        deck = self._deck()
        if self.hand is not None:
            self._check_size(len(self.hand))
            if deck is not None:
                self._check_packs(self.hand, deck)
            judged = self._judged(self.hand)
            if self.groups is not None and None not in self.hand:
                self._check_groups(self.groups, judged)
        if self.faults or self.rules is None:
            raise InvalidRequest(self.faults)
        groups = None if self.groups is None else tuple(tuple(filter(None, group)) for group in self.groups)
        hand = tuple(filter(None, judged))
        return Question(self.rules, self.turned_up, hand, groups, self.finish_card, self.players)

    def _fault(self, path: tuple[str | int, ...], code: str, detail: str) -> None:
        self.faults.append(Fault(path, code, detail))

    def _load(self, value: dict[str, Any]) -> dict[str, Any]:
        """What the schema read; what it found faulty is noted and left out."""
        try:
            loaded: dict[str, Any] = REQUEST_SCHEMA.load(value)
        except ValidationError as error:
            self.faults += _schema_faults((), error.messages)
            loaded = dict(error.valid_data or {})
        return loaded

    def _rule_set(self, name: str | None, rule_sets: Mapping[str, RuleSet]) -> RuleSet | None:
        rules = None if name is None else rule_sets.get(name)
        if name is not None and rules is None:
            self._fault(("rule_set",), "UNKNOWN_RULE_SET", f"{shown(name)} is not one of {', '.join(rule_sets)}.")
        return rules

    def _check_wild_rank(self) -> None:
        if self.rules is None:
            return
        try:
            self.rules.wild_rank(self.turned_up)
        except ValueError as error:
            self._fault(("wild_rank",), "WILD_RANK_NOT_POSSIBLE", f"{error}.")

    def _check_size(self, size: int) -> None:
        has_finish_card = self.given.get("finish_card") is not None
        if not has_finish_card and size == HAND_SIZE + 1:
            self._fault(("finish_card",), "FINISH_CARD_REQUIRED", "The hand has 14 cards: say which one was put away.")
        elif size != HAND_SIZE + has_finish_card:
            needed = "14 cards, the finish card among them" if has_finish_card else "13 cards"
            self._fault(("hand",), "WRONG_HAND_SIZE", f"Must have {needed}, not {size}.")

    def _deck(self) -> Deck | None:
        """The deck of the table; without a good number of players, the one with the most packs."""
        if self.rules is None:
            return None
        try:
            return self.rules.deck(self.players)
        except ValueError as error:
            self._fault(("players",), "WRONG_PLAYERS", f"{error}.")
            return self.rules.deck(None)

    def _check_packs(self, hand: list[Card | None], deck: Deck) -> None:
        """More copies of a card than the packs hold."""
        copies = Counter(hand)
        if hand and max(copies.values()) <= min(deck.packs, deck.printed_jokers):
            return
        del copies[None]
        for card, count in copies.items():
            held = deck.printed_jokers if card is JOKER else deck.packs
            if card is not None and count > held:
                surplus = [index for index, other in enumerate(hand) if other is card][held]
                detail = f"{card.symbol} is in the hand {_times(count)}, and the cards in play have it {_times(held)}."
                self._fault(("hand", surplus), "IMPOSSIBLE_HAND", detail)

    def _judged(self, hand: list[Card | None]) -> list[Card | None]:
        """The hand without the finish card."""
        judged = hand.copy()
        if self.finish_card is None:
            return judged
        if self.finish_card in judged:
            judged.remove(self.finish_card)
        elif None not in hand:
            detail = f"{self.finish_card.symbol} is not in the hand."
            self._fault(("finish_card",), "FINISH_CARD_NOT_IN_HAND", detail)
        return judged

    def _check_groups(self, groups: list[list[Card | None]], judged: list[Card | None]) -> None:
        """Groups that use a card more often than the judged cards have it; only asked of a hand that is known."""
        rest = judged.copy()
        try:
            for group in groups:
                for card in group:
                    rest.remove(card)
        except ValueError:
            pass  # told card by card
        else:
            return
        held = Counter(judged)
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


def schema_faults(error: ValidationError) -> list[Fault]:
    """What a schema found, as faults."""
    return _schema_faults((), error.messages)


def _schema_faults(path: tuple[str | int, ...], messages: dict[Any, Any] | list[Any]) -> list[Fault]:
    """What marshmallow reports, nested by field and index, as faults."""
    if isinstance(messages, dict):
        return [fault for key, inner in messages.items() for fault in _schema_faults((*path, key), inner)]
    parts = (message.partition(": ") for message in messages)
    return [Fault(path, code, detail) for code, _, detail in parts]


def _times(count: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")
