"""`helm test`: send one hand to the service at the given address and check the verdict."""

import json
import sys
import urllib.request

# The example of the README: the king of spades is in no group.
SHOW = {
    "rule_set": "online-13",
    "wild_rank": "7",
    "hand": ["AH", "2H", "3H", "5D", "JOKER", "7D", "9S", "9H", "9C", "QS", "QD", "QC", "KS"],
    "groups": [["AH", "2H", "3H"], ["5D", "JOKER", "7D"], ["9S", "9H", "9C"], ["QS", "QD", "QC"]],
}

request = urllib.request.Request(
    sys.argv[1] + "/validate", json.dumps(SHOW).encode(), {"Content-Type": "application/json"}
)
with urllib.request.urlopen(request, timeout=10) as response:
    verdict = json.load(response)
print(json.dumps(verdict, ensure_ascii=False))
if (verdict["wrong_show"], verdict["points"], verdict["best"]["points"]) != (True, 80, 5):
    sys.exit("Not the right verdict: a wrong show for 80 points, and 5 points at best.")
