"""Rule-set files: what a `rulesets/*.toml` may say, checked, as a `RuleSet`.

Every key is required, none is optional, and a faulty file is refused with one line per fault.
"""

import hashlib
import re
import tomllib
from typing import Any, Final

from service.game.canonical import canonical_json
from service.game.cards import Rank
from service.game.rules import HAND_SIZE, Deck, Lengths, MatchFormat, MatchRules, RuleSet

NONE: Final = "NONE"

DECK_KEYS: Final = ("players", "packs", "printed_jokers")
_TABLES: Final[dict[str, tuple[str, ...]]] = {
    "values": tuple(rank.symbol for rank in Rank),
    "first_life": ("min", "max", "wild_cards_allowed"),
    "second_life": ("asked", "min", "max"),
    "loser": ("first_life_min", "first_life_only", "cap"),
    "wrong_show": ("charge", "deal", "declarer"),
    "drops": ("first", "middle"),
}
_KEYS: Final = (
    *("name", "version", "title", "source", "notes", "decks", "joker_turned_up", "wild_left_over"),
    *_TABLES,
    "match",
)


class RuleSetError(ValueError):
    """A rule-set file with faults; `faults` has one line for each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def parse_rule_set(text: str) -> RuleSet:
    """The rule set that a TOML text describes; raises `RuleSetError` with every fault found."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Beside its own error tomllib lets through those of huge numbers and of deep nesting.
        raise RuleSetError([f"not TOML: {error}"]) from None
    faults = _shape_faults(data)
    if not faults:
        faults = _content_faults(data)
    if not faults:
        faults = _contradictions(data)
    if faults:
        raise RuleSetError(faults)
    return _build(data)


def _key_faults(where: str, table: object, keys: tuple[str, ...]) -> list[str]:
    if not isinstance(table, dict):
        return [f"{where}: must be a table"]
    dot = f"{where}." if where else ""
    missing = [f"{dot}{key}: missing" for key in keys if key not in table]
    return missing + [f"{dot}{key}: unknown key" for key in table if key not in keys]


def _shape_faults(data: dict[str, Any]) -> list[str]:
    faults = _key_faults("", data, _KEYS)
    for name, keys in _TABLES.items():
        if name in data:
            faults += _key_faults(name, data[name], keys)
    for name, keys in (("decks", DECK_KEYS), ("match", ("format", "limits"))):
        rows = data.get(name, [])
        if not isinstance(rows, list):
            faults.append(f"{name}: must be a list of tables")
            continue
        for index, row in enumerate(rows):
            faults += _key_faults(f"{name}[{index}]", row, keys)
    return faults


def _content_faults(data: dict[str, Any]) -> list[str]:
    """What is wrong with single values, given that every key is there and no other."""
    faults: list[str] = []

    def check(where: str, good: bool, needed: str) -> None:
        if not good:
            faults.append(f"{where}: must be {needed}")

    def text(where: str, value: object) -> None:
        check(where, isinstance(value, str) and bool(value.strip()), "a text that is not empty")

    def number(where: str, value: object, low: int, high: int) -> None:
        good = type(value) is int and low <= value <= high
        check(where, good, f"a whole number from {low} to {high}")

    def number_or(word: str, where: str, value: object, low: int) -> None:
        good = value == word or (type(value) is int and low <= value <= 1000)
        check(where, good, f'a whole number from {low} to 1000, or "{word}"')

    def choice(where: str, value: object, *words: str) -> None:
        check(where, value in words, " or ".join(f'"{word}"' for word in words))

    def yes_no(where: str, value: object) -> None:
        check(where, isinstance(value, bool), "true or false")

    name = data["name"]
    check("name", isinstance(name, str) and bool(re.fullmatch(r"[a-z0-9-]{1,64}", name)), "lower case, digits, hyphens")
    number("version", data["version"], 1, 1_000_000)
    text("title", data["title"])
    text("source", data["source"])
    notes = data["notes"]
    check("notes", isinstance(notes, list), "a list of texts")
    for index, note in enumerate(notes if isinstance(notes, list) else []):
        text(f"notes[{index}]", note)
    check("decks", bool(data["decks"]), "a list with at least one table")
    for index, deck in enumerate(data["decks"]):
        where = f"decks[{index}]"
        players = deck["players"]
        pair = isinstance(players, list) and len(players) == 2 and all(type(n) is int and 2 <= n <= 12 for n in players)
        check(f"{where}.players", pair, "two whole numbers from 2 to 12, the fewest and the most")
        number(f"{where}.packs", deck["packs"], 1, 3)
        number(f"{where}.printed_jokers", deck["printed_jokers"], 0, 12)
    choice("joker_turned_up", data["joker_turned_up"], "ACES_WILD", "IMPOSSIBLE")
    choice("wild_left_over", data["wild_left_over"], "ZERO", "OWN_VALUE")
    for rank, points in data["values"].items():
        number(f"values.{rank}", points, 1, 100)
    for life in ("first_life", "second_life"):
        for end in ("min", "max"):
            number(f"{life}.{end}", data[life][end], 3, HAND_SIZE)
    yes_no("first_life.wild_cards_allowed", data["first_life"]["wild_cards_allowed"])
    yes_no("second_life.asked", data["second_life"]["asked"])
    number("loser.first_life_min", data["loser"]["first_life_min"], 3, HAND_SIZE)
    choice("loser.first_life_only", data["loser"]["first_life_only"], "UNGROUPED_COUNT", "ALL_BUT_FIRST_LIFE")
    number_or(NONE, "loser.cap", data["loser"]["cap"], 1)
    number_or("AS_LOSER", "wrong_show.charge", data["wrong_show"]["charge"], 0)
    choice("wrong_show.deal", data["wrong_show"]["deal"], "ENDS", "CONTINUES")
    choice("wrong_show.declarer", data["wrong_show"]["declarer"], "OUT", "STAYS")
    for drop in ("first", "middle"):
        number_or(NONE, f"drops.{drop}", data["drops"][drop], 0)
    for index, row in enumerate(data["match"]):
        choice(f"match[{index}].format", row["format"], *MatchFormat)
        limits = row["limits"]
        good = isinstance(limits, list) and all(type(limit) is int and 1 <= limit <= 100_000 for limit in limits)
        check(f"match[{index}].limits", good, "a list of whole numbers from 1 to 100000")
    return faults


def _contradictions(data: dict[str, Any]) -> list[str]:
    """What does not fit together, given that every value by itself is good."""
    faults: list[str] = []
    first, second, loser = data["first_life"], data["second_life"], data["loser"]
    for name, life in (("first_life", first), ("second_life", second)):
        if life["min"] > life["max"]:
            faults.append(f"{name}: min {life['min']} is above max {life['max']}")
    if second["asked"] and first["min"] + second["min"] > HAND_SIZE:
        faults.append(
            f"second_life.min: two lives of {first['min']} and {second['min']} do not fit in {HAND_SIZE} cards"
        )
    if not second["asked"] and loser["first_life_only"] == "ALL_BUT_FIRST_LIFE":
        faults.append("loser.first_life_only: ALL_BUT_FIRST_LIFE needs second_life.asked = true")
    if loser["first_life_min"] > first["min"]:
        faults.append(f"loser.first_life_min: {loser['first_life_min']} is above first_life.min {first['min']}")
    expected = None
    for index, deck in enumerate(data["decks"]):
        fewest, most = deck["players"]
        if fewest > most:
            faults.append(f"decks[{index}].players: {fewest} is above {most}")
        if expected is not None and fewest != expected:
            faults.append(f"decks[{index}].players: must go on at {expected}, where the deck before ends")
        expected = most + 1
        if HAND_SIZE * most > 52 * deck["packs"] + deck["printed_jokers"]:
            faults.append(f"decks[{index}].players: too few cards for {most} hands of {HAND_SIZE}")
    show = data["wrong_show"]
    if show["deal"] == "CONTINUES" and show["declarer"] == "OUT" and show["charge"] == "AS_LOSER":
        faults.append("wrong_show.charge: AS_LOSER cannot be told again when a deal that goes on has ended")
    if show["deal"] == "CONTINUES" and show["declarer"] == "STAYS" and show["charge"] != 0:
        faults.append("wrong_show.charge: must be 0 where the declarer stays in a deal that goes on")
    has_jokers = any(deck["printed_jokers"] for deck in data["decks"])
    if data["joker_turned_up"] == "ACES_WILD" and not has_jokers:
        faults.append("joker_turned_up: ACES_WILD, but no deck has a printed joker")
    if data["joker_turned_up"] == "IMPOSSIBLE" and has_jokers:
        faults.append("joker_turned_up: IMPOSSIBLE, but a deck has printed jokers")
    if (show["deal"], show["declarer"]) == ("ENDS", "STAYS"):
        faults.append("wrong_show.declarer: STAYS, but the deal ends")
    formats = [row["format"] for row in data["match"]]
    if len(set(formats)) < len(formats):
        faults.append("match: a format stands twice")
    for index, row in enumerate(data["match"]):
        if (row["format"] in ("POOL", "RACE")) != bool(row["limits"]):
            faults.append(f"match[{index}].limits: POOL and RACE need limits, the others have none")
    return faults


def _number_or_none(value: int | str) -> int | None:
    return None if isinstance(value, str) else value


def _build(data: dict[str, Any]) -> RuleSet:
    first, second, loser = data["first_life"], data["second_life"], data["loser"]
    asked = second["asked"]
    return RuleSet(
        name=data["name"],
        version=data["version"],
        title=data["title"],
        source=data["source"],
        notes=tuple(data["notes"]),
        decks=tuple(
            Deck(row["players"][0], row["players"][1], row["packs"], row["printed_jokers"]) for row in data["decks"]
        ),
        joker_makes_aces_wild=data["joker_turned_up"] == "ACES_WILD",
        values=tuple(data["values"][rank.symbol] for rank in Rank),
        wild_left_over_counts=data["wild_left_over"] == "OWN_VALUE",
        first_life=Lengths(first["min"], first["max"]),
        wild_in_first_life=first["wild_cards_allowed"],
        second_life=Lengths(second["min"], second["max"]) if asked else None,
        loser_first_life=Lengths(loser["first_life_min"], first["max"]),
        loser_needs_second_life=asked and loser["first_life_only"] == "ALL_BUT_FIRST_LIFE",
        cap=_number_or_none(loser["cap"]),
        wrong_show_charge=_number_or_none(data["wrong_show"]["charge"]),
        wrong_show_ends_deal=data["wrong_show"]["deal"] == "ENDS",
        wrong_show_puts_out=data["wrong_show"]["declarer"] == "OUT",
        first_drop=_number_or_none(data["drops"]["first"]),
        middle_drop=_number_or_none(data["drops"]["middle"]),
        matches=tuple(MatchRules(MatchFormat(row["format"]), tuple(row["limits"])) for row in data["match"]),
        parameters=data,
        digest=_digest(data),
    )


def _digest(data: dict[str, Any]) -> str:
    return "sha256:" + hashlib.sha256(canonical_json(data).encode()).hexdigest()
