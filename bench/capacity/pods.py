"""From requests to pods, on paper: what is assumed, and the arithmetic."""

import math
from dataclasses import dataclass
from typing import Final

from bench.stream import Habits, mean_requests

DAY: Final = 86_400


@dataclass(frozen=True)
class Plan:
    """What is assumed of the load and of the cluster."""

    # Requests of a show: one to judge it, one for each hand of the deal, and now and then a dispute.
    requests_a_show: float = mean_requests(Habits())
    # The busiest minute against the mean of the day: an evening's game.
    peak_factor: float = 4.0
    # The autoscaler's target, as a share of what a pod can do; the chart's `autoscaling.targetCPUPercent`.
    target: float = 0.60
    # What a pod may be asked for while something is broken: beyond, waiting grows without end.
    most: float = 0.90
    zones: int = 3


@dataclass(frozen=True)
class Need:
    """Pods for so many requests a second: by load alone, and so that a pod or a whole zone may be gone."""

    rate: float
    by_load: int
    pods: int
    # Of what a pod can do: usually, with one pod less, with one zone less.
    load: float
    load_without_pod: float
    load_without_zone: float


def need(rate: float, capacity: float, plan: Plan) -> Need:
    """The fewest pods for that rate, if one does `capacity` requests a second: one in each zone at least."""
    by_load = math.ceil(rate / (capacity * plan.target))
    pods = max(by_load, plan.zones)

    def load(left: int) -> float:
        return rate / (capacity * left)

    while load(pods - 1) > plan.most or load(pods - in_a_zone(pods, plan.zones)) > plan.most:
        pods += 1
    return Need(rate, by_load, pods, load(pods), load(pods - 1), load(pods - in_a_zone(pods, plan.zones)))


def in_a_zone(pods: int, zones: int) -> int:
    """How many pods the fullest zone has, spread evenly."""
    return math.ceil(pods / zones)


def peak_of_day(shows: float, plan: Plan) -> float:
    """Requests a second in the busiest minute of a day with so many shows."""
    return shows * plan.requests_a_show / DAY * plan.peak_factor
