"""Makes the three fixed corpora anew: `python -m bench generate`. A test compares its output with the files.

The rule sets take turns, and every hand is dealt from its rule set's own cards, at the table with the most packs.
"""

from collections import Counter
from collections.abc import Callable
from itertools import cycle, islice
from random import Random
from typing import Final

from bench.corpora import CORPORA, Deal, corpus_text, rule_sets
from bench.hands import JOKERS_IN_GROUPS, LOOSE_CARDS, full_deck, pick, shuffled
from service.game.cards import JOKER, JOKER_TURNED_UP, Card, Rank, Suit, TurnedUp, natural_card
from service.game.rules import HAND_SIZE, RuleSet

HANDS: Final = 2000
# Named one by one: a rule set that is added later leaves the corpora as they are.
RULE_SETS: Final = ("face-value-duel", "family-13", "online-13", "rulebook-13", "two-row-duel")
# More jokers than nine fill the hand up, whatever the rest is.
FEWEST_JOKERS: Final = 3
MAX_JOKERS: Final = 9


def _turned_up(card: Card) -> TurnedUp:
    return JOKER_TURNED_UP if card.rank is None else TurnedUp(card.rank)


def random_deal(random: Random, rules: RuleSet) -> Deal:
    """A card turned up, and 13 of the others."""
    first, *rest = shuffled(random, full_deck(rules))
    return Deal(rules, _turned_up(first), tuple(rest[:HAND_SIZE]))


def built_deal(random: Random, rules: RuleSet) -> Deal:
    """A hand made of groups, some with jokers, in which up to two cards were then changed for others."""
    first, *rest = shuffled(random, full_deck(rules))
    turned_up = _turned_up(first)
    wild = rules.wild_rank(turned_up)
    left = Counter(rest)
    hand: list[Card] = []
    while (room := HAND_SIZE - len(hand)) >= 3:
        group = Counter(_group(random, pick(random, [size for size in (3, 3, 4, 5) if size <= room]), left, wild))
        if group <= left:
            left -= group
            hand += group.elements()
    hand = shuffled(random, hand)[pick(random, LOOSE_CARDS) :]
    hand += shuffled(random, list(left.elements()))[: HAND_SIZE - len(hand)]
    return Deal(rules, turned_up, tuple(shuffled(random, hand)))


def _group(random: Random, size: int, left: Counter[Card], wild: Rank | None) -> list[Card]:
    if random.random() < 0.5 and size <= len(Suit):
        rank = pick(random, list(Rank))
        cards = [natural_card(rank, suit) for suit in sorted(Suit, key=lambda _: random.random())[:size]]
    else:
        suit = pick(random, list(Suit))
        start = int(random.random() * (len(Rank) + 2 - size))
        cards = [natural_card(Rank((start + place) % len(Rank)), suit) for place in range(size)]
    jokers = [card for card in left.elements() if card is JOKER or card.rank is wild]
    return [pick(random, jokers) if jokers and random.random() < JOKERS_IN_GROUPS else card for card in cards]


def joker_rich_deal(random: Random, rules: RuleSet) -> Deal:
    """Three to nine jokers, printed or wild, as far as the packs have them; the rest is random."""
    wild = pick(random, list(Rank))
    cards = shuffled(random, full_deck(rules))
    jokers = [card for card in cards if card is JOKER or card.rank is wild]
    others = [card for card in cards if card is not JOKER and card.rank is not wild]
    count = pick(random, range(FEWEST_JOKERS, min(MAX_JOKERS, len(jokers)) + 1))
    return Deal(rules, TurnedUp(wild), tuple(shuffled(random, jokers[:count] + others[: HAND_SIZE - count])))


DEALERS: Final[dict[str, tuple[int, Callable[[Random, RuleSet], Deal]]]] = {
    "built": (2, built_deal),
    "joker-rich": (3, joker_rich_deal),
    "random": (1, random_deal),
}


def generate(name: str) -> str:
    """The text of the corpus called `name`, the same on every run."""
    seed, dealer = DEALERS[name]
    random = Random(seed)
    deals = [dealer(random, rules) for rules in islice(cycle(rule_sets()[name] for name in RULE_SETS), HANDS)]
    provenance = [
        f"{HANDS} hands, seed {seed}, made by `python -m bench generate`; the rule sets take turns.",
        (dealer.__doc__ or "").strip(),
        "Each line: rule set, wild rank (- for none, JOKER for a printed joker turned up), 13 cards.",
    ]
    return corpus_text(provenance, deals)


def main(_: list[str]) -> None:
    for name in DEALERS:
        (CORPORA / f"{name}.txt").write_text(generate(name), encoding="utf-8")
