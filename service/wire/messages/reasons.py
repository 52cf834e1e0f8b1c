"""Messages of reasons: why a hand cannot be shown, in sentences that can be read to the player."""

from collections.abc import Callable, Sequence
from typing import Final

from service.game.cards import Card, name_cards
from service.game.reasons import Reason, ReasonCode
from service.game.rules import HAND_SIZE
from service.wire.messages.sentences import Sentences, list_cards, list_groups

# By the code of the reason; behind a dot the variant that its cards and details ask for.
REASONS: Final = {
    "TOO_FEW_CARDS": "{group} is too short: a sequence or a set has at least {fewest} cards.",
    "TOO_FEW_CARDS.NONE": "An empty group is too short: a sequence or a set has at least {fewest} cards.",
    "NOT_CONSECUTIVE.ONE": "{group} is not a sequence: {missing} is missing.",
    "NOT_CONSECUTIVE.MANY": "{group} is not a sequence: {missing} are missing.",
    "NOT_CONSECUTIVE.ONE_JOKER": (
        "{group} is not a sequence: {missing} are missing, and there is only 1 joker to stand in."
    ),
    "NOT_CONSECUTIVE.MANY_JOKERS": (
        "{group} is not a sequence: {missing} are missing, and there are only {jokers} jokers to stand in."
    ),
    "WRAPS_AROUND_ACE": (
        "{group} is not a sequence: the ace is the lowest card or the highest, and no sequence goes on past it."
    ),
    "MIXED_SUITS": "{group} is not a sequence: all its cards must be of one suit.",
    "REPEATED_CARD.ONE": "{group} is not a sequence: {repeated} stands in it more than once.",
    "REPEATED_CARD.MANY": "{group} is not a sequence: {repeated} stand in it more than once.",
    "REPEATED_SUIT.ONE": (
        "{group} is not a set: {repeated} stands in it more than once, and every card must be of a different suit."
    ),
    "REPEATED_SUIT.MANY": (
        "{group} is not a set: {repeated} stand in it more than once, and every card must be of a different suit."
    ),
    "SET_TOO_LARGE": "{group} is not a set: it has {size} cards, and a set has at most {most}, jokers included.",
    "MIXED_RANKS": "{group} is not a set: all its cards must be of one rank.",
    "JOKERS_ONLY": "{group} is neither a sequence nor a set: at least one card must stand for itself.",
    "NO_PURE_SEQUENCE": (
        "There is no pure sequence: at least {fewest} cards of one suit in a row, with no joker among them, are needed."
    ),
    "FIRST_LIFE_TOO_SHORT": ("{group} is too short for the first life: to show, it needs at least {fewest} cards."),
    "FIRST_LIFE_TOO_LONG": "{group} is too long for the first life: it may have at most {most} cards.",
    "WILD_IN_FIRST_LIFE": (
        "{group} is no first life: {wild} is a wild card, and none may stand in it, not even in its own place."
    ),
    "NO_SECOND_SEQUENCE": (
        "There is no second sequence: besides the first life, another sequence of at least {fewest} cards is needed."
    ),
    "SECOND_LIFE_TOO_SHORT": "{group} is too short for the second life: it needs at least {fewest} cards.",
    "SECOND_LIFE_TOO_LONG": "{group} is too long for the second life: it may have at most {most} cards.",
    "INVALID_GROUP": "Every group must be a sequence or a set, and that is not so here: {groups}.",
    "UNGROUPED_CARDS.ONE": "{group} is in no group: to show, all {hand_size} cards must be in groups.",
    "UNGROUPED_CARDS.MANY": "{group} are in no group: to show, all {hand_size} cards must be in groups.",
}
# What a placeholder stands for.
_PARTS: Final[dict[str, Callable[[Reason], str]]] = {
    "group": lambda reason: name_cards(reason.cards),
    "size": lambda reason: str(len(reason.cards)),
    "hand_size": lambda _reason: str(HAND_SIZE),
    "missing": lambda reason: list_cards(reason.details.missing),
    "repeated": lambda reason: list_cards(reason.details.repeated),
    "wild": lambda reason: list_cards(reason.details.wild),
    "jokers": lambda reason: str(reason.details.jokers),
    "fewest": lambda reason: str(reason.details.fewest),
    "most": lambda reason: str(reason.details.most),
    "groups": lambda reason: list_groups(reason.details.groups),
}
_SENTENCES: Final[Sentences[Reason]] = Sentences(REASONS, lambda name, _form: _PARTS[name])


def reason_message(reason: Reason) -> str:
    """The sentence of a reason, which can be read to the player."""
    return _SENTENCES.message(_variant(reason), reason)


def _variant(reason: Reason) -> str:
    code, details = str(reason.code), reason.details
    if details.jokers:
        return code + (".ONE_JOKER" if details.jokers == 1 else ".MANY_JOKERS")
    if details.missing or details.repeated:
        return code + _number(details.missing or details.repeated)
    if reason.code is ReasonCode.UNGROUPED_CARDS:
        return code + _number(reason.cards)
    if reason.code is ReasonCode.TOO_FEW_CARDS and not reason.cards:
        return code + ".NONE"
    return code


def _number(cards: Sequence[Card]) -> str:
    return ".ONE" if len(cards) == 1 else ".MANY"
