"""How fast a hand is solved: fixed corpora, what made them, and a stopwatch. Nothing here is a timed test."""
