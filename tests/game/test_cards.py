"""Cards and ranks on the wire: every value round-trips, every accepted spelling is one, every near miss is refused."""

import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.game.cards import (
    JOKER,
    JOKER_TURNED_UP,
    NATURAL_CARDS,
    Card,
    Rank,
    Suit,
    TurnedUp,
    name_cards,
    natural_card,
    parse_card,
    parse_rank,
    parse_turned_up,
    sort_cards,
)
from tests.strategies import FIXED

EVERY_CARD = [*NATURAL_CARDS, JOKER]
RANK_SPELLINGS = {rank: list(dict.fromkeys([rank.letter, rank.letter.lower(), rank.symbol])) for rank in Rank}
SUIT_SPELLINGS = {
    Suit.SPADES: ["S", "s", "♠", "♤", "♠\ufe0e", "♠\ufe0f"],
    Suit.HEARTS: ["H", "h", "♥", "♡", "♥\ufe0e", "♥\ufe0f"],
    Suit.DIAMONDS: ["D", "d", "♦", "♢", "♦\ufe0e", "♦\ufe0f"],
    Suit.CLUBS: ["C", "c", "♣", "♧", "♣\ufe0e", "♣\ufe0f"],
}
ACCEPTED = {
    rank_text + suit_text: natural_card(rank, suit)
    for rank in Rank
    for rank_text in RANK_SPELLINGS[rank]
    for suit in Suit
    for suit_text in SUIT_SPELLINGS[suit]
} | dict.fromkeys(["JOKER", "joker", "Joker"], JOKER)
NEAR_MISSES = [
    *(
        "",
        "5",
        "S",
        "5ſ",
        " 5S",
        "5S ",
        "5 S",
        "5SS",
        "S5",
        "5X",
        "5♥♥",
        "5\ufe0f",
        "５S",
        "5Ｓ",
        "5\u2661\ufe0f",
        "5S\n",
    ),
    *("1S", "0S", "11H", "010H", "10", "100H", "TTH", "1OH", "ⅩH", "11", "-5S", "+5S"),
    *("JOKERS", "JOKE", "jOKER", " JOKER", "*", "🃏", "NULL", "None"),
]


@pytest.mark.parametrize("card", EVERY_CARD, ids=repr)
def test_a_card_round_trips(card: Card) -> None:
    assert parse_card(card.code) is card
    assert parse_card(card.symbol) is card
    assert pickle.loads(pickle.dumps(card)) is card  # noqa: S301 - our own bytes
    assert repr(card) == card.code


def test_there_are_53_kinds_of_card() -> None:
    """Each has a code, a symbol and a place of its own."""
    assert [len({card.code for card in EVERY_CARD}), len({card.symbol for card in EVERY_CARD})] == [53, 53]
    assert [card.order for card in EVERY_CARD] == list(range(53))


def test_codes_are_the_canonical_ones_of_the_contract() -> None:
    """ "Rank `A 2 3 4 5 6 7 8 9 T J Q K` + suit `S H D C`, e.g. `TH`. Printed joker: `JOKER`" (spec, section 1)."""
    assert [card.code for card in EVERY_CARD] == [r + s for s in "SHDC" for r in "A23456789TJQK"] + ["JOKER"]


@pytest.mark.parametrize("text", ACCEPTED, ids=ascii)
def test_accepted_spellings_are_normalised(text: str) -> None:
    """ "Accepted on input as well: lower case, `10H`, and `5♥` style suit symbols" (spec, section 1)."""
    assert parse_card(text) is ACCEPTED[text]


@pytest.mark.parametrize("text", NEAR_MISSES, ids=ascii)
def test_near_misses_are_no_cards(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        parse_card(text)


@FIXED
@given(st.text(alphabet=st.characters() | st.sampled_from("A23456789TJQKSHDCshdc♠♥♦♣10"), max_size=4))
@example("5ſ")
def test_nothing_else_is_a_card(text: str) -> None:
    if text in ACCEPTED:
        assert parse_card(text) is ACCEPTED[text]
    else:
        with pytest.raises(ValueError, match="is not a card"):
            parse_card(text)


@pytest.mark.parametrize("rank", Rank)
def test_a_rank_round_trips_in_every_spelling(rank: Rank) -> None:
    """A rank is `"7"`, and `"10"` and `"T"` are alike (spec, section 1)."""
    assert {parse_rank(text) for text in RANK_SPELLINGS[rank]} == {rank}
    assert parse_rank(rank.letter).letter == rank.letter


@pytest.mark.parametrize(
    "text", ["", "1", "0", "11", "JOKER", "joker", " 7", "7 ", "７", "AA", "X", "None", "7S", "01"]
)
def test_near_misses_are_no_ranks(text: str) -> None:
    with pytest.raises(ValueError, match="is not a rank"):
        parse_rank(text)


def test_what_is_turned_up_is_a_rank_or_a_printed_joker() -> None:
    assert [parse_turned_up(text) for text in ("10", "JOKER", "joker", "Joker")] == [
        TurnedUp(Rank.TEN),
        *[JOKER_TURNED_UP] * 3,
    ]
    with pytest.raises(ValueError, match="'jOKER' is not a rank"):
        parse_turned_up("jOKER")


def test_cards_are_listed_by_suit_and_rank() -> None:
    """Suit by suit from ace to king, then jokers."""
    cards = [parse_card(code) for code in ["JOKER", "KC", "AC", "5D", "TH", "2H", "KS", "AS", "AS"]]
    assert name_cards(sort_cards(cards)) == "A♠ A♠ K♠ 2♥ 10♥ 5♦ A♣ K♣ Joker"


def test_a_natural_card_has_its_rank_and_suit() -> None:
    assert all(natural_card(rank, suit).rank is rank for rank in Rank for suit in Suit)
    assert all(natural_card(rank, suit).suit is suit for rank in Rank for suit in Suit)
    assert JOKER.rank is None
    assert JOKER.suit is None
