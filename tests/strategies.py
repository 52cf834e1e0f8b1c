"""Generators of deals that the packs allow, for hypothesis and for plain seeded runs alike.

Every generator draws through a `Pick`: hypothesis passes one that shrinks, `tests.fuzz` passes `random.Random.choice`.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from service.game.cards import (
    JOKER,
    JOKER_TURNED_UP,
    NATURAL_CARDS,
    NOTHING_TURNED_UP,
    Card,
    Rank,
    Suit,
    TurnedUp,
    natural_card,
    sort_cards,
)
from service.game.rule_file import parse_rule_set
from service.game.rules import RuleSet
from service.game.settlement import Drop, Match, Player, Table
from service.game.verdict import Question

T = TypeVar("T")
Pick = Callable[[Sequence[T]], Any]

RULE_SET_TEXTS: Final = {
    path.name.removesuffix(".toml"): path.read_text(encoding="utf-8")
    for path in sorted(files("service.game").joinpath("rulesets").iterdir(), key=lambda path: path.name)
    if path.name.endswith(".toml")
}
RULE_SETS: Final = {name: parse_rule_set(text) for name, text in RULE_SET_TEXTS.items()}


def derive(name: str, changes: dict[str, object]) -> RuleSet:
    """The rule set of that name with other values: {"first_life.max": 6, "loser.cap": "NONE"}."""
    return parse_rule_set(edit_text(RULE_SET_TEXTS[name], changes))


def edit_text(text: str, changes: dict[str, object]) -> str:
    """A rule-set text with the lines of some keys (one line each) replaced; every key must be there."""
    lines, table, left = [], "", dict(changes)
    for line in text.splitlines():
        if line.startswith("["):
            table = line.strip("[]") + "."
        key = line.split(" = ")[0]
        new = f"{key} = {json.dumps(left.pop(table + key))}" if table + key in left else line
        lines.append(new)
    assert not left, f"no such keys: {left}"
    return "\n".join(lines) + "\n"


# The same examples on every run, and no clock in the verdict: a red run is red for everyone.
FIXED: Final = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow], print_blob=False
)

# Lengths of groups that fill a hand, the common ones more often.
SHAPES: Final = [(4, 3, 3, 3), (3, 3, 3, 4), (5, 4, 4), (5, 5, 3), (4, 6, 3), (7, 3, 3), (6, 7), (8, 5), (10, 3), (13,)]


@dataclass(frozen=True)
class Deal:
    """A hand of 13 that a table of `players` under `rules` can hold, with what was turned up."""

    rules: RuleSet
    players: int
    turned_up: TurnedUp
    hand: tuple[Card, ...]

    @property
    def wild(self) -> Rank | None:
        return self.rules.wild_rank(self.turned_up)

    def __repr__(self) -> str:
        turned_up = self.turned_up.code
        cards = " ".join(card.code for card in self.hand)
        return f"<{self.rules.name}, {self.players} players, wild {turned_up}: {cards}>"


def full_deck(rules: RuleSet, players: int | None) -> list[Card]:
    """Every card that is dealt from."""
    deck = rules.deck(players)
    return [*NATURAL_CARDS] * deck.packs + [JOKER] * deck.printed_jokers


def _pick_some(pick: Pick[Any], cards: list[Card], count: int) -> list[Card]:
    """`count` cards taken out of `cards` (all of them where there are fewer)."""
    return [cards.pop(pick(range(len(cards)))) for _ in range(min(count, len(cards)))]


def _random_hand(pick: Pick[Any], deck: list[Card], wild: Rank | None) -> list[Card]:
    return _pick_some(pick, deck, 13)


def _joker_rich_hand(pick: Pick[Any], deck: list[Card], wild: Rank | None) -> list[Card]:
    jokers = [card for card in deck if card.rank in (None, wild)]
    others = [card for card in deck if card.rank not in (None, wild)]
    hand = _pick_some(pick, jokers, pick((3, 4, 5, 6, 7)))
    return hand + _pick_some(pick, others, 13 - len(hand))


def _dense_hand(pick: Pick[Any], deck: list[Card], wild: Rank | None) -> list[Card]:
    """Cards of a few neighbouring ranks: many equal cards, and many groups that compete for one card."""
    low, span = pick(range(13)), pick((4, 5, 6))
    ranks = {Rank((low + step) % 13) for step in range(span)}
    near = [card for card in deck if card.rank in ranks or (card.rank is None and pick((False, True)))]
    hand = _pick_some(pick, near, pick((11, 12, 13)))
    rest = list((Counter(deck) - Counter(hand)).elements())
    return hand + _pick_some(pick, rest, 13 - len(hand))


def _doubled_hand(pick: Pick[Any], deck: list[Card], wild: Rank | None) -> list[Card]:
    """As many pairs of equal cards as the packs allow (with one pack, a dense hand)."""
    counts = Counter(deck)
    pairs = [card for card in counts if counts[card] > 1]
    if len(pairs) < 7:
        return _dense_hand(pick, deck, wild)
    low = pick(range(52))
    near = [card for card in pairs if card.order == 52 or (card.order - low) % 52 < 16]
    hand = _pick_some(pick, near, pick((4, 5, 6))) * 2
    rest = list((counts - Counter(hand)).elements())
    return hand + _pick_some(pick, rest, 13 - len(hand))


def _run(pick: Pick[Any], length: int) -> list[Card]:
    suit, start = pick(tuple(Suit)), pick(range(15 - length))
    return [natural_card(Rank(place % 13), suit) for place in range(start, start + length)]


def _set(pick: Pick[Any], length: int) -> list[Card]:
    rank, left_out = pick(tuple(Rank)), pick(tuple(Suit))
    return [natural_card(rank, suit) for suit in Suit if length == 4 or suit is not left_out]


def _joker_lives_hand(pick: Pick[Any], deck: list[Card], wild: Rank | None) -> list[Card]:
    """A pure run, jokers enough to be the second life by themselves, and cards that go together in sets at best."""
    left = Counter(deck)
    left.subtract(hand := [card for card in dict.fromkeys(_run(pick, pick((3, 4, 4, 5)))) if left[card]])
    jokers = [card for card in left.elements() if card.rank in (None, wild)]
    hand += _pick_some(pick, jokers, pick((3, 4, 5, 6)))
    ranks = {pick(tuple(Rank)) for _ in range(3)}
    rest = [card for card in (Counter(deck) - Counter(hand)).elements() if card.rank in ranks - {wild}]
    hand += _pick_some(pick, rest, 13 - len(hand))
    spare = list((Counter(deck) - Counter(hand)).elements())
    return hand + _pick_some(pick, spare, 13 - len(hand))


def _built_groups(pick: Pick[Any], deck: list[Card], wild: Rank | None) -> list[list[Card]]:
    """Groups that fill the hand and are valid as far as the deck has the cards; jokers stand in here and there."""
    left = Counter(deck)
    groups = []
    for length in pick(SHAPES):
        wanted = _set(pick, length) if length <= 4 and pick((False, True)) else _run(pick, length)
        group: list[Card] = []
        for card in wanted:
            jokers = [joker for joker in left if joker.rank in (None, wild) and left[joker]]
            swap = len(group) < length - 1 and jokers and pick((0, 0, 0, 0, 1)) == 1
            if swap or not left[card]:
                group.append(pick(sort_cards(jokers or left.elements())))
            else:
                group.append(card)
            left[group[-1]] -= 1
        groups.append(group)
    return groups


def _change(pick: Pick[Any], hand: list[Card], deck: list[Card], changes: int) -> list[Card]:
    """`hand` with so many cards exchanged for others of the deck."""
    for _ in range(changes):
        rest = sort_cards((Counter(deck) - Counter(hand)).elements())
        hand[pick(range(13))] = pick(rest)
    return hand


def _nearly_complete_hand(pick: Pick[Any], deck: list[Card], wild: Rank | None) -> list[Card]:
    hand = [card for group in _built_groups(pick, deck, wild) for card in group]
    return _change(pick, hand, deck, pick((0, 1, 1, 2)))


HANDS: Final = {
    "random": _random_hand,
    "nearly complete": _nearly_complete_hand,
    "joker-rich": _joker_rich_hand,
    "doubled": _doubled_hand,
    "dense": _dense_hand,
    "joker lives": _joker_lives_hand,
}


def turned_up_choices(rules: RuleSet) -> list[TurnedUp]:
    """What may lie face up, a rank most of the time."""
    return [*map(TurnedUp, Rank), NOTHING_TURNED_UP, *([JOKER_TURNED_UP] if rules.joker_makes_aces_wild else [])]


def make_deal(pick: Pick[Any], rules: RuleSet, kind: str) -> Deal:
    """A deal under `rules`, its hand of that kind of `HANDS`."""
    fewest, most = rules.players
    players, turned_up = pick(range(fewest, most + 1)), pick(turned_up_choices(rules))
    wild = rules.wild_rank(turned_up)
    return Deal(rules, players, turned_up, tuple(HANDS[kind](pick, full_deck(rules, players), wild)))


def make_groups(pick: Pick[Any], deal: Deal, laid_out: Sequence[Sequence[Card]]) -> list[tuple[Card, ...]]:
    """Groups as a player might lay them out: `laid_out`, or parts of the hand; some cards moved, some left loose."""
    hand = list(deal.hand)
    groups: list[list[Card]] = []
    if laid_out and pick((True, True, False)):
        groups = [list(group) for group in laid_out]
        left = Counter(hand)
        left.subtract(card for group in groups for card in group)
        hand = sort_cards(left.elements())
    else:
        for length in pick(SHAPES):
            groups.append(_pick_some(pick, hand, length))
    for _ in range(pick((0, 0, 1, 2, 3))):
        piles = [*groups, hand]
        source, target = pick(range(len(piles))), pick(range(len(piles)))
        if piles[source]:
            card = piles[source].pop(pick(range(len(piles[source]))))
            piles[target].append(card)
    return [tuple(group) for group in groups if group]


def make_laid_out(pick: Pick[Any], rules: RuleSet) -> tuple[Deal, list[tuple[Card, ...]]]:
    """A deal built from groups, and groups laid out from it: as built, or disturbed."""
    fewest, most = rules.players
    players, turned_up = pick(range(fewest, most + 1)), pick(turned_up_choices(rules))
    built = _built_groups(pick, full_deck(rules, players), rules.wild_rank(turned_up))
    deal = Deal(rules, players, turned_up, tuple(card for group in built for card in group))
    return deal, make_groups(pick, deal, built)


def drops(rules: RuleSet) -> list[Drop]:
    """How a player can leave a deal under `rules` before it ends."""
    priced = ((Drop.FIRST, rules.first_drop), (Drop.MIDDLE, rules.middle_drop))
    ways = [drop for drop, points in priced if points is not None]
    plays_on = not rules.wrong_show_ends_deal and rules.wrong_show_puts_out
    return [*ways, Drop.WRONG_SHOW] if plays_on else ways


def make_table(pick: Pick[Any], rules: RuleSet) -> Table:
    """A deal to be settled under `rules`: hands that the packs allow together, and a match now and then."""
    fewest, most = rules.players
    count, turned_up = pick(range(fewest, most + 1)), pick(turned_up_choices(rules))
    ids = [f"p{number}" for number in range(1, count + 1)]
    left = {id_: pick(drops(rules)) for id_ in ids if drops(rules) and pick((False, False, True))}
    stays = [id_ for id_ in ids if id_ not in left]
    if not stays:
        stays = [pick(ids)]
        del left[stays[0]]
    declarer = pick(stays) if len(stays) > 1 else pick([None, stays[0]])
    deck, players = full_deck(rules, count), []
    for id_ in ids:
        question = None
        if (id_ not in left and declarer is not None) or pick((False, False, True)):
            question = _make_question(pick, rules, turned_up, deck, id_ == declarer)
            question = question._replace(players=len(ids))
            deck = list((Counter(deck) - Counter(question.hand)).elements())
        players.append(Player(id_, question, left.get(id_)))
    match = make_match(pick, rules, ids) if rules.matches and pick((True, True, False)) else None
    return Table(rules, turned_up, tuple(players), declarer, pick((True, False)), match)


def _make_question(pick: Pick[Any], rules: RuleSet, turned_up: TurnedUp, deck: list[Card], shows: bool) -> Question:
    """A hand from what is left of the deck; of who shows, a good one more often than not."""
    wild = rules.wild_rank(turned_up)
    built = _built_groups(pick, deck, wild)
    hand = [card for group in built for card in group]
    if shows and pick((True, True, False)):
        return Question(rules, turned_up, tuple(hand), pick((None, tuple(map(tuple, built)))))
    hand = HANDS[pick(tuple(HANDS))](pick, list(deck), wild)
    groups = make_groups(pick, Deal(rules, rules.players[0], turned_up, tuple(hand)), [])
    return Question(rules, turned_up, tuple(hand), pick((None, tuple(groups))))


def make_match(pick: Pick[Any], rules: RuleSet, ids: Sequence[str]) -> Match:
    """A match of these players before a deal; totals near the limit are drawn more often."""
    chosen = pick(rules.matches)
    limit = pick(chosen.limits) if chosen.limits else None
    totals = {id_: pick((0, 1, 20, 21, 60, 61, 80, 81, *([limit - 1, limit - 20] if limit else []))) for id_ in ids}
    if limit is not None and chosen.format == "POOL" and pick((False, True)):
        totals = {"gone": pick((limit, limit + 79)), **totals}
    return Match(chosen.format, limit, pick((1, 2, 3)) if chosen.format == "DEALS" else None, totals)


def _drawing(draw: st.DrawFn) -> Pick[Any]:
    return lambda options: options[draw(st.integers(0, len(options) - 1))]


@st.composite
def deals(draw: st.DrawFn, kinds: Sequence[str] = tuple(HANDS), rule_sets: Sequence[str] = tuple(RULE_SETS)) -> Deal:
    """Any deal of those kinds under those rule sets."""
    pick = _drawing(draw)
    return make_deal(pick, RULE_SETS[pick(rule_sets)], pick(kinds))


@st.composite
def laid_out_deals(draw: st.DrawFn, rule_sets: Sequence[str] = tuple(RULE_SETS)) -> tuple[Deal, list[tuple[Card, ...]]]:
    """A deal and the groups that the player laid out."""
    pick = _drawing(draw)
    rules = RULE_SETS[pick(rule_sets)]
    if pick((True, True, False)):
        return make_laid_out(pick, rules)
    deal = make_deal(pick, rules, pick(tuple(HANDS)))
    return deal, make_groups(pick, deal, [])


@st.composite
def tables(draw: st.DrawFn, rule_sets: Sequence[str] = tuple(RULE_SETS)) -> Table:
    """Any deal that can be settled under those rule sets."""
    pick = _drawing(draw)
    return make_table(pick, RULE_SETS[pick(rule_sets)])


def seeded_deals(seed: int, start: int, stop: int) -> Iterator[Deal]:
    """Deals number `start` to `stop` of a seed; each has its own generator, so any part can be made alone."""
    rule_sets, kinds = list(RULE_SETS.values()), list(HANDS)
    for number in range(start, stop):
        rng = random.Random(f"{seed}:{number}")
        yield make_deal(rng.choice, rule_sets[number % len(rule_sets)], kinds[number // len(rule_sets) % len(kinds)])
