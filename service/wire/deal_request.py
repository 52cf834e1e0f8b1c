"""Deals: the whole table that a request asks to settle, or everything that is wrong with it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from service.game.cards import TurnedUp
from service.game.rules import Deck, RuleSet
from service.game.settlement import Drop, Player, Table, drop_points
from service.game.verdict import Judged
from service.wire.faults import Faults, InvalidRequest, Path, load_fields, require_object
from service.wire.hand_request import HandRequest, ask, check_hand, surplus_cards
from service.wire.match_request import read_match
from service.wire.rules_request import find_deck, find_rule_set, find_turned_up
from service.wire.schemas import DEAL_SCHEMA


def read_table(value: object, rule_sets: Mapping[str, RuleSet]) -> Table:
    """The table that a JSON value describes; raises `InvalidRequest` with every fault."""
    given = require_object(value)
    faults = Faults()
    data = load_fields(DEAL_SCHEMA, given, faults)
    rules = find_rule_set(data, rule_sets, faults)
    turned_up = find_turned_up(data, rules, faults)
    seats = _read_seats(given, data)
    deck = find_deck(rules, len(seats), faults) if "players" in data else None
    all_known = "players" in data and all(seat.known and seat.id is not None for seat in seats)
    _check_ids(seats, faults)
    _check_declarer(given, data, seats, all_known, faults)
    _check_drops(seats, rules, faults)
    _check_hands(seats, given.get("declarer") is not None, deck, faults)
    _check_packs(seats, deck, faults)
    match = None
    if "match" in data and data["match"] is not None:
        ids = dict.fromkeys([seat.id for seat in seats if seat.id is not None])
        match = read_match(given["match"], data["match"], rules, ids, all_known, faults)
    if faults.found or rules is None:
        raise InvalidRequest(faults.found)
    players = tuple([_player(seat, rules, turned_up, len(seats)) for seat in seats])
    return Table(rules, turned_up, players, data.get("declarer"), data.get("arrange") is Judged.BEST, match)


class Seat(NamedTuple):
    """A player as read. `known` is False where it is unclear whether the player left the deal."""

    path: Path
    given: Mapping[str, Any]
    id: str | None
    dropped: Drop | None
    known: bool
    hand: HandRequest

    @property
    def in_deal(self) -> bool:
        return self.known and self.dropped is None

    def sent(self, *fields: str) -> bool:
        """Whether any of these fields was sent."""
        return any(self.given.get(field) is not None for field in fields)


def _read_seats(given: Mapping[str, Any], data: Mapping[str, Any]) -> list[Seat]:
    read: list[dict[str, Any] | None] = data.get("players") or []
    sent = given["players"] if read else []
    return [_read_seat(index, each, player or {}) for index, (each, player) in enumerate(zip(sent, read, strict=True))]


def _read_seat(index: int, sent: object, data: Mapping[str, Any]) -> Seat:
    path = ("players", index)
    given = sent if isinstance(sent, dict) else {}
    dropped = data.get("dropped")
    known = isinstance(sent, dict) and (given.get("dropped") is None) == (dropped is None)
    return Seat(path, given, data.get("id"), dropped, known, HandRequest(path, given, data))


def _player(seat: Seat, rules: RuleSet, turned_up: TurnedUp, players: int) -> Player:
    question = None if seat.hand.cards is None else ask(seat.hand, rules, turned_up, players)
    return Player(str(seat.id), question, seat.dropped)


def _check_ids(seats: Sequence[Seat], faults: Faults) -> None:
    seen: set[str] = set()
    for seat in seats:
        if seat.id in seen:
            faults.add((*seat.path, "id"), "REPEATED_ID", {"id": seat.id})
        elif seat.id is not None:
            seen.add(seat.id)


def _check_declarer(
    given: Mapping[str, Any], data: Mapping[str, Any], seats: Sequence[Seat], all_known: bool, faults: Faults
) -> None:
    """One of the players declares, unless only one is left. Nobody is missed among players that are not all known."""
    declarer: str | None = data.get("declarer")
    if declarer is not None:
        named = [seat for seat in seats if seat.id == declarer]
        if not named and all_known:
            faults.add(("declarer",), "UNKNOWN_PLAYER", {"id": declarer})
        elif any(seat.dropped is not None for seat in named):
            faults.add(("declarer",), "DECLARER_DROPPED", {"id": declarer})
    elif given.get("declarer") is None and seats and all_known:
        staying = sum(seat.in_deal for seat in seats)
        if staying == 0:
            faults.add(("players",), "ALL_DROPPED")
        elif staying > 1:
            faults.add(("declarer",), "DECLARER_REQUIRED", {"players": staying})


def _check_drops(seats: Sequence[Seat], rules: RuleSet | None, faults: Faults) -> None:
    if rules is None:
        return
    for seat in seats:
        if seat.dropped is not None and drop_points(rules, seat.dropped) is None:
            path = (*seat.path, "dropped")
            if seat.dropped is Drop.WRONG_SHOW:
                faults.add(path, "DROP_NOT_POSSIBLE.WRONG_SHOW", {"rule_set": rules.name})
            else:
                faults.add(path, "DROP_NOT_POSSIBLE", {"rule_set": rules.name})


def _check_hands(seats: Sequence[Seat], declared: bool, deck: Deck | None, faults: Faults) -> None:
    """Each hand by itself. Every player in the deal needs one, unless all others have left it."""
    no_show = not declared and sum(seat.in_deal for seat in seats) == 1
    for seat in seats:
        needed = (seat.in_deal and not no_show) or seat.sent("groups", "finish_card")
        if needed and not seat.sent("hand"):
            faults.add((*seat.path, "hand"), "MISSING_FIELD" if seat.in_deal else "MISSING_FIELD.HAND")
        check_hand(seat.hand, deck, faults)


def _check_packs(seats: Sequence[Seat], deck: Deck | None, faults: Faults) -> None:
    """All hands together; a card that is too many in one hand alone is reported there."""
    if deck is None:
        return
    dealt = [
        ((*seat.path, "hand", column), card) for seat in seats for column, card in enumerate(seat.hand.cards or ())
    ]
    reported = {surplus.card for seat in seats for surplus in surplus_cards(seat.hand.cards or (), deck)}
    for card, place, copies, held in surplus_cards([card for _, card in dealt], deck):
        if card not in reported:
            path, _ = dealt[place]
            faults.add(path, "IMPOSSIBLE_DEAL", {"card": card.symbol, "copies": copies, "held": held})
