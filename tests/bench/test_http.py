"""The floor does the work that it stands for, and tables say what the figures say. No test looks at a time."""

import json
from pathlib import Path

import pytest
from marshmallow import ValidationError

from bench.corpora import read_corpus
from bench.http import bodies, floor, report, wrk
from bench.http.__main__ import main
from bench.report import put_blocks

WRK = (
    'noise\nRESULT {"requests": 50, "bytes": 9, "microseconds": 500000, "failed": %d, "p50": 1, "p99": 2, "p999": 3}\n'
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bodies.Bodies]:
    return bodies.make_bodies(tmp_path_factory.mktemp("bodies"))


@pytest.mark.parametrize("path", [bodies.SCORE, bodies.VALIDATE])
def test_the_floor_does_as_much_as_the_service(path: str, made: dict[str, bodies.Bodies]) -> None:
    """It takes every request, and answers with as many bytes."""
    mine = made[path]
    typical = mine.typical
    client = floor.create_app({path: json.loads(typical)}).test_client()
    for text in mine.texts:
        answer = client.post(path, data=text, content_type="application/json")
        assert (answer.status_code, answer.data) == (200, typical)
    assert abs(len(typical) - mine.mean_bytes) < 0.01 * mine.mean_bytes


def test_the_floor_reads_what_it_is_sent() -> None:
    app = floor.create_app({bodies.SCORE: {}})
    app.testing = True
    with pytest.raises(ValidationError, match="Not a valid string"):
        app.test_client().post(bodies.SCORE, json={"rule_set": "online-13", "hand": [7]})


def test_wrk_is_given_a_body_a_line_of_every_hand(made: dict[str, bodies.Bodies]) -> None:
    deals = read_corpus(bodies.HANDS)
    for path, mine in made.items():
        lines = mine.file.read_text(encoding="utf-8").splitlines()
        read = [json.loads(line) for line in lines]
        assert [each["hand"] for each in read] == [[card.code for card in deal.hand] for deal in deals]
        assert all(("groups" in each) == (path == bodies.VALIDATE) for each in read)
        assert len(set(lines)) == len(lines)


def test_hands_that_fill_a_cache_are_all_different() -> None:
    texts = bodies.distinct_bodies(300)
    hands = {(body["rule_set"], body["wild_rank"], *sorted(body["hand"])) for body in map(json.loads, texts)}
    assert len(texts) == len(hands) == 300


def test_batches_have_every_hand_once_and_in_order(made: dict[str, bodies.Bodies]) -> None:
    texts = made[bodies.SCORE].texts
    items = [item for text in bodies.batch_bodies(texts) for item in json.loads(text)["items"]]
    assert [item["hand"] for item in items] == [json.loads(text)["hand"] for text in texts]


def test_rate_and_cpu_time_follow_from_what_wrk_counted() -> None:
    result = wrk.figures(WRK % 0, cpu_seconds=0.25)
    assert (result["per_second"], result["cpu_microseconds"]) == (100, 5000)


def test_one_failed_request_spoils_a_run() -> None:
    with pytest.raises(RuntimeError, match="1 of 50 requests failed"):
        wrk.figures(WRK % 1, cpu_seconds=0.25)


def test_a_share_is_of_the_floor_in_the_same_round() -> None:
    """The median of 800/1000, 1500/2000 and 2700/3000: the ratio of the medians would be 0.75."""
    runs = [
        {"round": number, "case": case, "path": "/score", "build": build, "goal": None, "per_second": rate}
        | {"cpu_microseconds": 1e6 / rate}
        for case, build, rates in (("floor", "floor", (1000, 2000, 3000)), ("new", "compiled", (800, 1500, 2700)))
        for number, rate in enumerate(rates, start=1)
    ]
    floor_row, row = report.rows(runs)
    assert (floor_row["shares"], row["shares"]) == ([1, 1, 1], [0.8, 0.75, 0.9])
    assert (row["per_second"], report.spread(row["shares"])) == (1500, "0.80 (0.75-0.90)")


def test_a_block_replaces_its_old_text(tmp_path: Path) -> None:
    """And nothing else in the document."""
    document = tmp_path / "some.md"
    text = "# Title\n\n<!-- a -->\n\n| old |\n\n<!-- /a -->\n\nkept\n"
    document.write_text(text, encoding="utf-8")
    put_blocks(document, {"a": "| new |"})
    assert document.read_text(encoding="utf-8") == text.replace("old", "new")
    with pytest.raises(ValueError, match="no block b"):
        put_blocks(document, {"b": ""})


def test_no_wrk_is_reported_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="apt-get install wrk"):
        main(["start"])
