"""What is measured: every case in turn, the number of clients, the start, and the memory of a full cache."""

import json
import os
import platform
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from bench.builds import cores, newest_build
from bench.http.bodies import (
    BATCH,
    BATCH_ITEMS,
    SCORE,
    VALIDATE,
    Bodies,
    batch_bodies,
    distinct_bodies,
    write_lines,
)
from bench.http.servers import Server, floor, service
from bench.http.wrk import MAX_RUNS, Load, run, warm_up
from service.signing.keys import new_key
from service.startup.settings import Settings

USUAL_CLIENTS: Final = 8
CLIENTS: Final = (1, 2, 4, 8, 16, 32, 64)
CACHE: Final = Settings.cache_size
CHECKED: Final = 50
# Of single calls beside batches: as many as a backend has under way when it is not at its limit.
BESIDE_CLIENTS: Final = 2
FLOOR: Final = "floor"
_SIGNATURE: Final = re.compile(rb',"attestation":"[^"]+"')
PACKAGES: Final = ("flask", "gunicorn", "marshmallow")


@dataclass(frozen=True)
class Case:
    """Requests of one kind to one server: the floor, or a build of the service with a cache of that size.

    `goal` is the least share of the floor's rate that is asked of the compiled build.
    """

    path: str
    build: str
    cache_size: int = 0
    goal: float | None = None
    signed: bool = False

    @property
    def name(self) -> str:
        if self.build == FLOOR:
            return f"{self.path}, {FLOOR}"
        kind = "warm cache" if self.cache_size else "every hand new"
        groups = " with groups" if self.path == VALIDATE else ""
        signed = ", signed" if self.signed else ""
        return f"{self.path}{groups}, {kind}{signed}, {self.build}"


def cases(builds: tuple[str, ...]) -> tuple[Case, ...]:
    """The cases in the order in which they take turns; a floor comes before what is compared with it."""
    score = [Case(SCORE, FLOOR)]
    validate = [Case(VALIDATE, FLOOR)]
    for build in builds:
        goals = (0.75, 0.90, 0.65) if build == "compiled" else (None, None, None)
        score += [Case(SCORE, build, 0, goals[0]), Case(SCORE, build, CACHE, goals[1])]
        if build == "compiled":
            score += [Case(SCORE, build, CACHE, signed=True)]
        validate += [Case(VALIDATE, build, 0, goals[2])]
    return (*score, *validate)


def measure_rounds(bodies: dict[str, Bodies], rounds: int, seconds: float) -> dict[str, Any]:
    """Every case in every round, one after the other, each with a server of its own that is warmed up first."""
    builds = ("compiled", "interpreted") if newest_build() == "compiled" else ("interpreted",)
    answers = next(iter(bodies.values())).file.with_name("floor.json")
    answers.write_text(json.dumps({path: json.loads(each.typical) for path, each in bodies.items()}), encoding="utf-8")
    measured = []
    for number in range(1, rounds + 1):
        for case in cases(builds):
            with _server(case, answers) as server:
                result = _measure_case(server, case, bodies[case.path], seconds)
            print(f"round {number}  {case.name:<52} {result['per_second']:8,.0f}/s", flush=True)
            about = {"round": number, "case": case.name, "path": case.path, "build": case.build, "goal": case.goal}
            measured.append({**about, **result})
    return {"runs": measured}


def _server(case: Case, answers: Path) -> AbstractContextManager[Server]:
    if case.build == FLOOR:
        return floor(answers)
    key_file = None
    if case.signed:
        key_file = answers.with_name("key.json")
        key_file.write_text(json.dumps(new_key()), encoding="utf-8")
        key_file.chmod(0o600)
    return service(case.build, case.cache_size, signing_key_file=key_file)


def _measure_case(server: Server, case: Case, bodies: Bodies, seconds: float) -> dict[str, Any]:
    load = Load(case.path, bodies.file, USUAL_CLIENTS)
    warm_up(server, load, len(bodies.texts), seconds / 2)
    _check_answers(server, case, bodies)
    if case.build == FLOOR:
        return run(server, load, seconds)
    before = server.cache()
    result = run(server, load, seconds)
    looked_up = server.cache() - before
    unwanted = "miss" if case.cache_size else "hit"
    if looked_up[unwanted] or looked_up.total() < result["requests"]:
        raise RuntimeError(f"{case.name}: {dict(looked_up)} in {result['requests']} requests")
    return result


def _check_answers(server: Server, case: Case, bodies: Bodies) -> None:
    typical = bodies.typical
    numbers = range(0, len(bodies.texts), len(bodies.texts) // CHECKED)
    answers = server.post(case.path, {number: bodies.texts[number] for number in numbers})
    for number, answer in answers.items():
        expected = typical if case.build == FLOOR else bodies.answers[number]
        if case.signed:
            answer = _SIGNATURE.sub(b"", answer)  # noqa: PLW2901 (what is left must be the unsigned one)
        if answer != expected:
            raise RuntimeError(f"{case.name}: not the answer of the interpreted core here: {bodies.texts[number]}")


def measure_clients(bodies: Bodies, seconds: float) -> list[dict[str, Any]]:
    """Rate and latencies of /score, every hand new, by the number of concurrent clients."""
    measured = []
    with service(newest_build(), 0) as server:
        warm_up(server, Load(SCORE, bodies.file, USUAL_CLIENTS), len(bodies.texts), 1)
        for clients in CLIENTS:
            load = Load(SCORE, bodies.file, clients)
            run(server, load, 1)
            measured.append({"clients": clients, "build": newest_build(), **run(server, load, seconds)})
    return measured


def measure_batch(bodies: Bodies, folder: Path, seconds: float) -> dict[str, Any]:
    """Hands a second in batches, every hand new, and single calls of /score without and beside them."""
    batches = write_lines(folder / "batches.txt", batch_bodies(bodies.texts))
    single, many = Load(SCORE, bodies.file, BESIDE_CLIENTS), Load(BATCH, batches, 1)
    with service(newest_build(), 0) as server:
        warm_up(server, single, len(bodies.texts), 1)
        run(server, many, 1)
        answered = json.loads(server.post(BATCH, {0: batches.read_text(encoding="utf-8").splitlines()[0]})[0])["items"]
        if [json.dumps(each["body"]) for each in answered] != [
            json.dumps(json.loads(answer)) for answer in bodies.answers[:BATCH_ITEMS]
        ]:
            raise RuntimeError("a batch is not answered as its items are")
        alone = run(server, single, seconds)
        batch = run(server, many, seconds)
        with ThreadPoolExecutor(1) as pool:
            beside = pool.submit(run, server, many, seconds + 2)
            time.sleep(1)
            together = run(server, single, seconds)
            beside_rate = beside.result()["per_second"] * BATCH_ITEMS
    return {
        "build": newest_build(),
        "items": BATCH_ITEMS,
        "clients": BESIDE_CLIENTS,
        "hands_per_second": batch["per_second"] * BATCH_ITEMS,
        "beside_hands_per_second": beside_rate,
        "alone": alone,
        "together": together,
    }


def measure_start(times: int) -> dict[str, Any]:
    """The seconds from the start of gunicorn to the first answer of /score; one start before that writes bytecode."""
    taken = []
    for _ in range(times + 1):
        with service(newest_build(), CACHE) as server:
            taken.append(server.start_seconds)
    return {"build": newest_build(), "seconds": taken[1:]}


def measure_memory(folder: Path, cache_size: int) -> dict[str, Any]:
    """What a worker holds after one request, and once its cache of that size is full of different hands."""
    texts = distinct_bodies(cache_size + cache_size // 20)
    load = Load(SCORE, write_lines(folder / "distinct.txt", texts), USUAL_CLIENTS)
    with service(newest_build(), cache_size) as server:
        before, sent = server.memory(), 0
        for _ in range(MAX_RUNS):
            sent += run(server, load, 10 if cache_size == CACHE else 2, first=sent)["requests"]
            if server.cache()["entries"] >= cache_size:
                return {
                    "build": newest_build(),
                    "entries": server.cache()["entries"],
                    "requests": sent,
                    "before": before,
                    "after": server.memory(),
                }
    raise RuntimeError(f"the cache is not full after {sent} requests")


def machine() -> dict[str, str]:
    """What the figures hold for."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    wrk = subprocess.run(["wrk", "--version"], capture_output=True, text=True, check=False).stdout
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": str(os.cpu_count()),
        "pinned": " and ".join(map(str, cores())),
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "wrk": " ".join(wrk.split()[1:2]),
    }
