"""Requests of all kinds: what each metric counts, but for faults of the service."""

import time

from tests.examples import question
from tests.servers import Server

# Under every rule set the first is a show, and the second has neither a pair nor a run.
SHOW = [f"{rank}S" for rank in "A23456789TJQK"]
NOTHING = ["AS", "4S", "9S", "QS", "3H", "6H", "JH", "5D", "8D", "KD", "2C", "7C", "TC"]
# Each round has another wild rank, and so hands that no cache has seen.
ROUNDS = "A23456789TJQK"
JSON = {"Content-Type": "application/json"}


def send_everything(server: Server) -> None:
    """Thirteen rounds of everything, within some seven seconds: so many scrapes see it grow."""
    rule_sets = [each["name"] for each in server.call("GET", "/rule-sets").json()["rule_sets"]]
    for wild in ROUNDS:
        started = time.monotonic()
        for name in rule_sets:
            asked = {"rule_set": name, "wild_rank": wild, "groups": ...}
            for path, hand in [("/validate", SHOW), ("/validate", NOTHING), ("/score", NOTHING), ("/score", NOTHING)]:
                assert server.call("POST", path, json=question(**asked, hand=hand)).status_code == 200
            assert server.call("GET", f"/rule-sets/{name}").status_code == 200
        _send_what_is_no_question(server)
        time.sleep(max(0, started + 0.5 - time.monotonic()))


def _send_what_is_no_question(server: Server) -> None:
    statuses = [
        server.call("GET", "/rule-sets").status_code,
        server.call("GET", "/openapi.yaml").status_code,
        server.call("POST", "/validate", data=b"{", headers=JSON).status_code,
        server.call("GET", "/nowhere").status_code,
        server.call("GET", "/rule-sets/nobodys").status_code,
        server.call("GET", "/score").status_code,
        server.call("POST", "/score", data=b" " * 70_000, headers=JSON).status_code,
        server.call("POST", "/score", data=b"hand=AS").status_code,
        server.call("POST", "/validate", json=question(hand=SHOW[:12])).status_code,
    ]
    assert statuses == [200, 200, 400, 404, 404, 405, 413, 415, 422]
