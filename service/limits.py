"""Limits: how much of anything is taken, kept or listed, each with its reason."""

from typing import Final

# A request with a full hand in groups takes some 300 bytes.
MAX_BODY_BYTES: Final = 64 * 1024
# A thousand such requests.
MAX_BATCH_BYTES: Final = 2 * 1024 * 1024
MAX_ITEMS: Final = 1_000
MAX_ITEM_ID_CHARACTERS: Final = 128
# A request nests three deep; the limit only has to be far from both that and the interpreter's stack.
MAX_NESTING: Final = 32

# A body within the size limit could have thousands of faults: nobody reads more than these, and finding all takes time.
MAX_FAULTS: Final = 100
# How much of a faulty text a message quotes.
MAX_QUOTED_CHARACTERS: Final = 24

# Several times as many as at any table.
MAX_PLAYERS: Final = 100
MAX_PLAYER_ID_CHARACTERS: Final = 64
# Far more than any match has.
MAX_POINTS: Final = 1_000_000
MAX_DEALS: Final = 1_000

# More than gunicorn takes of the request line, of a head, or of the line that begins a chunk.
MAX_LINE_BYTES: Final = 8 * 1024
MAX_HEAD_BYTES: Final = 64 * 1024
# More than a batch within the limits has.
MAX_REQUEST_BYTES: Final = MAX_BATCH_BYTES + MAX_HEAD_BYTES
# A batch in chunks of half a kilobyte. Reading a chunk takes as long as reading some kilobytes.
MAX_CHUNKS: Final = 4_000
# A request is sent in milliseconds; over a bad line it may take seconds.
MAX_ARRIVAL_SECONDS: Final = 10
# How long a peer may take no byte of its answer.
MAX_ANSWER_SECONDS: Final = 10
# On all connections together, of requests and of answers.
MAX_WAITING_BYTES: Final = 64 * 1024 * 1024
# A fraction of a second's work: a caller that waits longer has given up, and its answer would take the time of others.
MAX_QUEUED: Final = 300
# Batches take a hundred times as long.
MAX_QUEUED_BATCHES: Final = 4

# If more events wait to be counted, a slow log holds up their thread: then the thread of a request counts them.
MAX_UNCOUNTED: Final = 1_000
# More lines are not kept for a log that nobody reads; the log says later how many were lost.
MAX_UNWRITTEN: Final = 10_000

# A set of a hundred public keys has some 15 KB.
MAX_KEY_FILE_BYTES: Final = 1024 * 1024
# A line of answers may be longer than its request, but not by so much.
MAX_ANSWER_LINE_BYTES: Final = 16 * 1024 * 1024
