"""The rule texts, clause by clause: each test quotes the sentence that it proves."""

import pytest

from service.game.arrangement import Charge
from service.game.cards import name_cards
from service.game.melds import Kind
from tests.game.table import cards, codes, read, score, show

PURE, IMPURE, SET, NONE = Kind.PURE_SEQUENCE, Kind.IMPURE_SEQUENCE, Kind.SET, Kind.NONE


class TestFaceValueDuel:
    """face-value-duel.txt"""

    @pytest.mark.parametrize("group", ["AH 2H 3H", "AS KS QS JS", "JD 10D 9D 8D", "2C 3C 4C 5C 6C 7C"])
    def test_sequences_of_the_text(self, group: str) -> None:
        """ "For instance A-2-3, A-K-Q-J, J-10-9-8 and 2-3-4-5-6-7 are all sequences." """
        assert read(group, "4" if "4C" not in group else "A", "face-value-duel").kind is PURE

    def test_a_sequence_is_of_one_suit(self) -> None:
        """ "three or more cards of consecutive numbers/values of the same suit" """
        assert read("AH 2H 3D", rule_set="face-value-duel").kind is NONE
        assert read("AH 2H", rule_set="face-value-duel").kind is NONE

    def test_2_k_4_5_with_kings_wild(self) -> None:
        """ "if K is the joker, then 2-K-4-5 is a legitimate sequence if 2, 4 and 5 are of the same suit. Here K is
        used as the 3 of the same suit"
        """
        group = read("2H KC 4H 5H", "K", "face-value-duel")
        assert (group.kind, group.cards, group.plays_as) == (IMPURE, cards("2H KC 4H 5H"), cards("2H 3H 4H 5H"))
        assert read("2H KC 4H 5D", "K", "face-value-duel").kind is NONE

    @pytest.mark.parametrize("group", ["3S 3H 3D", "AS AH AD AC"])
    def test_sets_of_the_text(self, group: str) -> None:
        """ "3-3-3 and A-A-A-A are examples of sets." """
        assert read(group, "K", "face-value-duel").kind is SET

    def test_3_k_3_with_kings_wild(self) -> None:
        """ "if K is the joker, then 3-K-3 is a legitimate set" """
        group = read("3S KC 3H", "K", "face-value-duel")
        assert (group.kind, group.plays_as) == (SET, cards("3S 3H 3D"))

    def test_a_set_has_three_or_four_cards(self) -> None:
        """ "a minimum of 3 cards and no more than 4 cards of the same face value" """
        assert read("3S 3H", "K", "face-value-duel").kind is NONE
        assert read("3S 3H 3D 3C KS", "K", "face-value-duel").kind is NONE

    def test_a_joker_used_for_its_face_value_is_no_joker(self) -> None:
        """ "If a joker is used for its face value, it is not seen as being used as a joker." """
        assert read("TS JS QS KS", "K", "face-value-duel").kind is PURE
        assert read("TS JS QS KH", "K", "face-value-duel").kind is IMPURE

    def test_a_pure_sequence_of_four_is_needed_to_show(self) -> None:
        """ "Have at least one pure sequence with a minimum of 4 cards." """
        four = show("face-value-duel", "4H 5H 6H 7H | 2S 2H 2D | 9S 9H 9C | KS KH KD", "Q")
        assert (four.valid, four.points, four.reasons) == (True, 0, ())
        three = show("face-value-duel", "4H 5H 6H | 2S 2H 2D 2C | 9S 9H 9C | KS KH KD", "Q")
        assert (three.valid, codes(three)) == (False, ["FIRST_LIFE_TOO_SHORT"])

    def test_all_13_cards_must_be_arranged(self) -> None:
        """ "Arrange all 13 cards in hand as sequences and sets." """
        verdict = show("face-value-duel", "4H 5H 6H 7H | 2S 2H 2D | 9S 9H 9C", "Q", loose="KS KH 3D")
        assert (verdict.valid, codes(verdict)) == (False, ["UNGROUPED_CARDS"])

    def test_a_wrong_show_loses_the_deal(self) -> None:
        """ "If the player's hand meets the objective, he is declared the winner. If not, the opponent is declared the
        winner"
        """
        verdict = show("face-value-duel", "4H 5H 6H 7H | 2S 2H 2D | 9S 9H 9C", "Q", loose="KS KH 3D")
        assert (verdict.wrong_show, verdict.points, verdict.deal) == (True, 13 + 13 + 3, "ENDS")

    def test_values_of_the_cards(self) -> None:
        """ "A is 1 point, the numbered cards have the same points as their face value and J is 11, Q is 12 and K is
        13 points."
        """
        verdict = score("face-value-duel", "AS", None, loose="2H 4D 6C 8S TH QD KC JS 3H 5D 7C 9H")
        found = {charge.card.code[0]: charge.points for charge in verdict.best.charges}
        assert found == dict(zip("A23456789TJQK", range(1, 14), strict=True))

    def test_a_joker_left_over_has_the_value_of_its_card(self) -> None:
        """ "The number of points associated with the joker is taken as the value of the card which is selected as the
        joker."
        """
        verdict = score("face-value-duel", "4H 5H 6H 7H | 2S 2H 2D | 9S 9H 9C", "K", loose="KS QH JD")
        assert verdict.submitted is not None
        assert Charge(cards("KS")[0], 13) in verdict.submitted.charges
        assert verdict.points == 13 + 12 + 11

    def test_with_a_pure_sequence_ungrouped_cards_count(self) -> None:
        """ "If the loser declared at least one legitimate pure sequence, then the only points they get are for cards
        that are not declared as part of any legitimate set or sequence."
        """
        verdict = score("face-value-duel", "4H 5H 6H | 2S 2H 2D | 9S 9H 9C", "Q", loose="KS JH AD 7C")
        assert verdict.points == 13 + 11 + 1 + 7

    def test_without_a_pure_sequence_all_13_cards_count(self) -> None:
        """ "In the event that the loser has not declared a legitimate pure sequence, his points are the sum of the
        values of all 13 cards in his hand."
        """
        verdict = score("face-value-duel", "4H 5H QC | 2S 2H 2D | 9S 9H 9C", "Q", loose="KS JH AD 7C")
        assert verdict.points == 4 + 5 + 12 + 6 + 27 + 13 + 11 + 1 + 7


class TestFamily13:
    """family-13.txt"""

    @pytest.mark.parametrize(("group", "kind"), [("QS KS AS", PURE), ("AS 2S 3S", PURE), ("KS AS 2S", NONE)])
    def test_a_sequence_cannot_wrap_round(self, group: str, kind: Kind) -> None:
        """ "A sequence can't wrap round: Q-K-A is valid and A-2-3 is valid, but K-A-2 is not." """
        assert read(group, "9", "family-13").kind is kind

    @pytest.mark.parametrize("group", ["KS AS 2S JOKER", "QS KS AS 2S", "KS AS JOKER 3S"])
    def test_no_joker_helps_round_the_ace(self, group: str) -> None:
        """ "A sequence can't wrap round" """
        assert read(group, "9", "family-13").kind is NONE

    def test_nine_of_spades_twice_and_nine_of_diamonds(self) -> None:
        """ "In a set, every card must be a different suit. 9♠ 9♠ 9♦ (using cards from both decks) is not a valid
        set."
        """
        assert read("9♠ 9♠ 9♦", "5", "family-13").kind is NONE

    def test_sevens_wild_and_6_7_8_of_clubs(self) -> None:
        """ "A wild joker used in its natural place still counts as pure. If sevens are wild, 6♣ 7♣ 8♣ is a pure
        sequence."
        """
        assert read("6♣ 7♣ 8♣", "7", "family-13").kind is PURE
        assert read("6♣ 7♥ 8♣", "7", "family-13").kind is IMPURE

    @pytest.mark.parametrize(
        ("group", "kind"), [("JOKER JOKER JOKER", NONE), ("JOKER 7S 7H", IMPURE), ("7S 7H 7S", IMPURE)]
    )
    def test_jokers_alone_are_no_pure_sequence(self, group: str, kind: Kind) -> None:
        """ "A sequence made entirely of jokers is generally not accepted as your pure sequence." (Read as a sequence,
        one wild card at least is itself and another stands in.)
        """
        verdict = show("family-13", f"2S 3S 4S | {group} | 9S 9H 9D | KS KH KD KC", "7")
        assert verdict.submitted is not None
        assert verdict.submitted.groups[1].kind is kind

    def test_a_declaration_needs_two_sequences(self) -> None:
        """ "at least two sequences" """
        verdict = show("family-13", "2S 3S 4S | 8S 8H 8D | 9S 9H 9D | KS KH KD KC", "7")
        assert (verdict.valid, codes(verdict)) == (False, ["NO_SECOND_SEQUENCE"])

    def test_a_declaration_needs_a_pure_sequence(self) -> None:
        """ "at least one pure sequence" """
        verdict = show("family-13", "2S 3S 7H | 8S 9S JOKER | 9S 9H 9D | KS KH KD KC", "7")
        assert (verdict.valid, codes(verdict)) == (False, ["NO_PURE_SEQUENCE"])

    def test_a_declaration_needs_every_remaining_card_in_groups(self) -> None:
        """ "every remaining card in valid sequences or sets" """
        verdict = show("family-13", "2S 3S 4S | 8S 9S JOKER | 9S 9H 9D | KS KH KD", "7", loose="KC")
        assert (verdict.valid, codes(verdict)) == (False, ["UNGROUPED_CARDS"])
        assert show("family-13", "2S 3S 4S | 8S 9S JOKER | 9S 9H 9D | KS KH KD KC", "7").valid

    def test_no_pure_sequence_all_13_cards_count(self) -> None:
        """ "No pure sequence: all 13 cards count, even ones in sets or impure sequences." """
        verdict = score("family-13", "2S 3S 7H | 4S 4H 4D | 5S 5H 5D | 6S 6H 6D 6C", "7")
        assert verdict.points == 2 + 3 + 12 + 15 + 24

    def test_a_pure_sequence_but_no_second_all_else_counts(self) -> None:
        """ "A pure sequence but no second sequence: all cards except the pure sequence count." """
        verdict = score("family-13", "2S 3S 4S | 4S 4H 4D | 5S 5H 5D | 6S 6H 6D 6C", "7")
        assert verdict.points == 12 + 15 + 24

    def test_two_sequences_only_cards_outside_groups_count(self) -> None:
        """ "Two sequences including a pure one: only cards outside valid groups count." """
        verdict = score("family-13", "2S 3S 4S | 8H 9H JOKER | 5S 5H 5D", "7", loose="KS QH 2D 4C")
        assert verdict.points == 10 + 10 + 2 + 4

    def test_a_losing_hand_is_capped(self) -> None:
        """ "A losing hand is capped at 80 points." """
        verdict = score("family-13", "KS KH KD KC", "7", loose="QS QH TS TD TC 9H 8D 8C 2S")
        assert sum(charge.points for charge in verdict.best.charges) == 117
        assert verdict.points == 80

    def test_a_wrong_declaration(self) -> None:
        """ "A wrong declaration (claiming a finish that isn't valid) usually costs the full 80 points, and play
        continues for the others."
        """
        verdict = show("family-13", "2S 3S 4S | 8H 9H JOKER | 5S 5H 5D | KS KH KD", "7", loose="2D")
        assert (verdict.wrong_show, verdict.points, verdict.deal) == (True, 80, "CONTINUES")


class TestOnline13:
    """online-13.txt"""

    def test_a_printed_joker_turned_over_makes_the_aces_wild(self) -> None:
        """ "If a printed joker is turned over, all Aces become wild." """
        group = read("8S AD TS", "JOKER")
        assert (group.kind, group.plays_as) == (IMPURE, cards("8S 9S TS"))

    def test_every_card_of_the_wild_rank_is_a_joker(self) -> None:
        """ "Every card of that rank becomes a joker, regardless of suit." """
        assert [read(f"8S 4{suit} TS", "4").kind for suit in "SHDC"] == [IMPURE] * 4

    @pytest.mark.parametrize(("group", "kind"), [("AD 2D 3D", PURE), ("QD KD AD", PURE), ("KD AD 2D", NONE)])
    def test_aces_can_be_low_or_high(self, group: str, kind: Kind) -> None:
        """ "Aces can be low or high, so A, 2, 3 and Q, K, A are both valid, but K, A, 2 is not." """
        assert read(group, "9").kind is kind

    def test_5_6_and_7_of_hearts(self) -> None:
        """ "For example, 5, 6 and 7 of hearts form a pure sequence." """
        assert read("5H 6H 7H", "9").kind is PURE

    @pytest.mark.parametrize("group", ["8S 8H 8D", "8S 8H 8D 8C", "8S JOKER 8D", "8S 8H 8D JOKER"])
    def test_sets(self, group: str) -> None:
        """ "A set contains three or four cards of the same rank, each from a different suit. Jokers can replace
        missing cards"
        """
        assert read(group, "2").kind is SET

    @pytest.mark.parametrize("group", ["8S 8H", "8S 8S 8D", "8S 8H 8D 8C JOKER", "8S 8H 9D"])
    def test_no_sets(self, group: str) -> None:
        """ "three or four cards of the same rank, each from a different suit" """
        assert read(group, "2").kind is NONE

    def test_a_wild_card_in_its_natural_position(self) -> None:
        """ "A wild-rank card can count in a pure sequence if it is used in its natural position. However, neither a
        printed joker nor a wild card replacing a missing card can make a sequence pure."
        """
        assert read("8S 9S TS", "9").kind is PURE
        assert read("8S 9H TS", "9").kind is IMPURE
        assert read("8S JOKER TS", "9").kind is IMPURE

    def test_king_nine_and_four_make_23(self) -> None:
        """ "Ruby declares while you have a pure sequence and a set, leaving the King of spades, 9 of diamonds and 4 of
        clubs unmatched. You score 23 points." (With 10 cards grouped, the run has six or seven: two sequences.)
        """
        verdict = score("online-13", "2H 3H 4H | 5H 6H 7H 8H | JS JH JD", "Q", loose="KS 9D 4C")
        assert verdict.points == verdict.best.points == 23
        assert name_cards(charge.card for charge in verdict.best.charges) == "K♠ 9♦ 4♣"

    def test_23_points_with_a_run_of_six_and_a_set_of_four(self) -> None:
        """The same clause: the other way to group ten cards."""
        verdict = score("online-13", "2H 3H 4H | 5H 6H 7H | JS JH JD JC", "Q", loose="KS 9D 4C")
        assert verdict.points == verdict.best.points == 23

    def test_96_is_capped_at_80(self) -> None:
        """ "Max has no pure sequence, so all 13 cards count. His total of 96 is capped at 80." """
        verdict = score("online-13", "KS KH KD", "2", loose="AS JD QC TS 9H 8D 4C 3S 2H 2D")
        assert sum(charge.points for charge in verdict.best.charges) == 94
        assert verdict.points == verdict.best.points == 80

    def test_card_values(self) -> None:
        """ "Aces and picture cards count 10, number cards count their face value, and jokers count 0." """
        verdict = score("online-13", "AS", "5", loose="2H 4D 6C 8S TH QD KC JS 3H 5D 7C JOKER")
        found = {charge.card.code: charge.points for charge in verdict.best.charges}
        court = dict.fromkeys(["AS", "TH", "QD", "KC", "JS"], 10)
        assert found == court | {"2H": 2, "4D": 4, "6C": 6, "8S": 8, "3H": 3, "5D": 0, "7C": 7, "JOKER": 0}

    def test_only_the_pure_sequence_is_excluded(self) -> None:
        """ "With a pure sequence but no second sequence, only the pure sequence is excluded." """
        verdict = score("online-13", "2H 3H 4H | 5S 5H 5D | 6S 6H 6D", "Q", loose="KS 9D 4C 2C")
        assert verdict.points == 15 + 18 + 10 + 9 + 4 + 2

    def test_a_wrong_show_costs_80_and_ends_the_deal(self) -> None:
        """ "An invalid declaration is called a wrong show and costs 80 points, ending the deal." """
        verdict = show("online-13", "2H 3H 4H | 5S 5H 5D | 6S 6H 6D | 7S 8S JOKER", "Q", loose="2C")
        assert (verdict.valid, verdict.wrong_show, verdict.points, verdict.deal) == (False, True, 80, "ENDS")

    def test_a_valid_declaration_scores_0(self) -> None:
        """ "A valid declaration scores 0" """
        verdict = show("online-13", "2H 3H 4H | 5S 5H 5D | 6S 6H 6D | 7S 8S 9S JOKER", "Q")
        assert (verdict.valid, verdict.wrong_show, verdict.points, verdict.deal) == (True, False, 0, "ENDS")


class TestRulebook13:
    """rulebook-13.txt"""

    def test_a_joker_for_the_third_eight(self) -> None:
        """ "8♥ 8♠ Joker is a valid set where the joker represents the missing third eight." """
        group = read("8♥ 8♠ Joker", "2", "rulebook-13")
        assert (group.kind, group.plays_as) == (SET, cards("8S 8H 8D"))

    def test_two_hearts_in_a_set(self) -> None:
        """ "A set such as 8♥ 8♥ 8♠ is invalid because it uses two hearts." """
        assert read("8♥ 8♥ 8♠", "2", "rulebook-13").kind is NONE

    def test_a_fifth_card_in_a_set(self) -> None:
        """ "If you try to add a fifth card you would have to repeat a suit, which is not allowed - even with a
        joker."
        """
        assert read("8♥ 8♠ 8♦ 8♣ JOKER", "2", "rulebook-13").kind is NONE
        assert read("8♥ 8♠ 8♦ JOKER JOKER", "2", "rulebook-13").kind is NONE

    def test_five_to_seven_of_diamonds_with_a_joker(self) -> None:
        """ "A joker turns 5♦ _ 7♦ into a valid run by filling the gap." """
        group = read("5♦ JOKER 7♦", "2", "rulebook-13")
        assert (group.kind, group.plays_as) == (IMPURE, cards("5♦ 6♦ 7♦"))

    def test_the_four_fours(self) -> None:
        """ "If the 4♦ is drawn, then all four 4s (4♥ 4♠ 4♣ 4♦) act as jokers." """
        assert {read(f"TS {four} QS", "4", "rulebook-13").kind for four in ("4♥", "4♠", "4♣", "4♦")} == {IMPURE}

    def test_a_joker_anywhere_makes_a_sequence_impure(self) -> None:
        """ "a joker anywhere inside a sequence makes it impure" """
        groups = ["JOKER 6S 7S 8S", "5S JOKER 7S 8S", "5S 6S 7S JOKER"]
        assert [read(group, "2", "rulebook-13").kind for group in groups] == [IMPURE] * 3

    def test_the_ace_does_not_wrap_around(self) -> None:
        """ "the Ace is usually low (A-2-3) but can also be high (Q-K-A); it does not wrap around (you cannot make
        K-A-2)"
        """
        groups = ["AC 2C 3C", "QC KC AC", "KC AC 2C"]
        assert [read(group, "9", "rulebook-13").kind for group in groups] == [PURE, PURE, NONE]

    def test_the_first_life_has_four_cards(self) -> None:
        """ "A pure sequence of four or more cards is your First Life" """
        four = show("rulebook-13", "2H 3H 4H 5H | 7S 8S JOKER | 6S 6H 6D | KS KH KD", "Q")
        assert (four.valid, four.points) == (True, 0)
        three = show("rulebook-13", "2H 3H 4H | 7S 8S 9S | 6S 6H 6D 6C | KS KH KD", "Q")
        assert (three.valid, codes(three)) == (False, ["FIRST_LIFE_TOO_SHORT"] * 2)
        assert three.submitted is not None
        assert three.submitted.points == 80

    def test_three_perfect_sets_and_one_impure_sequence(self) -> None:
        """ "You could hold three perfect sets and one impure sequence, but with no pure sequence the entire hand is
        invalid and scores the full 80-point penalty."
        """
        verdict = show("rulebook-13", "2S 2H 2D | 6S 6H 6D | KS KH KD | TC JC QC JOKER", "4")
        assert (verdict.valid, verdict.points, verdict.deal) == (False, 80, "CONTINUES")
        assert codes(verdict) == ["NO_PURE_SEQUENCE", "NO_SECOND_SEQUENCE"]

    def test_sets_can_never_be_the_sequences(self) -> None:
        """ "they can never satisfy the sequence requirement - you still need two sequences regardless of how many sets
        you have"
        """
        verdict = show("rulebook-13", "2S 2H 2D 2C | 6S 6H 6D | TS TH TC | KS KH KD", "4")
        assert (verdict.valid, codes(verdict)) == (False, ["NO_PURE_SEQUENCE", "NO_SECOND_SEQUENCE"])

    def test_without_a_first_life_cards_in_groups_count(self) -> None:
        """ "If you have not formed your First Life (pure sequence), every card in your hand counts as ungrouped - so
        even cards sitting in otherwise-valid groups are penalised, up to the 80-point cap."
        """
        verdict = score("rulebook-13", "2S 2H 2D 2C | 6S 6H 6D | 3S 3H 3D | 7H 8H 9H", "4")
        assert verdict.points == 8 + 18 + 9 + 24
        high = score("rulebook-13", "2S 2H 2D 2C | 6S 6H 6D | TS TH TD | KS KH KD", "4")
        assert high.points == 80

    def test_with_a_first_life_only_ungrouped_cards_count(self) -> None:
        """ "But if you have formed your First Life, only your genuinely ungrouped cards count against you; cards
        already in valid groups score nothing."
        """
        verdict = score("rulebook-13", "2S 3S 4S 5S | 6S 6H 6D | TS TH TD", "9", loose="KS 8H 2C")
        assert verdict.points == 10 + 8 + 2

    def test_an_invalid_show_costs_80_and_the_round_goes_on(self) -> None:
        """ "If your hand is invalid - for instance, you forgot the pure sequence - you take the full 80-point penalty
        instead, and the round continues for the remaining players."
        """
        verdict = show("rulebook-13", "2S 3S 4S 5S | 6S 6H 6D | 9S 9H 9D", "4", loose="KS 8H 2C")
        assert (verdict.wrong_show, verdict.points, verdict.deal) == (True, 80, "CONTINUES")


class TestTwoRowDuel:
    """two-row-duel.txt"""

    @pytest.mark.parametrize(
        ("group", "loose"),
        [
            ("2S 3S 4S", "AS 6C QD TC 4H 7D 2C"),
            ("2S 3S 4S 5S", "6C QD TC 4H 7D 2C"),
            ("2S 3S 4S 5S 6S", "QD TC 4H 7D 2C"),
        ],
    )
    def test_sequence_1_has_three_to_five_cards(self, group: str, loose: str) -> None:
        """ "Sequence 1 | Pure sequence, 3 to 5 cards" """
        verdict = score("two-row-duel", f"{group} | 8H 9H JOKER", "K", loose)
        assert verdict.submitted is not None
        assert [part.life for part in verdict.submitted.groups] == ["FIRST", "SECOND"]

    def test_a_row_of_six_is_no_sequence_1(self) -> None:
        """ "Pure sequence, 3 to 5 cards" """
        verdict = show("two-row-duel", "2S 3S 4S 5S 6S 7S | 8H 9H JOKER | JS JH JD JC", "K")
        assert (verdict.valid, codes(verdict)) == (False, ["FIRST_LIFE_TOO_LONG"])

    def test_a_row_of_six_is_no_sequence_2(self) -> None:
        """ "Second sequence, 3 to 5 cards" """
        verdict = show("two-row-duel", "2S 3S 4S | 6H 7H 8H 9H TH JOKER | JS JH JD JC", "K")
        assert (verdict.valid, codes(verdict)) == (False, ["SECOND_LIFE_TOO_LONG"])

    def test_a_third_sequence_may_be_long(self) -> None:
        """ "Once both required sequences are valid, the rest of your cards may be arranged into additional melds." """
        assert show("two-row-duel", "2S 3S 4S | 5H 6H JOKER | 3D 4D 5D 6D 7D 8D 9D", "K").valid

    def test_no_wild_card_in_sequence_1_even_in_its_own_place(self) -> None:
        """ "Same suit, consecutive ranks, no wilds or jokers" """
        assert read("2S 3S 4S", "3", "two-row-duel").kind is IMPURE
        verdict = show("two-row-duel", "2S 3S 4S | 8H 9H JOKER | 5S 5H 5D 5C | QS QH QD", "3")
        assert (verdict.valid, codes(verdict)) == (False, ["NO_PURE_SEQUENCE", "WILD_IN_FIRST_LIFE"])

    def test_sequence_2_may_have_wilds_and_jokers(self) -> None:
        """ "Still a sequence only, but wilds and jokers are allowed" """
        assert show("two-row-duel", "2S 3S 4S | 8H 6D JOKER | 5S 5H 5D 5C | QS QH QD", "6").valid

    def test_sequence_2_is_a_sequence_only(self) -> None:
        """ "Still a sequence only" """
        verdict = show("two-row-duel", "2S 3S 4S | 8H 8D JOKER | 5S 5H 5D 5C | QS QH QD", "6")
        assert (verdict.valid, codes(verdict)) == (False, ["NO_SECOND_SEQUENCE"])

    def test_all_eights_are_wild(self) -> None:
        """ "if the indicator card is an 8, then all 8s act as wild cards during that hand" """
        assert {read(f"2S 8{suit} 4S", "8", "two-row-duel").kind for suit in "SHDC"} == {IMPURE}

    def test_printed_jokers_are_no_meld_by_themselves(self) -> None:
        """ "Printed jokers cannot form a valid meld by themselves. They are used to help complete a set or
        sequence."
        """
        assert read("JOKER JOKER JOKER", "8", "two-row-duel").kind is NONE
        assert read("JOKER 5H 5D", "8", "two-row-duel").kind is SET

    def test_no_valid_sequence_1(self) -> None:
        """ "No valid Sequence 1 | The entire 13-card hand counts as deadwood" """
        verdict = score("two-row-duel", "2S 3S JOKER | 5S 5H 5D 5C | QS QH QD | 9S 9H 9D", "8")
        assert verdict.points == 5 + 20 + 30 + 27

    def test_sequence_1_and_no_sequence_2(self) -> None:
        """ "Sequence 1 is valid, but Sequence 2 is not | Everything except Sequence 1 counts as deadwood" """
        verdict = score("two-row-duel", "2S 3S 4S | 5S 5H 5D 5C | QS QH QD | 9S 9H 9D", "8")
        assert verdict.points == 20 + 30 + 27

    def test_both_sequences(self) -> None:
        """ "Both required sequences are valid | Only the leftover unmatched cards count as deadwood" """
        verdict = score("two-row-duel", "2S 3S 4S | 5S 6S 7S | QS QH QD", "8", loose="KS 9H 2D 4C")
        assert verdict.points == 10 + 9 + 2 + 4

    def test_jokers_count_nothing(self) -> None:
        """ "Jokers count as 0 points in deadwood." """
        verdict = score("two-row-duel", "2S 3S 4S | 5S 6S 7S | QS QH QD", "8", loose="JOKER 8H 2D 4C")
        assert verdict.points == 2 + 4

    def test_a_show_that_is_not_valid_is_refused(self) -> None:
        """ "You may declare only when your entire hand is valid" """
        verdict = show("two-row-duel", "2S 3S 4S | 5S 6S 7S | QS QH QD", "8", loose="KS 9H 2D 4C")
        assert (verdict.wrong_show, verdict.points, verdict.deal) == (True, 0, "CONTINUES")
