"""`python -m tests.bench.http`: what a request costs, against the floor. Needs wrk, two cores and `make compiled`."""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import requests

from service.cards import JOKER, NATURAL_CARDS, Rank
from tests.bench.corpora import CORPORA, Deal, read_corpus
from tests.bench.http import report
from tests.bench.http.servers import COMPILED, ROOT, Server, floor, load, service

NEW: Final = {"SHOWCHECK_CACHE_SIZE": "0"}
WARM: Final = {"SHOWCHECK_CACHE_SIZE": "65536"}
CLIENTS: Final = (1, 2, 4, 8, 16, 32, 64)
USUAL_CLIENTS: Final = 8
DISTINCT_HANDS: Final = 70_000


@dataclass(frozen=True)
class Case:
    """One server under one kind of request; `goal` is the least share of the floor's rate that is asked for."""

    name: str
    path: str
    tree: Path | None
    settings: dict[str, str]
    goal: float | None = None

    def server(self, answers: Path) -> AbstractContextManager[Server]:
        return floor(answers) if self.tree is None else service(self.tree, **self.settings)


CASES: Final = (
    Case("floor of /score", "/score", None, {}),
    Case("/score, every hand new", "/score", COMPILED, NEW, 0.75),
    Case("/score, warm cache", "/score", COMPILED, WARM, 0.90),
    Case("/score, every hand new, interpreted", "/score", ROOT, NEW),
    Case("floor of /validate", "/validate", None, {}),
    Case("/validate with groups, every hand new", "/validate", COMPILED, NEW, 0.65),
)


def body(deal: Deal, laid_out: bool) -> str:
    """A request for the deal; laid out, its cards lie in four groups as they come."""
    turned_up = deal.turned_up.letter if isinstance(deal.turned_up, Rank) else deal.turned_up
    hand = [card.code for card in deal.hand]
    asked: dict[str, Any] = {"rule_set": deal.rules.name, "wild_rank": turned_up, "hand": hand}
    if laid_out:
        asked["groups"] = [hand[0:3], hand[3:6], hand[6:9], hand[9:13]]
    return json.dumps(asked)


def write_bodies(folder: Path) -> dict[str, Path]:
    """A file of request bodies for each path, from the hands built from groups."""
    deals = read_corpus(CORPORA / "built.txt")
    files = {"/score": folder / "score.txt", "/validate": folder / "validate.txt"}
    for path, file in files.items():
        file.write_text("\n".join(body(deal, path == "/validate") for deal in deals) + "\n", encoding="utf-8")
    return files


def middle_answers(bodies: dict[str, Path], folder: Path) -> Path:
    """A file with an answer of median size for each path, for the floor to give."""
    answers = {}
    with service(ROOT) as server:
        for path, file in bodies.items():
            lines = file.read_text(encoding="utf-8").splitlines()[:201]
            url, headers = f"http://127.0.0.1:{server.port}{path}", {"Content-Type": "application/json"}
            texts = [requests.post(url, line, headers=headers, timeout=10).text for line in lines]
            answers[path] = json.loads(sorted(texts, key=len)[len(texts) // 2])
    file = folder / "answers.json"
    file.write_text(json.dumps(answers), encoding="utf-8")
    return file


def measure_rounds(bodies: dict[str, Path], answers: Path, rounds: int, seconds: float) -> list[dict[str, Any]]:
    """Every case in every round, one after the other; a short run first fills caches and ends the warm-up."""
    measured = []
    for number in range(rounds):
        for case in CASES:
            with case.server(answers) as server:
                load(server, case.path, bodies[case.path], max(1.0, seconds / 2), USUAL_CLIENTS)
                result = load(server, case.path, bodies[case.path], seconds, USUAL_CLIENTS)
            measured.append({"round": number, "case": case.name, **result})
            sys.stdout.write(f"round {number + 1}  {case.name:<38} {result['per_second']:8,.0f}/s\n")
            sys.stdout.flush()
    return measured


def measure_clients(bodies: dict[str, Path], seconds: float) -> Iterator[dict[str, Any]]:
    """Throughput and latency of new hands by number of concurrent clients."""
    with service(COMPILED, **NEW) as server:
        for clients in CLIENTS:
            load(server, "/score", bodies["/score"], 1, clients)
            yield {"clients": clients, **load(server, "/score", bodies["/score"], seconds, clients)}


def measure_start(times: int) -> list[float]:
    """The seconds from the start of gunicorn to the first answer, checked that it is one."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        with service(COMPILED):
            taken.append(time.perf_counter() - started)
    return taken


def measure_memory(folder: Path) -> dict[str, float]:
    """Resident megabytes of a worker with an empty cache and with a full one of the default size."""
    rng = random.Random(20261130)
    cards = [*NATURAL_CARDS * 2, *[JOKER] * 2]
    file = folder / "distinct.txt"
    with file.open("w", encoding="utf-8") as out:
        for _ in range(DISTINCT_HANDS):
            hand = [card.code for card in rng.sample(cards, 13)]
            out.write(json.dumps({"rule_set": "online-13", "wild_rank": "7", "hand": hand}) + "\n")
    with service(COMPILED, **WARM) as server:
        empty = server.resident_megabytes()
        sent = 0
        while sent < DISTINCT_HANDS:
            # wrk begins the file anew in every run: one long run sends it whole.
            sent = load(server, "/score", file, 60, USUAL_CLIENTS)["requests"]
        return {"empty": empty, "full": server.resident_megabytes(), "requests": sent}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.http", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--quick", action="store_true", help="one short round, to see that everything works")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "bench", help="where the report is written")
    options = parser.parse_args()
    rounds, seconds = (1, 1.0) if options.quick else (options.rounds, options.seconds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bodies = write_bodies(folder)
        figures = {
            "goals": {case.name: case.goal for case in CASES if case.goal is not None},
            "rounds": measure_rounds(bodies, middle_answers(bodies, folder), rounds, seconds),
            "clients": list(measure_clients(bodies, seconds)),
            "start": measure_start(1 if options.quick else 5),
            "memory": {} if options.quick else measure_memory(folder),
        }
    sys.stdout.write(report.write(figures, options.out) + "\n")
    sys.stdout.write(f"start: {median(figures['start']):.2f} s\n")  # type: ignore[type-var]


if __name__ == "__main__":
    main()
