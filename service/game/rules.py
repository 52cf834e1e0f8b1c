"""Rule sets: all that differs between one table and another, as one immutable value."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from service.game.cards import Rank, TurnedUp

HAND_SIZE: Final = 13


class MatchFormat(StrEnum):
    """How several deals make a match."""

    POINTS = "POINTS"
    POOL = "POOL"
    DEALS = "DEALS"
    RACE = "RACE"


@dataclass(frozen=True)
class Lengths:
    """How many cards a life may have, both ends included."""

    min: int
    max: int

    def allow(self, length: int) -> bool:
        return self.min <= length <= self.max


@dataclass(frozen=True)
class Deck:
    """The cards that are played with at a table of `players_min` to `players_max`.

    `packs` of 52 cards, and `printed_jokers` in all of them together.
    """

    players_min: int
    players_max: int
    packs: int
    printed_jokers: int


@dataclass(frozen=True)
class MatchRules:
    """A match that a rule set has; `limits` are the totals at which a player is out, where it has any."""

    format: MatchFormat
    limits: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RuleSet:
    """One rule set. Points are penalty points; `None` stands for "the rule set has none".

    `values` are the points of the ranks from ace to king. `second_life` is None where a show needs no second
    sequence. `wrong_show_charge` is None where the declarer is charged for the hand like a loser; where play continues,
    `wrong_show_puts_out` says whether it does so without the declarer.
    `parameters` is the checked file as it was written, JSON-ready; `digest` is the SHA-256 of its canonical JSON.
    """

    name: str
    version: int
    title: str
    source: str
    notes: tuple[str, ...]
    decks: tuple[Deck, ...]
    joker_makes_aces_wild: bool
    values: tuple[int, ...]
    wild_left_over_counts: bool
    first_life: Lengths
    wild_in_first_life: bool
    second_life: Lengths | None
    loser_first_life: Lengths
    loser_needs_second_life: bool
    cap: int | None
    wrong_show_charge: int | None
    wrong_show_ends_deal: bool
    wrong_show_puts_out: bool
    first_drop: int | None
    middle_drop: int | None
    matches: tuple[MatchRules, ...]
    parameters: Mapping[str, Any]
    digest: str

    @property
    def players(self) -> tuple[int, int]:
        """The fewest and the most players."""
        return self.decks[0].players_min, self.decks[-1].players_max

    @property
    def reference(self) -> dict[str, str | int]:
        """Which rule set it is, JSON-ready: name, version and digest."""
        return {"name": self.name, "version": self.version, "digest": self.digest}

    def deck(self, players: int | None) -> Deck:
        """The deck at a table of `players`; without a number, the one with the most packs.

        Raises `ValueError` for a number of players that the rule set does not have.
        """
        if players is None:
            return max(self.decks, key=lambda deck: deck.packs)
        for deck in self.decks:
            if deck.players_min <= players <= deck.players_max:
                return deck
        fewest, most = self.players
        raise ValueError(f"{self.name} is for {fewest if fewest == most else f'{fewest} to {most}'} players")

    def wild_rank(self, turned_up: TurnedUp) -> Rank | None:
        """The rank that is wild when `turned_up` lies face up, None for no rank.

        Raises `ValueError` for a printed joker where the rule set has none to turn up.
        """
        if not turned_up.joker:
            return turned_up.rank
        if not self.joker_makes_aces_wild:
            raise ValueError(f"{self.name} is played without printed jokers, so none can be turned up")
        return Rank.ACE
