"""Rule-set files: the five that there are, and one clear line for every fault that a file can have."""

import json
import tomllib
from dataclasses import dataclass
from typing import Any

import pytest

from service.game.cards import JOKER_TURNED_UP, NOTHING_TURNED_UP, Rank, TurnedUp
from service.game.rule_file import RuleSetError, parse_rule_set
from service.game.rules import Deck, Lengths, MatchFormat, MatchRules
from tests.strategies import RULE_SET_TEXTS, RULE_SETS, derive, edit_text

Data = dict[str, Any]
LEFT_OUT = object()


def to_toml(data: Data) -> str:
    """A rule set's data as TOML, its keys in any order; only as much of TOML as these files use."""
    rows = [f"{_key(key)} = {_value(value)}" for key, value in data.items() if not isinstance(value, dict)]
    for name, table in data.items():
        if isinstance(table, dict):
            rows += [f"[{name}]", *(f"{_key(key)} = {_value(value)}" for key, value in table.items())]
    return "\n".join(rows)


def _key(key: str) -> str:
    return json.dumps(key)


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    return json.dumps(value)


@dataclass(frozen=True)
class Change:
    """A key ("decks.0.packs") set to a value, or left out."""

    path: str
    value: object

    def __str__(self) -> str:
        return f"no {self.path}" if self.value is LEFT_OUT else f"{self.path} = {self.value!r}"

    def apply(self, data: Data) -> None:
        *way, last = self.path.split(".")
        place: Any = data
        for step in way:
            place = place[int(step)] if isinstance(place, list) else place[step]
        key = int(last) if isinstance(place, list) else last
        if self.value is LEFT_OUT:
            del place[key]
        else:
            place[key] = self.value


def put(path: str, value: object) -> Change:
    return Change(path, value)


def drop(path: str) -> Change:
    return Change(path, LEFT_OUT)


def faults_of(name: str, *changes: Change) -> list[str]:
    data = tomllib.loads(RULE_SET_TEXTS[name])
    for change in changes:
        change.apply(data)
    with pytest.raises(RuleSetError) as caught:
        parse_rule_set(to_toml(data))
    assert str(caught.value) == "\n".join(caught.value.faults)
    return caught.value.faults


SHAPE_FAULTS = [
    (drop("version"), "version: missing"),
    (put("colour", "red"), "colour: unknown key"),
    (drop("loser"), "loser: missing"),
    (drop("loser.cap"), "loser.cap: missing"),
    (put("loser.colour", 1), "loser.colour: unknown key"),
    (put("loser", 80), "loser: must be a table"),
    (put("values.11", 11), "values.11: unknown key"),
    (drop("values.10"), "values.10: missing"),
    (put("decks", 2), "decks: must be a list of tables"),
    (put("match", {"format": "POOL"}), "match: must be a list of tables"),
    (put("decks.0", 3), "decks[0]: must be a table"),
    (drop("decks.0.packs"), "decks[0].packs: missing"),
    (put("decks.0.colour", 3), "decks[0].colour: unknown key"),
    (drop("match.0.limits"), "match[0].limits: missing"),
    (put("match.1.colour", "red"), "match[1].colour: unknown key"),
]

CONTENT_FAULTS = [
    (put("name", "Family 13"), "name: must be lower case, digits, hyphens"),
    (put("name", ""), "name: must be lower case, digits, hyphens"),
    (put("name", 13), "name: must be lower case, digits, hyphens"),
    (put("version", 0), "version: must be a whole number from 1 to 1000000"),
    (put("version", "1"), "version: must be a whole number from 1 to 1000000"),
    (put("version", True), "version: must be a whole number from 1 to 1000000"),
    (put("version", 1.0), "version: must be a whole number from 1 to 1000000"),
    (put("title", " "), "title: must be a text that is not empty"),
    (put("title", 1), "title: must be a text that is not empty"),
    (put("source", ""), "source: must be a text that is not empty"),
    (put("notes", "none"), "notes: must be a list of texts"),
    (put("notes.1", ""), "notes[1]: must be a text that is not empty"),
    (put("notes.0", 1), "notes[0]: must be a text that is not empty"),
    (put("decks", []), "decks: must be a list with at least one table"),
    (put("decks.0.players", 2), "decks[0].players: must be two whole numbers from 2 to 12, the fewest and the most"),
    (put("decks.0.players", [2]), "decks[0].players: must be two whole numbers from 2 to 12, the fewest and the most"),
    (
        put("decks.0.players", [1, 2]),
        "decks[0].players: must be two whole numbers from 2 to 12, the fewest and the most",
    ),
    (put("decks.0.packs", 0), "decks[0].packs: must be a whole number from 1 to 3"),
    (put("decks.0.printed_jokers", -1), "decks[0].printed_jokers: must be a whole number from 0 to 12"),
    (put("joker_turned_up", "WILD"), 'joker_turned_up: must be "ACES_WILD" or "IMPOSSIBLE"'),
    (put("wild_left_over", 0), 'wild_left_over: must be "ZERO" or "OWN_VALUE"'),
    (put("values.K", 0), "values.K: must be a whole number from 1 to 100"),
    (put("values.A", 101), "values.A: must be a whole number from 1 to 100"),
    (put("first_life.min", 2), "first_life.min: must be a whole number from 3 to 13"),
    (put("first_life.max", 14), "first_life.max: must be a whole number from 3 to 13"),
    (put("second_life.min", "3"), "second_life.min: must be a whole number from 3 to 13"),
    (put("first_life.wild_cards_allowed", 1), "first_life.wild_cards_allowed: must be true or false"),
    (put("second_life.asked", "yes"), "second_life.asked: must be true or false"),
    (put("loser.first_life_min", 2), "loser.first_life_min: must be a whole number from 3 to 13"),
    (
        put("loser.first_life_only", "ALL"),
        'loser.first_life_only: must be "UNGROUPED_COUNT" or "ALL_BUT_FIRST_LIFE"',
    ),
    (put("loser.cap", 0), 'loser.cap: must be a whole number from 1 to 1000, or "NONE"'),
    (put("loser.cap", "none"), 'loser.cap: must be a whole number from 1 to 1000, or "NONE"'),
    (put("wrong_show.charge", "NONE"), 'wrong_show.charge: must be a whole number from 0 to 1000, or "AS_LOSER"'),
    (put("wrong_show.charge", 1001), 'wrong_show.charge: must be a whole number from 0 to 1000, or "AS_LOSER"'),
    (put("wrong_show.deal", "STOPS"), 'wrong_show.deal: must be "ENDS" or "CONTINUES"'),
    (put("wrong_show.declarer", "IN"), 'wrong_show.declarer: must be "OUT" or "STAYS"'),
    (put("drops.first", -1), 'drops.first: must be a whole number from 0 to 1000, or "NONE"'),
    (put("drops.middle", False), 'drops.middle: must be a whole number from 0 to 1000, or "NONE"'),
    (put("match.0.format", "LEAGUE"), 'match[0].format: must be "POINTS" or "POOL" or "DEALS" or "RACE"'),
    (put("match.1.limits", [0]), "match[1].limits: must be a list of whole numbers from 1 to 100000"),
    (put("match.1.limits", 101), "match[1].limits: must be a list of whole numbers from 1 to 100000"),
]

CONTRADICTIONS: list[tuple[str, list[Change], str]] = [
    ("family-13", [put("first_life.max", 3), put("first_life.min", 4)], "first_life: min 4 is above max 3"),
    ("family-13", [put("second_life.max", 4), put("second_life.min", 5)], "second_life: min 5 is above max 4"),
    (
        "family-13",
        [put("first_life.min", 7), put("second_life.min", 7)],
        "second_life.min: two lives of 7 and 7 do not fit in 13 cards",
    ),
    (
        "family-13",
        [put("second_life.asked", False)],
        "loser.first_life_only: ALL_BUT_FIRST_LIFE needs second_life.asked = true",
    ),
    (
        "family-13",
        [put("loser.first_life_min", 4)],
        "loser.first_life_min: 4 is above first_life.min 3",
    ),
    ("family-13", [put("decks.0.players", [3, 2])], "decks[0].players: 3 is above 2"),
    (
        "rulebook-13",
        [put("decks.1.players", [4, 6])],
        "decks[1].players: must go on at 3, where the deck before ends",
    ),
    (
        "rulebook-13",
        [put("decks.0.players", [2, 5]), put("decks.1.players", [6, 6])],
        "decks[0].players: too few cards for 5 hands of 13",
    ),
    (
        "face-value-duel",
        [put("joker_turned_up", "ACES_WILD")],
        "joker_turned_up: ACES_WILD, but no deck has a printed joker",
    ),
    (
        "family-13",
        [put("joker_turned_up", "IMPOSSIBLE")],
        "joker_turned_up: IMPOSSIBLE, but a deck has printed jokers",
    ),
    ("two-row-duel", [put("wrong_show.deal", "ENDS")], "wrong_show.declarer: STAYS, but the deal ends"),
    (
        "two-row-duel",
        [put("wrong_show.charge", 60)],
        "wrong_show.charge: must be 0 where the declarer stays in a deal that goes on",
    ),
    (
        "family-13",
        [put("wrong_show.charge", "AS_LOSER")],
        "wrong_show.charge: AS_LOSER cannot be told again when a deal that goes on has ended",
    ),
    ("family-13", [put("match.2.format", "POINTS")], "match: a format stands twice"),
    (
        "family-13",
        [put("match.1.limits", [])],
        "match[1].limits: POOL and RACE need limits, the others have none",
    ),
    (
        "family-13",
        [put("match.0.limits", [100])],
        "match[0].limits: POOL and RACE need limits, the others have none",
    ),
]


SINGLE_FAULTS = SHAPE_FAULTS + CONTENT_FAULTS


@pytest.mark.parametrize(("change", "fault"), SINGLE_FAULTS, ids=[str(change) for change, _ in SINGLE_FAULTS])
def test_a_fault_gives_one_line_that_names_the_key(change: Change, fault: str) -> None:
    assert faults_of("family-13", change) == [fault]


@pytest.mark.parametrize(("name", "changes", "fault"), CONTRADICTIONS, ids=[fault for *_, fault in CONTRADICTIONS])
def test_a_contradiction_gives_one_line(name: str, changes: list[Change], fault: str) -> None:
    assert faults_of(name, *changes) == [fault]


def test_all_missing_and_unknown_keys_are_named_at_once() -> None:
    changes = [drop("title"), put("colour", "red"), drop("drops.first"), drop("decks.0.packs"), put("match", 1)]
    assert faults_of("online-13", *changes) == [
        "title: missing",
        "colour: unknown key",
        "drops.first: missing",
        "decks[0].packs: missing",
        "match: must be a list of tables",
    ]


def test_all_faulty_values_are_named_at_once() -> None:
    changes = [put("version", 0), put("values.Q", 0), put("loser.cap", "none"), put("match.0.format", "LEAGUE")]
    faults = faults_of("online-13", *changes)
    assert [fault.split(":")[0] for fault in faults] == ["version", "values.Q", "loser.cap", "match[0].format"]


def test_all_contradictions_are_named_at_once() -> None:
    changes = [put("first_life.max", 3), put("first_life.min", 4), put("joker_turned_up", "IMPOSSIBLE")]
    assert faults_of("online-13", *changes) == [
        "first_life: min 4 is above max 3",
        "joker_turned_up: IMPOSSIBLE, but a deck has printed jokers",
    ]


@pytest.mark.parametrize("text", ["name =", "name = 1\nname = 2", "\x00", "[values]\n[values]"])
def test_a_text_that_is_not_toml_gives_one_line(text: str) -> None:
    with pytest.raises(RuleSetError, match=r"^not TOML: ") as caught:
        parse_rule_set(text)
    assert len(caught.value.faults) == 1


def test_an_empty_text_lacks_every_key() -> None:
    with pytest.raises(RuleSetError) as caught:
        parse_rule_set("")
    assert caught.value.faults == [f"{key}: missing" for key in _top_level_keys()]


def _top_level_keys() -> list[str]:
    return [
        *("name", "version", "title", "source", "notes", "decks", "joker_turned_up", "wild_left_over"),
        *("values", "first_life", "second_life", "loser", "wrong_show", "drops", "match"),
    ]


def test_there_are_the_five_rule_sets() -> None:
    """The rule sets of spec section 3, each under the name of its file."""
    assert list(RULE_SETS) == ["face-value-duel", "family-13", "online-13", "rulebook-13", "two-row-duel"]
    assert all(rules.name == name for name, rules in RULE_SETS.items())
    assert all(rules.version >= 1 and rules.title and rules.source and rules.notes for rules in RULE_SETS.values())


# Spec, section 3, row by row: rulebook-13, online-13, family-13, face-value-duel, two-row-duel.
COLUMNS = ("rulebook-13", "online-13", "family-13", "face-value-duel", "two-row-duel")
TEN_FOR_COURT = (10, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
ANY = 13
TABLE: dict[str, tuple[object, ...]] = {
    "players": ((2, 6), (2, 4), (2, 6), (2, 2), (2, 2)),
    "decks": (
        (Deck(2, 2, 1, 2), Deck(3, 6, 2, 4)),
        (Deck(2, 4, 2, 2),),
        (Deck(2, 6, 2, 4),),
        (Deck(2, 2, 1, 0),),
        (Deck(2, 2, 1, 1),),
    ),
    "joker_makes_aces_wild": (True, True, True, False, True),
    "first_life": (Lengths(4, ANY), Lengths(3, ANY), Lengths(3, ANY), Lengths(4, ANY), Lengths(3, 5)),
    "wild_in_first_life": (True, True, True, True, False),
    "second_life": (Lengths(3, ANY), Lengths(3, ANY), Lengths(3, ANY), None, Lengths(3, 5)),
    "values": (TEN_FOR_COURT, TEN_FOR_COURT, TEN_FOR_COURT, tuple(range(1, 14)), TEN_FOR_COURT),
    "wild_left_over_counts": (False, False, False, True, False),
    "loser_first_life": (Lengths(4, ANY), Lengths(3, ANY), Lengths(3, ANY), Lengths(3, ANY), Lengths(3, 5)),
    "loser_needs_second_life": (False, True, True, False, True),
    "cap": (80, 80, 80, None, None),
    "wrong_show_charge": (80, 80, 80, None, 0),
    "wrong_show_ends_deal": (False, True, False, True, False),
    "wrong_show_puts_out": (True, True, True, True, False),
    "first_drop": (20, 20, 20, None, None),
    "middle_drop": (40, 40, 40, None, None),
    "matches": (
        (),
        (MatchRules(MatchFormat.POINTS, ()),),
        (
            MatchRules(MatchFormat.POINTS, ()),
            MatchRules(MatchFormat.POOL, (101, 201)),
            MatchRules(MatchFormat.DEALS, ()),
        ),
        (),
        (MatchRules(MatchFormat.RACE, (100,)),),
    ),
}


@pytest.mark.parametrize("parameter", TABLE)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_parameter_is_that_of_the_table(name: str, parameter: str) -> None:
    """Spec, section 3, the table."""
    assert getattr(RULE_SETS[name], parameter) == TABLE[parameter][COLUMNS.index(name)]


def test_lengths_include_both_ends() -> None:
    assert [Lengths(3, 5).allow(length) for length in range(2, 7)] == [False, True, True, True, False]


def test_the_number_of_players_settles_the_packs() -> None:
    """ "`players` settles the number of packs where a rule set depends on it (default: the most packs)" (section 4)."""
    rules = RULE_SETS["rulebook-13"]
    assert [rules.deck(players).packs for players in (2, 3, 6, None)] == [1, 2, 2, 2]


@pytest.mark.parametrize("players", [-1, 0, 1, 7])
def test_another_number_of_players_is_refused(players: int) -> None:
    with pytest.raises(ValueError, match="rulebook-13 is for 2 to 6 players"):
        RULE_SETS["rulebook-13"].deck(players)
    with pytest.raises(ValueError, match="face-value-duel is for 2 players"):
        RULE_SETS["face-value-duel"].deck(players)


def test_a_printed_joker_turned_up_makes_the_aces_wild() -> None:
    """ "If a printed joker is turned over, all Aces become wild" (online-13)."""
    assert RULE_SETS["online-13"].wild_rank(JOKER_TURNED_UP) is Rank.ACE
    assert RULE_SETS["online-13"].wild_rank(TurnedUp(Rank.SEVEN)) is Rank.SEVEN
    assert RULE_SETS["online-13"].wild_rank(NOTHING_TURNED_UP) is None


def test_a_joker_that_is_not_there_is_not_turned_up() -> None:
    """ "Cannot be: error" (spec, section 3, face-value-duel)."""
    with pytest.raises(ValueError, match="face-value-duel is played without printed jokers"):
        RULE_SETS["face-value-duel"].wild_rank(JOKER_TURNED_UP)


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_digest_is_of_the_rules_not_of_the_file(name: str) -> None:
    """Neither the order of keys nor the layout changes it."""
    data = tomllib.loads(RULE_SET_TEXTS[name])
    backwards = {
        key: dict(reversed(value.items())) if isinstance(value, dict) else value
        for key, value in reversed(data.items())
    }
    again = parse_rule_set(to_toml(backwards))
    assert again.digest == RULE_SETS[name].digest
    assert again.parameters == RULE_SETS[name].parameters == data
    assert len(again.digest) == len("sha256:") + 64


CHANGES: dict[str, object] = {
    "name": "family-14",
    "version": 3,
    "title": "Other",
    "source": "elsewhere",
    "wild_left_over": "OWN_VALUE",
    **{f"values.{rank.symbol}": 99 for rank in Rank},
    "first_life.max": 12,
    "first_life.wild_cards_allowed": False,
    "second_life.min": 4,
    "second_life.max": 12,
    "loser.first_life_only": "UNGROUPED_COUNT",
    "loser.cap": "NONE",
    "wrong_show.charge": 0,
    "wrong_show.deal": "ENDS",
    "drops.first": 19,
    "drops.middle": "NONE",
}


def test_the_digest_changes_with_any_parameter() -> None:
    digests = {derive("family-13", {key: value}).digest for key, value in CHANGES.items()}
    digests |= {derive("family-13", {"first_life.min": 4}).digest, RULE_SETS["family-13"].digest}
    digests |= {derive("family-13", {"wrong_show.charge": 0, "wrong_show.declarer": "STAYS"}).digest}
    digests |= {derive("family-13", {"first_life.min": 4, "loser.first_life_min": 4}).digest}
    for part, other in (("players = [2, 6]", "players = [2, 5]"), ("limits = [101, 201]", "limits = [201, 101]")):
        text = RULE_SET_TEXTS["family-13"]
        assert part in text
        digests.add(parse_rule_set(text.replace(part, other)).digest)
    assert len(digests) == len(CHANGES) + 6


def test_editing_a_rule_set_needs_a_key_that_is_there() -> None:
    with pytest.raises(AssertionError, match="no such keys"):
        edit_text(RULE_SET_TEXTS["family-13"], {"loser.colour": 1})
