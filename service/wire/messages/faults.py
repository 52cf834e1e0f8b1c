"""Messages of faults: what is wrong with a value of a request."""

from typing import Final

from service.wire.messages.sentences import Details, Sentences, write_detail

FAULTS: Final = {
    # Of any field.
    "MISSING_FIELD": "Must be given.",
    "UNKNOWN_FIELD": "No such field.",
    "UNKNOWN_VALUE": "{value:shown} is not one of {known:listed}.",
    "WRONG_TYPE.BODY": "The body must be a JSON object.",
    "WRONG_TYPE.WHOLE_NUMBER": "Must be a whole number from {low} to {high}, without a fraction.",
    "WRONG_TYPE.WORD": "Must be one of {known:listed}.",
    # The rule set, and what the table plays with.
    "WRONG_TYPE.RULE_SET": "Must be the name of a rule set.",
    "UNKNOWN_RULE_SET": "{name:shown} is not one of {known:listed}.",
    "WRONG_TYPE.WILD_RANK": "Must be a rank as a text, JOKER, or null.",
    "UNKNOWN_RANK": "{text:shown} is neither a rank (A, 2 to 9, T or 10, J, Q, K) nor JOKER.",
    "WILD_RANK_NOT_POSSIBLE": "{rule_set} is played without printed jokers, so none can be turned up.",
    "WRONG_TYPE.PLAYER_COUNT": "Must be a whole number without a fraction, or null.",
    "WRONG_PLAYERS.EXACTLY": "{rule_set} is for {players} players.",
    "WRONG_PLAYERS.FROM_TO": "{rule_set} is for {fewest} to {most} players.",
    "WRONG_PLAYERS.ANY_MATCH": "{count} are more than can play in any match.",
    # A hand.
    "WRONG_TYPE.CARD": "Must be a card as a text.",
    "WRONG_TYPE.CARD_OR_NULL": "Must be a card as a text, or null.",
    "WRONG_TYPE.CARDS": "Must be a list of cards.",
    "WRONG_TYPE.GROUPS": "Must be a list of groups, or null.",
    "WRONG_TYPE.EMPTY_GROUP": "A group must have at least one card.",
    "UNKNOWN_CARD": '{text:shown} is not a card: a rank and a suit ("TH"), or "JOKER".',
    "WRONG_HAND_SIZE": "Must have 13 cards, or 14 with a finish card, not {size}.",
    "WRONG_HAND_SIZE.WITH_FINISH_CARD": "Must have 14 cards, the finish card among them, not {size}.",
    "FINISH_CARD_REQUIRED": "The hand has 14 cards: say which one was put away.",
    "FINISH_CARD_NOT_IN_HAND": "{card} is not in the hand.",
    "IMPOSSIBLE_HAND": "{card} is in the hand {copies:times}, and the cards in play have it {held:times}.",
    "CARDS_NOT_IN_HAND": "The groups use {card} more often than the judged cards have it ({held:times}).",
    # A deal.
    "WRONG_TYPE.PLAYERS": "Must be a list of players.",
    "WRONG_TYPE.PLAYER": "Must be an object with an id, and a hand or a drop.",
    "WRONG_TYPE.TEXT": "Must be a text.",
    "WRONG_TYPE.PLAYER_ID": "The id of a player must have 1 to {most} characters.",
    "REPEATED_ID": "Another player is {id:shown} as well.",
    "UNKNOWN_PLAYER": "{id:shown} is not among the players.",
    "WRONG_TYPE.DECLARER": "Must be the id of a player, or null.",
    "DECLARER_REQUIRED": "{players} players are in the deal: it ends when one of them declares.",
    "DECLARER_DROPPED": "{id:shown} has left the deal before.",
    "ALL_DROPPED": "The last player in the deal has won it, and cannot drop.",
    "DROP_NOT_POSSIBLE": "{rule_set} has no such drop.",
    "DROP_NOT_POSSIBLE.WRONG_SHOW": "In {rule_set} a wrong show takes nobody out of a deal that goes on.",
    "MISSING_FIELD.HAND": "Must be given where groups or a finish card are.",
    "IMPOSSIBLE_DEAL": "{card} is in the hands {copies:times}, and the cards in play have it {held:times}.",
    # A match.
    "WRONG_TYPE.MATCH": "Must be an object, or null.",
    "WRONG_FORMAT": "{rule_set} is played as {known:listed}, not as {format}.",
    "WRONG_FORMAT.NO_MATCH": "{rule_set} has no match of several deals.",
    "MISSING_FIELD.LIMIT": "Must be given: {limits:either}.",
    "WRONG_LIMIT": "{format} has the limit {limits:either}.",
    "WRONG_LIMIT.NO_LIMIT": "{format} has no limit.",
    "MISSING_FIELD.DEALS_LEFT": "Must be given: this deal and those after it.",
    "WRONG_DEALS_LEFT": "{format} has no fixed number of deals.",
    "WRONG_TYPE.TOTALS": "Must be an object with a total for each player.",
    "OUT_OF_MATCH": "{id:shown} has reached {limit} before this deal.",
    # A batch.
    "WRONG_TYPE.ITEMS": "Must be a list of items.",
    "TOO_MANY_ITEMS": "Must have at most {most} items, not {count}.",
    "WRONG_TYPE.ITEM": "An item must be a JSON object.",
    "WRONG_TYPE.ITEM_ID": "Must be a text of 1 to {most} characters.",
    "REPEATED_ID.ITEM": "{id:shown} is the id of an earlier item.",
    "WRONG_TYPE.OP": "Must be the name of a call.",
    "UNKNOWN_OP": "{op:shown} is not one of {known:listed}.",
    # A signed verdict.
    "WRONG_TYPE.ATTESTATION": "Must be an attestation as a text.",
    "WRONG_TYPE.REPLAY": "Must be true or false.",
    "MALFORMED_TOKEN": "It is no compact JWS that this service makes.",
    "MALFORMED_TOKEN.PARTS": "A compact JWS has three parts with dots between them, not {count}.",
    "MALFORMED_TOKEN.HEADER": "The header is not base64url, or is cut off.",
    "MALFORMED_TOKEN.PAYLOAD": "The payload is not base64url, or is cut off.",
    "MALFORMED_TOKEN.SIGNATURE": "The signature is not base64url, or is cut off.",
    "MALFORMED_TOKEN.HEADER_TYPE": "The header is no JSON object.",
    "MALFORMED_TOKEN.HEADER_FIELDS": "The header may have alg, kid and typ, and nothing else.",
    "WRONG_ALGORITHM": "The algorithm (alg) must be {algorithm}; no other is ever tried.",
    "UNKNOWN_KEY": "The key that it names (kid) is none of those at /keys.",
    "BAD_SIGNATURE": "The signature is not that of this key over this text.",
    "NOT_A_VERDICT": "The signature is good, but what was signed is no verdict of this service.",
}
_SENTENCES: Final[Sentences[Details]] = Sentences(FAULTS, write_detail)


def fault_message(key: str, details: Details) -> str:
    """The sentence of a fault: what the value must be, or what does not fit."""
    return _SENTENCES.message(key, details)
