"""Questions: what a request asks, or everything that is wrong with it.

The schema checks the structure, `_Reading` what the texts say. Both report together: every check that still makes
sense is made, whatever else is faulty.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.cards import JOKER, JOKER_TURNED_UP, Card, Rank, parse_card, parse_rank
from service.rules import HAND_SIZE, RuleSet
from service.schemas import REQUEST_SCHEMA
from service.verdict import Question

# How much of a faulty text is shown back.
_SHOWN: Final = 24
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
    """One request while it is read. Values of a wrong type are passed over: the schema has reported them."""

    def __init__(self, data: dict[str, Any], rule_sets: Mapping[str, RuleSet]) -> None:
        self.data = data
        self.faults = list(_structure_faults((), REQUEST_SCHEMA.validate(data)))
        self.rules = self._rule_set(rule_sets)
        self.turned_up = self._turned_up()
        self.hand = self._cards(("hand",), data.get("hand"))
        self.finish_card = self._card(("finish_card",), data.get("finish_card"))
        groups = data.get("groups")
        self.groups: list[list[Card | None]] | None = None
        if isinstance(groups, list):
            self.groups = [self._cards(("groups", index), group) for index, group in enumerate(groups)]

    def question(self) -> Question:
        self._check_size()
        self._check_packs()
        judged = self._judged()
        self._check_groups(judged)
        if self.faults or self.rules is None:
            raise InvalidRequest(self.faults)
        groups = None if self.groups is None else tuple(tuple(filter(None, group)) for group in self.groups)
        return Question(self.rules, self.turned_up, tuple(filter(None, judged)), groups)

    def _fault(self, path: tuple[str | int, ...], code: str, detail: str) -> None:
        self.faults.append(Fault(path, code, detail))

    def _rule_set(self, rule_sets: Mapping[str, RuleSet]) -> RuleSet | None:
        name = self.data.get("rule_set")
        if not isinstance(name, str) or name in rule_sets:
            return rule_sets.get(name) if isinstance(name, str) else None
        self._fault(("rule_set",), "UNKNOWN_RULE_SET", f"{_shown(name)} is not one of {', '.join(rule_sets)}.")
        return None

    def _turned_up(self) -> Rank | str | None:
        text = self.data.get("wild_rank")
        if not isinstance(text, str):
            return None
        turned_up = _parse_turned_up(text)
        if turned_up is None:
            detail = f"{_shown(text)} is neither a rank (A, 2 to 9, T or 10, J, Q, K) nor JOKER."
            self._fault(("wild_rank",), "UNKNOWN_RANK", detail)
        elif self.rules is not None:
            try:
                self.rules.wild_rank(turned_up)
            except ValueError as error:
                self._fault(("wild_rank",), "WILD_RANK_NOT_POSSIBLE", f"{error}.")
        return turned_up

    def _cards(self, path: tuple[str | int, ...], texts: object) -> list[Card | None]:
        """The cards of a list, None for one that is not known."""
        if not isinstance(texts, list):
            return []
        return [self._card((*path, index), text) for index, text in enumerate(texts)]

    def _card(self, path: tuple[str | int, ...], text: object) -> Card | None:
        if not isinstance(text, str):
            return None
        try:
            return parse_card(text)
        except ValueError:
            self._fault(path, "UNKNOWN_CARD", f'{_shown(text)} is not a card: a rank and a suit ("TH"), or "JOKER".')
            return None

    def _check_size(self) -> None:
        hand, finish_card = self.data.get("hand"), self.data.get("finish_card")
        if not isinstance(hand, list):
            return
        size = len(hand)
        if finish_card is None and size == HAND_SIZE + 1:
            self._fault(("finish_card",), "FINISH_CARD_REQUIRED", "The hand has 14 cards: say which one was put away.")
        elif size != HAND_SIZE + (finish_card is not None):
            needed = "13 cards" if finish_card is None else "14 cards, the finish card among them"
            self._fault(("hand",), "WRONG_HAND_SIZE", f"Must have {needed}, not {size}.")

    def _check_packs(self) -> None:
        """More copies of a card than the packs hold; without a good number of players, than the most packs hold."""
        players = self.data.get("players")
        if self.rules is None:
            return
        deck = self.rules.deck(None)
        if type(players) is int:
            try:
                deck = self.rules.deck(players)
            except ValueError:
                fewest, most = self.rules.players
                self._fault(("players",), "WRONG_PLAYERS", f"{self.rules.name} is for {fewest} to {most} players.")
        seen: Counter[Card] = Counter()
        for index, card in enumerate(self.hand):
            if card is None:
                continue
            seen[card] += 1
            held = deck.printed_jokers if card is JOKER else deck.packs
            if seen[card] == held + 1:
                total = self.hand.count(card)
                detail = f"{card.symbol} is in the hand {_times(total)}, and the cards in play have it {_times(held)}."
                self._fault(("hand", index), "IMPOSSIBLE_HAND", detail)

    def _judged(self) -> list[Card | None]:
        """The hand without the finish card."""
        judged = self.hand.copy()
        if self.finish_card in judged and self.finish_card is not None:
            judged.remove(self.finish_card)
        elif self.finish_card is not None and self._hand_is_known():
            detail = f"{self.finish_card.symbol} is not in the hand."
            self._fault(("finish_card",), "FINISH_CARD_NOT_IN_HAND", detail)
        return judged

    def _check_groups(self, judged: list[Card | None]) -> None:
        """Groups that use a card more often than the judged cards have it; not asked while some card is unknown."""
        if self.groups is None or not self._hand_is_known():
            return
        held = Counter(judged)
        left = held.copy()
        for row, group in enumerate(self.groups):
            for column, card in enumerate(group):
                if card is None:
                    continue
                left[card] -= 1
                if left[card] < 0:
                    has = _times(held[card])
                    detail = f"The groups use {card.symbol} more often than the judged cards have it ({has})."
                    self._fault(("groups", row, column), "CARDS_NOT_IN_HAND", detail)

    def _hand_is_known(self) -> bool:
        return isinstance(self.data.get("hand"), list) and None not in self.hand


def _structure_faults(path: tuple[str | int, ...], messages: dict[Any, Any] | list[str]) -> list[Fault]:
    """What marshmallow reports, nested by field and index, as faults."""
    if isinstance(messages, dict):
        return [fault for key, inner in messages.items() for fault in _structure_faults((*path, key), inner)]
    parts = (message.partition(": ") for message in messages)
    return [Fault(path, code, detail) for code, _, detail in parts]


def _parse_turned_up(text: str) -> Rank | str | None:
    try:
        return JOKER_TURNED_UP if parse_card(text) is JOKER else None
    except ValueError:
        pass
    try:
        return parse_rank(text)
    except ValueError:
        return None


def _shown(text: str) -> str:
    return json.dumps(text if len(text) <= _SHOWN else text[:_SHOWN] + "…", ensure_ascii=False)


def _times(count: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")
