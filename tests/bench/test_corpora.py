"""The corpora are what they say: made by the seeded generator, and dealt from the cards that their rule sets have."""

from collections import Counter
from pathlib import Path

import pytest

from bench.corpora import CORPORA, Deal, parse_deal, read_corpus
from bench.generate import DEALERS, FEWEST_JOKERS, HANDS, MAX_JOKERS, RULE_SETS, generate
from service.game.cards import JOKER, NATURAL_CARDS, NOTHING_TURNED_UP

FILES = sorted(CORPORA.glob("*.txt"))
GOOD_LINE = "online-13 7 AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS JOKER"


def jokers_in(deal: Deal) -> int:
    return sum(card is JOKER or card.rank is deal.wild for card in deal.hand)


@pytest.mark.parametrize("name", DEALERS)
def test_the_generator_makes_the_file_again(name: str) -> None:
    assert (CORPORA / f"{name}.txt").read_text(encoding="utf-8") == generate(name)


@pytest.mark.parametrize("name", DEALERS)
def test_every_rule_set_has_the_same_share(name: str) -> None:
    shares = Counter(deal.rules.name for deal in read_corpus(CORPORA / f"{name}.txt"))
    assert shares == dict.fromkeys(RULE_SETS, HANDS // len(RULE_SETS))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_hand_has_more_of_a_card_than_the_packs(path: Path) -> None:
    for deal in read_corpus(path):
        deck = deal.rules.deck(None)
        held = Counter(deal.hand)
        assert held[JOKER] <= deck.printed_jokers, deal.line
        assert all(held[card] <= deck.packs for card in NATURAL_CARDS), deal.line


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_deals_read_and_written_are_the_same_lines(path: Path) -> None:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert [deal.line for deal in read_corpus(path)] == lines


def test_joker_rich_hands_hold_three_to_nine_jokers() -> None:
    counts = {jokers_in(deal) for deal in read_corpus(CORPORA / "joker-rich.txt")}
    assert counts == set(range(FEWEST_JOKERS, MAX_JOKERS + 1))


def test_no_wild_rank_is_written_as_a_hyphen() -> None:
    line = GOOD_LINE.replace(" 7 ", " - ", 1)
    deal = parse_deal(line)
    assert (deal.turned_up, deal.wild, deal.line) == (NOTHING_TURNED_UP, None, line)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("online-13", "offline-13", "no rule set 'offline-13'"),
        (" JOKER", "", "12 cards"),
        ("AS", "1S", "'1S' is not a card"),
        (" 7 ", " 1 ", "'1' is not a rank"),
    ],
)
def test_a_faulty_line_is_named(old: str, new: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(f"# two hands\n{GOOD_LINE}\n{GOOD_LINE.replace(old, new, 1)}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"^mine\.txt:3: {fault}"):
        read_corpus(path)
