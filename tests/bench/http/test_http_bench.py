"""The floor does the work that it stands for, and the report says what the figures say. No test looks at a time."""

import json

from service.app import create_app
from service.config import Settings
from tests.bench.corpora import CORPORA, read_corpus
from tests.bench.http import floor, report
from tests.bench.http.__main__ import CASES, body

FIGURES = {"requests": 10, "p50": 900, "p99": 2000, "p999": 3000}


def test_the_floor_answers_the_same_request_with_as_many_bytes() -> None:
    deal = read_corpus(CORPORA / "built.txt")[0]
    for path in ("/score", "/validate"):
        asked = body(deal, path == "/validate")
        real = create_app(Settings(port=80, log_level="ERROR")).test_client()
        answer = real.post(path, data=asked, content_type="application/json")
        bare = floor.create_app({path: json.loads(answer.text)}).test_client()
        assert bare.post(path, data=asked, content_type="application/json").data == answer.data


def test_the_report_gives_medians_and_the_share_within_a_round() -> None:
    rates = {"floor of /score": (1000, 2000, 3000), "/score, every hand new": (800, 1500, 2700)}
    rounds = [
        {"round": number, "case": case, "per_second": rate, "cpu_microseconds": 1e6 / rate, **FIGURES}
        for case, each in rates.items()
        for number, rate in enumerate(each)
    ]
    figures = {
        "goals": {case.name: case.goal for case in CASES if case.goal},
        "rounds": rounds,
        "clients": [{"clients": 8, "per_second": 1500, **FIGURES}],
        "start": [0.5, 0.75, 1.5],
        "memory": {"empty": 50, "full": 120, "requests": 70_000},
    }
    text = report.text(figures)
    assert "| /score, every hand new | 1,500 | 667 | 0.80 | 0.75 |" in text
    assert "| floor of /score | 2,000 | 500 | 1.00 |  |" in text
    assert "| 8 | 1,500 | 0.9 | 2.0 | 3.0 |" in text
    assert "first answer: 0.75 s" in text
    assert "50 MB with an empty cache, 120 MB with 65,536" in text
