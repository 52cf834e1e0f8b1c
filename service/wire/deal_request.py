"""Deals: the whole table that a request asks to settle, or everything that is wrong with it."""

from collections.abc import Mapping
from typing import Any

from service.game.rules import Deck, MatchFormat, MatchRules, RuleSet
from service.game.settlement import Drop, Match, Player, Table, drop_points
from service.game.verdict import Judged
from service.wire.faults import InvalidRequest, Path, shown
from service.wire.hand_request import HandReading, Reading, surplus_cards
from service.wire.schemas import DEAL_SCHEMA


def read_table(value: object, rule_sets: Mapping[str, RuleSet]) -> Table:
    """The table that a JSON value describes; raises `InvalidRequest` with every fault."""
    return _TableReading(value, rule_sets).table()


class _Seat:
    """One player while the table is read; `known` is False where it cannot be told whether the player left the deal."""

    def __init__(self, index: int, given: object, data: Mapping[str, Any]) -> None:
        self.path: Path = ("players", index)
        self.given: Mapping[str, Any] = given if isinstance(given, dict) else {}
        self.id: str | None = data.get("id")
        self.dropped: Drop | None = data.get("dropped")
        self.known = isinstance(given, dict) and (self.given.get("dropped") is None) == (self.dropped is None)
        self.data = data

    @property
    def in_deal(self) -> bool:
        return self.known and self.dropped is None

    def sent(self, *fields: str) -> bool:
        """Whether any of these fields was sent."""
        return any(self.given.get(field) is not None for field in fields)


class _TableReading(Reading):
    """A request to settle a deal."""

    def __init__(self, value: object, rule_sets: Mapping[str, RuleSet]) -> None:
        super().__init__(DEAL_SCHEMA, value, rule_sets)
        # What the schema could not read of a list of players stands in it as an empty one.
        read: list[dict[str, Any] | None] | None = self.data.get("players")
        self.seats = [
            _Seat(index, given, data or {})
            for index, (given, data) in enumerate(zip(self.given["players"], read, strict=True) if read else ())
        ]
        self.seats_known = read is not None and all(seat.known and seat.id is not None for seat in self.seats)
        self.declarer: str | None = self.data.get("declarer")
        self.hands = [HandReading(self.faults, seat.path, seat.given, seat.data) for seat in self.seats]

    def table(self) -> Table:
        deck = self.deck(len(self.seats)) if "players" in self.data else None
        self._check_ids()
        self._check_declarer()
        self._check_drops()
        self._check_hands(deck)
        match = self._match()
        if self.faults or self.rules is None:
            raise InvalidRequest(self.faults)
        players = tuple(self._player(seat, hand, self.rules) for seat, hand in zip(self.seats, self.hands, strict=True))
        at_best = self.data.get("arrange") is Judged.BEST
        return Table(self.rules, self.turned_up, players, self.declarer, at_best, match)

    def _player(self, seat: _Seat, hand: HandReading, rules: RuleSet) -> Player:
        question = None if hand.cards is None else hand.question(rules, self.turned_up, len(self.seats))
        return Player(str(seat.id), question, seat.dropped)

    def _check_ids(self) -> None:
        seen: set[str] = set()
        for seat in self.seats:
            if seat.id in seen:
                self.fault((*seat.path, "id"), "REPEATED_ID", f"Another player is {shown(seat.id)} as well.")
            elif seat.id is not None:
                seen.add(seat.id)

    def _check_declarer(self) -> None:
        if self.declarer is not None:
            named = [seat for seat in self.seats if seat.id == self.declarer]
            if not named and self.seats_known:
                self.fault(("declarer",), "UNKNOWN_PLAYER", f"{shown(self.declarer)} is not among the players.")
            elif any(seat.dropped is not None for seat in named):
                self.fault(("declarer",), "DECLARER_DROPPED", f"{shown(self.declarer)} has left the deal before.")
        elif self.given.get("declarer") is None and self.seats and self.seats_known:
            staying = sum(seat.in_deal for seat in self.seats)
            if staying == 0:
                self.fault(("players",), "ALL_DROPPED", "The last player in the deal has won it, and cannot drop.")
            elif staying > 1:
                detail = f"{staying} players are in the deal: it ends when one of them declares."
                self.fault(("declarer",), "DECLARER_REQUIRED", detail)

    def _check_drops(self) -> None:
        if self.rules is None:
            return
        for seat in self.seats:
            if seat.dropped is not None and drop_points(self.rules, seat.dropped) is None:
                detail = f"{self.rules.name} has no such drop."
                if seat.dropped is Drop.WRONG_SHOW:
                    detail = f"In {self.rules.name} a wrong show takes nobody out of a deal that goes on."
                self.fault((*seat.path, "dropped"), "DROP_NOT_POSSIBLE", detail)

    def _check_hands(self, deck: Deck | None) -> None:
        """Each hand by itself, then all of them together."""
        no_show = self.given.get("declarer") is None and sum(seat.in_deal for seat in self.seats) == 1
        for seat, hand in zip(self.seats, self.hands, strict=True):
            needed = (seat.in_deal and not no_show) or seat.sent("groups", "finish_card")
            if needed and not seat.sent("hand"):
                where = "" if seat.in_deal else " where groups or a finish card are"
                self.fault((*seat.path, "hand"), "MISSING_FIELD", f"Must be given{where}.")
            hand.check(deck)
        if deck is None:
            return
        places = [(*seat.path, "hand", column) for seat, column, _ in self._cards()]
        told = {surplus.card for hand in self.hands for surplus in surplus_cards(hand.cards or (), deck)}
        for surplus in surplus_cards([card for *_, card in self._cards()], deck):
            if surplus.card not in told:
                detail = f"{surplus.card.symbol} is in the hands {surplus.times}."
                self.fault(places[surplus.index], "IMPOSSIBLE_DEAL", detail)

    def _cards(self) -> list[tuple[_Seat, int, Any]]:
        return [
            (seat, column, card)
            for seat, hand in zip(self.seats, self.hands, strict=True)
            for column, card in enumerate(hand.cards or ())
        ]

    def _match(self) -> Match | None:
        data: dict[str, Any] | None = self.data.get("match")
        if data is None:
            return None
        format_ = self._format(data.get("format"))
        limit, totals = data.get("limit"), data.get("totals", {})
        if format_ is not None:
            limit = self._limit(format_, limit)
            self._check_deals_left(format_, data.get("deals_left"))
        self._check_totals(totals, format_, limit)
        return Match(data.get("format", ""), limit, data.get("deals_left"), totals)

    def _match_sent(self, field: str) -> object:
        return self.given["match"].get(field)

    def _format(self, name: MatchFormat | None) -> MatchRules | None:
        if self.rules is None or name is None:
            return None
        for format_ in self.rules.matches:
            if format_.format == name:
                return format_
        known = ", ".join(format_.format for format_ in self.rules.matches)
        has = f"is played as {known}, not as {name}" if known else "has no match of several deals"
        self.fault(("match", "format"), "WRONG_FORMAT", f"{self.rules.name} {has}.")
        return None

    def _limit(self, format_: MatchRules, limit: int | None) -> int | None:
        path, limits = ("match", "limit"), format_.limits
        if self._match_sent("limit") is None:
            if len(limits) > 1:
                self.fault(path, "MISSING_FIELD", f"Must be given: {' or '.join(map(str, limits))}.")
            return limits[0] if len(limits) == 1 else None
        if limit is not None and limit not in limits:
            has = f"has the limit {' or '.join(map(str, limits))}" if limits else "has no limit"
            self.fault(path, "WRONG_LIMIT", f"{format_.format} {has}.")
            return None
        return limit

    def _check_deals_left(self, format_: MatchRules, deals_left: int | None) -> None:
        path = ("match", "deals_left")
        if format_.format is MatchFormat.DEALS:
            if self._match_sent("deals_left") is None:
                self.fault(path, "MISSING_FIELD", "Must be given: this deal and those after it.")
        elif deals_left is not None:
            self.fault(path, "WRONG_DEALS_LEFT", f"{format_.format} has no fixed number of deals.")

    def _check_totals(self, totals: Mapping[str, int], format_: MatchRules | None, limit: int | None) -> None:
        """Every player of the deal has a total and is not out; who else has one, is out of the pool."""
        ids = {seat.id: seat for seat in self.seats if seat.id is not None}
        given = self._match_sent("totals")
        for id_ in ids:
            if isinstance(given, dict) and id_ not in given:
                self.fault(("match", "totals", id_), "MISSING_FIELD", "Must be given.")
        for id_, total in totals.items():
            path = ("match", "totals", id_)
            if id_ in ids:
                if limit is not None and total >= limit:
                    self.fault(path, "OUT_OF_MATCH", f"{shown(id_)} has reached {limit} before this deal.")
            elif self.seats_known and format_ is not None:
                may_be_out = format_.format is MatchFormat.POOL and (limit is None or total >= limit)
                if not may_be_out:
                    self.fault(path, "UNKNOWN_PLAYER", f"{shown(id_)} is not among the players.")
