"""The floor does the work that it stands for, and the report says what the figures say. No test looks at a time."""

import json
from pathlib import Path
from typing import Any

import pytest
from marshmallow import ValidationError

from tests.bench.corpora import read_corpus
from tests.bench.http import bodies, floor, measure, report, wrk
from tests.bench.http.__main__ import main
from tests.bench.report import put_section

LATENCIES = {"p50": 900, "p99": 2000, "p999": 3000}
WRK = (
    'noise\nRESULT {"requests": 50, "bytes": 9, "microseconds": 500000, "failed": %d, "p50": 1, "p99": 2, "p999": 3}\n'
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bodies.Bodies]:
    return bodies.make_bodies(tmp_path_factory.mktemp("bodies"))


@pytest.mark.parametrize("path", [bodies.SCORE, bodies.VALIDATE])
def test_the_floor_takes_every_request_and_answers_with_as_many_bytes(
    path: str, made: dict[str, bodies.Bodies]
) -> None:
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


def test_a_goal_stands_beside_the_compiled_build_only() -> None:
    goals = {case.name: case.goal for case in measure.cases(("compiled", "interpreted")) if case.goal is not None}
    assert goals == {
        "/score, every hand new, compiled": 0.75,
        "/score, warm cache, compiled": 0.90,
        "/validate with groups, every hand new, compiled": 0.65,
    }
    assert not any(case.goal for case in measure.cases(("interpreted",)))


def test_rate_and_cpu_time_follow_from_what_wrk_counted() -> None:
    result = wrk.figures(WRK % 0, cpu_seconds=0.25)
    assert (result["per_second"], result["cpu_microseconds"]) == (100, 5000)


def test_one_failed_request_spoils_a_run() -> None:
    with pytest.raises(RuntimeError, match="1 of 50 requests failed"):
        wrk.figures(WRK % 1, cpu_seconds=0.25)


def figures() -> dict[str, Any]:
    floor_rates, rates = (1000, 2000, 3000), (800, 1500, 2700)
    runs = [
        {"round": number, "case": case, "path": "/score", "build": build, "goal": goal, "per_second": rate}
        | {"cpu_microseconds": 1e6 / rate, **LATENCIES}
        for case, build, goal, each in (
            ("/score, floor", "floor", None, floor_rates),
            ("/score, every hand new, compiled", "compiled", 0.75, rates),
        )
        for number, rate in enumerate(each, start=1)
    ]
    names = ("cpu", "cores", "pinned", "python", "flask", "marshmallow", "gunicorn", "wrk")
    return {
        "machine": {name: f"<{name}>" for name in names},
        "rounds": {
            "checked": 50,
            "clients": 8,
            "seconds": 5,
            "answer_bytes": {"/score": {"floor": 1001, "mean": 1000.4}},
            "runs": runs,
        },
        "clients": [{"clients": 64, "build": "compiled", "per_second": 1500, **LATENCIES}],
        "batch": {
            "build": "compiled",
            "items": 1000,
            "clients": 2,
            "hands_per_second": 9000.0,
            "beside_hands_per_second": 4500.0,
            "alone": {"per_second": 1500, **LATENCIES},
            "together": {"per_second": 750, **LATENCIES},
        },
        "start": {"build": "compiled", "seconds": [0.5, 0.75, 1.5]},
        "memory": {
            "build": "compiled",
            "entries": 65_536,
            "requests": 70_000,
            "before": {"rss": 50.2, "pss": 40.2},
            "after": {"rss": 120.4, "pss": 110.4},
        },
    }


def test_the_report_gives_medians_and_the_share_within_a_round() -> None:
    text = report.section(figures())
    assert "| /score, floor | 2,000 | 500 | 1.00 (1.00-1.00) | 1.00 |  |" in text
    # 800/1000, 1500/2000 and 2700/3000: the ratio of the medians would be 0.75.
    assert "| /score, every hand new, compiled | 1,500 | 667 | 0.80 (0.75-0.90) | 0.80 | 0.75 |" in text
    assert "medians of 3 round(s) of\n5 s" in text
    assert "/score: 1,001 bytes for 1,000" in text
    assert "| 64 | 1,500 | 0.90 | 2.00 | 3.00 |" in text
    assert "9,000 hands a second (goal: 8,000), 6.0 times as many" in text.replace("\n", " ")
    assert "| beside batches | 750 | 0.9 | 2.0 | 3.0 |" in text
    assert "compiled: 0.75 s, the median of 3 (0.50-1.50); goal: below 1 s" in text
    assert "| full cache | 120 | 110 |" in text


def test_a_part_that_is_not_measured_is_not_reported() -> None:
    text = report.section({name: part for name, part in figures().items() if name in {"machine", "start"}})
    assert "### Start" in text
    assert "### Memory" not in text
    assert "share of the floor" not in text


def test_the_section_takes_the_place_of_the_old_one_and_of_nothing_else() -> None:
    heading = report.HEADING
    first = put_section(f"{report.TITLE}\n", heading, f"{heading}\n\nold\n")
    assert first == f"{report.TITLE}\n\n{heading}\n\nold\n"
    document = first + "\n## Another\n\nkept\n"
    assert put_section(document, heading, f"{heading}\n\nnew\n") == document.replace("old", "new")
    assert put_section("# Title\n\n## Another\n", heading, f"{heading}\n") == (f"# Title\n\n## Another\n\n{heading}\n")


def test_the_report_is_written_again_from_the_raw_figures_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "bench" / report.RAW
    raw.parent.mkdir()
    raw.write_text(json.dumps(figures()), encoding="utf-8")
    written = []
    for _ in range(2):
        main(["report", "--docs", str(tmp_path)])
        written.append({path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()})
    assert written[0] == written[1]
    assert sorted(path.name for path in written[0]) == ["benchmarks.md", "http-clients.svg", "http.json", "http.svg"]
    assert report.section(figures()) in capsys.readouterr().out


def test_no_wrk_is_told_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="apt-get install wrk"):
        main(["start", "--docs", str(tmp_path)])
