"""Messages of problems: why a request has no other answer."""

from typing import Final

from service.wire.messages.sentences import Details, Sentences, write_detail

PROBLEMS: Final = {
    "BAD_REQUEST": "The request could not be read.",
    # A status that the contract does not name.
    "BAD_REQUEST.OTHER": "{title}.",
    "BAD_REQUEST.BARE_LINE_FEED": "A line of the head ends without a carriage return.",
    "BAD_REQUEST.TOO_MANY_CHUNKS": "The body comes in too many chunks.",
    "BAD_REQUEST.LINE_TOO_LONG": "The request line is too long.",
    "BAD_REQUEST.HEAD_TOO_LONG": "The head is too long.",
    "MALFORMED_JSON.EMPTY": "The body is not the JSON that is asked for: it is empty.",
    "MALFORMED_JSON.BYTE_ORDER_MARK": "The body is not the JSON that is asked for: it begins with a byte order mark.",
    # What was found comes from the standard library, in English.
    "MALFORMED_JSON.SYNTAX": "The body is not the JSON that is asked for: {found} at line {line}, column {column}.",
    "MALFORMED_JSON.NOT_UTF_8": "The body is not the JSON that is asked for: not UTF-8 at byte {byte}.",
    "MALFORMED_JSON.LONE_SURROGATE": "The body is not the JSON that is asked for: a lone surrogate is no text.",
    "MALFORMED_JSON.TOO_DEEP": "The body is not the JSON that is asked for: nested more than {most} deep.",
    "MALFORMED_JSON.NUMBER_TOO_LONG": "The body is not the JSON that is asked for: a number has too many digits.",
    "MALFORMED_JSON.NO_NUMBER": "The body is not the JSON that is asked for: {name} is no JSON number.",
    "MALFORMED_JSON.REPEATED_KEY": (
        "The body is not the JSON that is asked for: the key {key:escaped} stands twice in one object."
    ),
    "NOT_FOUND": "There is nothing here.",
    "NOT_FOUND.RULE_SET": "There is no such rule set; there are {known:listed}.",
    "METHOD_NOT_ALLOWED": "This path has no such method; the Allow header names those that it has.",
    "REQUEST_TIMEOUT": "The request had not arrived in time.",
    "REQUEST_TIMEOUT.AFTER": "The request had not arrived after {seconds} seconds.",
    "BODY_TOO_LARGE": "The body is too long: at most {most:size} are read, and {most_of_batch:size} on /batch.",
    "UNSUPPORTED_MEDIA_TYPE": "The body must be application/json in UTF-8, not compressed.",
    "INVALID_REQUEST": "The request was understood, but it is faulty.",
    "INVALID_REQUEST.ONE": "The request has {count} fault.",
    "INVALID_REQUEST.MANY": "The request has {count} faults.",
    "INVALID_REQUEST.MORE": "The request has more than {most} faults, of which {most} are listed.",
    "INTERNAL": "The fault is on this side; the log has it under this request id.",
    "INTERNAL.OTHER": "{title}.",
    "NOT_READY": "A known hand is not solved right, so no verdict would be safe.",
    "OVERLOADED": "There is more to do than can be done in time; try again later.",
}
_SENTENCES: Final[Sentences[Details]] = Sentences(PROBLEMS, write_detail)


def problem_message(key: str, details: Details) -> str:
    """The sentence of a problem."""
    return _SENTENCES.message(key, details)
