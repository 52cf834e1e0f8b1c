"""A stream of requests as game backends send them, and how many of its hands a cache of some size has.

The stream knows hands by number only: no two deals have a hand in common, as good as certain with 13 of 108 cards.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final, NamedTuple


@dataclass(frozen=True)
class Habits:
    """What is assumed of the backends. Times are seconds, shares are probabilities."""

    # Requests a second of one worker: a heavy load, so that many other hands come between.
    rate: float = 1000.0
    fewest_players: int = 2
    most_players: int = 6
    # All hands of a deal, the shown one too, are scored within so many seconds after its show.
    score_within: float = 2.0
    # A request that is sent again although it was answered, or while it is being answered.
    retried: float = 0.0
    retry_after: tuple[float, float] = (0.5, 5.0)
    # Backends that ask for every hand once more in the same deal (for the settlement, or to show it to the players).
    asking_twice: float = 0.0
    ask_again_after: tuple[float, float] = (1.0, 30.0)
    # Hands that are sent again long after, because a player objects.
    disputed: float = 0.01
    dispute_after: tuple[float, float] = (300.0, 900.0)


# What is said of a backend in a few words, and its habits: as little as the service is meant for, then more and more.
STREAMS: Final = {
    "scored once": Habits(),
    "every hand twice": Habits(asking_twice=1.0),
    "half twice, a fifth retried": Habits(asking_twice=0.5, retried=0.2),
}


class Request(NamedTuple):
    """A hand that is asked for at a time: `why` is SHOW, SCORE, AGAIN, RETRY or DISPUTE."""

    at: float
    hand: int
    why: str


def requests(seconds: float, seed: int, habits: Habits) -> list[Request]:
    """The requests of so many seconds, in the order in which they come; what would come later is left out."""
    random = Random(seed)
    found: list[Request] = []
    hands = 0
    at = 0.0
    gap = mean_requests(habits) / habits.rate
    while at < seconds:
        players = habits.fewest_players + int(random.random() * (habits.most_players - habits.fewest_players + 1))
        twice = random.random() < habits.asking_twice
        for player in range(players):
            asked = [Request(at + random.random() * habits.score_within, hands, "SCORE")]
            if player == 0:
                asked.append(Request(at, hands, "SHOW"))
            if twice:
                asked.append(Request(at + _between(random, habits.ask_again_after), hands, "AGAIN"))
            again = [request for request in asked if random.random() < habits.retried]
            asked += [Request(one.at + _between(random, habits.retry_after), hands, "RETRY") for one in again]
            if random.random() < habits.disputed:
                asked.append(Request(at + _between(random, habits.dispute_after), hands, "DISPUTE"))
            found += asked
            hands += 1
        at += random.expovariate(1 / gap)
    return sorted(request for request in found if request.at < seconds)


def _between(random: Random, ends: tuple[float, float]) -> float:
    return ends[0] + random.random() * (ends[1] - ends[0])


def mean_requests(habits: Habits) -> float:
    """The requests of a deal, on average."""
    players = (habits.fewest_players + habits.most_players) / 2
    asked = 1 + players * (1 + habits.asking_twice)
    return asked * (1 + habits.retried) + players * habits.disputed


@dataclass(frozen=True)
class Hits:
    """What the caches of all workers had: `hits` of `requests`, those of disputes apart."""

    requests: int
    hits: int
    disputes: int
    dispute_hits: int

    @property
    def ratio(self) -> float:
        return self.hits / self.requests


WARM_UP: Final = 0.5


def simulate(stream: list[Request], size: int | None, workers: int = 1, seed: int = 0) -> Hits:
    """The hits of `workers` caches of `size` entries each (None: all), when a request goes to any of them at random.

    Only the second half of the stream is counted: in the first the caches fill.
    """
    random = Random(seed)
    solved: list[int] = []
    caches = [lru_cache(maxsize=size)(solved.append) for _ in range(workers)]
    asked = hits = disputes = dispute_hits = 0
    start = int(len(stream) * WARM_UP)
    for place, request in enumerate(stream):
        caches[int(random.random() * workers)](request.hand)
        hit = not solved
        solved.clear()
        if place >= start:
            asked += 1
            hits += hit
            if request.why == "DISPUTE":
                disputes += 1
                dispute_hits += hit
    return Hits(asked, hits, disputes, dispute_hits)
