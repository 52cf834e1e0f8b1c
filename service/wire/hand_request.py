"""Questions: what a request about one hand asks, or everything that is wrong with it.

The schema reads the fields; the checks here are of what they say together. All is reported at once: every check that
still makes sense is made, whatever else is faulty. `deal_request` reads a whole table, with the same checks of a hand.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from service.game.cards import JOKER, Card, TurnedUp
from service.game.rules import HAND_SIZE, Deck, RuleSet
from service.game.verdict import Question
from service.wire.fast_path import read_plain
from service.wire.faults import Faults, InvalidRequest, Path, load_fields, require_object
from service.wire.rules_request import find_deck, find_rule_set, find_turned_up
from service.wire.schemas import REQUEST_SCHEMA

# Cards as they were read: None stands for one that is faulty.
Cards = list[Card | None]


def read_question(value: object, rule_sets: Mapping[str, RuleSet]) -> Question:
    """The question that a JSON value asks; raises `InvalidRequest` with every fault."""
    given = require_object(value)
    faults = Faults()
    data = read_plain(given) or load_fields(REQUEST_SCHEMA, given, faults)
    players: int | None = data.get("players")
    rules = find_rule_set(data, rule_sets, faults)
    turned_up = find_turned_up(data, rules, faults)
    deck = find_deck(rules, players, faults)
    hand = HandRequest((), given, data)
    check_hand(hand, deck, faults)
    if faults.found or rules is None:
        raise InvalidRequest(faults.found)
    return ask(hand, rules, turned_up, players)


class HandRequest:
    """One hand as it was read, at `path` in the request: what is faulty is None, in lists too."""

    def __init__(self, path: Path, given: Mapping[str, Any], data: Mapping[str, Any]) -> None:
        self.path: Final = path
        self.cards: Final[Cards | None] = data.get("hand")
        self.groups: Final[Sequence[Sequence[Card | None]] | None] = data.get("groups")
        self.finish_card: Final[Card | None] = data.get("finish_card")
        # Also where the finish card is faulty.
        self.has_finish_card: Final = given.get("finish_card") is not None


def check_hand(hand: HandRequest, deck: Deck | None, faults: Faults) -> None:
    """Add every fault of the hand; what the packs hold is only checked where the deck is known."""
    if hand.cards is None:
        return
    _check_size(hand, len(hand.cards), faults)
    if deck is not None:
        _check_packs(hand, hand.cards, deck, faults)
    judged = _judged_cards(hand.cards, hand.finish_card)
    if hand.finish_card is not None and len(judged) == len(hand.cards) and None not in judged:
        faults.add((*hand.path, "finish_card"), "FINISH_CARD_NOT_IN_HAND", {"card": hand.finish_card.symbol})
    if hand.groups is not None and None not in hand.cards:
        _check_groups(hand, hand.groups, judged, faults)


def ask(hand: HandRequest, rules: RuleSet, turned_up: TurnedUp, players: int | None) -> Question:
    """What is asked about a hand without a fault, at a table of `players`."""
    groups = None if hand.groups is None else tuple(tuple(filter(None, group)) for group in hand.groups)
    judged = tuple(filter(None, _judged_cards(hand.cards or [], hand.finish_card)))
    return Question(rules, turned_up, judged, groups, hand.finish_card, players)


def _judged_cards(cards: Cards, finish_card: Card | None) -> Cards:
    """The cards of a hand without the finish card, which was put away."""
    if finish_card is None or finish_card not in cards:
        return cards
    judged = cards.copy()
    judged.remove(finish_card)
    return judged


def _check_size(hand: HandRequest, size: int, faults: Faults) -> None:
    if not hand.has_finish_card and size == HAND_SIZE + 1:
        faults.add((*hand.path, "finish_card"), "FINISH_CARD_REQUIRED")
    elif not hand.has_finish_card and size != HAND_SIZE:
        faults.add((*hand.path, "hand"), "WRONG_HAND_SIZE", {"size": size})
    elif hand.has_finish_card and size != HAND_SIZE + 1:
        faults.add((*hand.path, "hand"), "WRONG_HAND_SIZE.WITH_FINISH_CARD", {"size": size})


def _check_packs(hand: HandRequest, cards: Cards, deck: Deck, faults: Faults) -> None:
    for card, place, copies, held in surplus_cards(cards, deck):
        path = (*hand.path, "hand", place)
        faults.add(path, "IMPOSSIBLE_HAND", {"card": card.symbol, "copies": copies, "held": held})


def _check_groups(hand: HandRequest, groups: Sequence[Sequence[Card | None]], judged: Cards, faults: Faults) -> None:
    """Groups that use a card more often than the judged cards have it."""
    if _all_in(groups, judged):
        return
    held = Counter(judged)
    left = held.copy()
    for row, group in enumerate(groups):
        for column, card in enumerate(group):
            if card is None:
                continue
            left[card] -= 1
            if left[card] < 0:
                path = (*hand.path, "groups", row, column)
                faults.add(path, "CARDS_NOT_IN_HAND", {"card": card.symbol, "held": held[card]})


def _all_in(groups: Sequence[Sequence[Card | None]], judged: Cards) -> bool:
    """Whether no group has a card that is faulty, or that the judged cards have not left for it."""
    rest = judged.copy()
    try:
        for group in groups:
            for card in group:
                rest.remove(card)
    except ValueError:
        return False
    return True


class Surplus(NamedTuple):
    """A card with more `copies` among some cards than are `held` by the packs; the first too many is at `place`."""

    card: Card
    place: int
    copies: int
    held: int


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
            place = [place for place, other in enumerate(cards) if other is card][held]
            found.append(Surplus(card, place, count, held))
    return found
