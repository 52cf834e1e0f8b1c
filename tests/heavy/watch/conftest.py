"""A Prometheus that scrapes the real service, and a stand-in for kube-state-metrics."""

import json
import math
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from tests.heavy.watch.traffic import send_everything
from tests.servers import ROOT, Server, free_ports, running

ALERTS_FILE = ROOT / "helm/showcheck/files/alerts.yaml"
DASHBOARD_FILE = ROOT / "helm/showcheck/files/dashboard.json"
RULES: list[dict[str, Any]] = [
    rule for group in yaml.safe_load(ALERTS_FILE.read_text(encoding="utf-8"))["groups"] for rule in group["rules"]
]
ALERTS = {rule["alert"]: rule for rule in RULES if "alert" in rule}
RECORDED = {rule["record"]: rule["expr"] for rule in RULES if "record" in rule}
DASHBOARD: dict[str, Any] = json.loads(DASHBOARD_FILE.read_text(encoding="utf-8"))
PANELS: list[dict[str, Any]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]

# By no name that the rules or the dashboard could have guessed, and without a namespace.
JOB = "cards"
READY_SECONDS = 20
KUBE_STATE_METRICS = """\
# HELP kube_pod_container_status_ready [STABLE] Describes whether the containers readiness check succeeded.
# TYPE kube_pod_container_status_ready gauge
kube_pod_container_status_ready{namespace="games",pod="cards-6f7d-x2lq9",uid="6f1c",container="showcheck"} 1
kube_pod_container_status_ready{namespace="games",pod="shop-5c9b-8kd2p",uid="0b7e",container="shop"} 0
# HELP kube_pod_container_status_restarts_total [STABLE] The number of container restarts per container.
# TYPE kube_pod_container_status_restarts_total counter
kube_pod_container_status_restarts_total{namespace="games",pod="cards-6f7d-x2lq9",uid="6f1c",container="showcheck"} 1
kube_pod_container_status_restarts_total{namespace="games",pod="shop-5c9b-8kd2p",uid="0b7e",container="shop"} 7
"""


class Prometheus:
    """A running Prometheus."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def get(self, path: str, **params: str) -> Any:
        answer = requests.get(f"{self.url}/api/v1/{path}", params=params, timeout=10).json()
        assert answer["status"] == "success", answer
        return answer["data"]

    def query(self, expr: str) -> list[tuple[dict[str, str], float]]:
        """The labels and the value of every series that `expr` now has."""
        return [(each["metric"], float(each["value"][1])) for each in self.get("query", query=expr)["result"]]

    def data(self, expr: str) -> list[tuple[dict[str, str], float]]:
        """The same, as soon as there is a series, and a number in each; fail if there is not in time."""
        until = time.monotonic() + READY_SECONDS
        while not (found := self.query(expr)) or not all(math.isfinite(value) for _, value in found):
            assert time.monotonic() < until, f"{found or 'no data'} after {READY_SECONDS} s for {expr}"
            time.sleep(0.2)
        return found

    def is_ready(self) -> bool:
        try:
            return requests.get(f"{self.url}/-/ready", timeout=10).status_code == 200
        except requests.ConnectionError:
            return False


@contextmanager
def kube_state_metrics() -> Iterator[int]:
    """A server of what kube-state-metrics tells of two pods, one of them Showcheck's; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(KUBE_STATE_METRICS.encode())

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def prometheus(targets: dict[str, int]) -> Iterator[Prometheus]:
    """A Prometheus with our rules, that scrapes these ports every second, each as a job."""
    port, _ = free_ports()
    with tempfile.TemporaryDirectory() as folder, Path(folder, "output").open("wb") as output:
        jobs = [
            {"job_name": name, "honor_labels": True, "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}
            for name, target in targets.items()
        ]
        config = Path(folder, "prometheus.yaml")
        every_second = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
        config.write_text(
            yaml.safe_dump({"global": every_second, "rule_files": [str(ALERTS_FILE)], "scrape_configs": jobs}),
            encoding="utf-8",
        )
        command = [
            "prometheus",
            f"--config.file={config}",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            running_one = Prometheus(port)
            until = time.monotonic() + READY_SECONDS
            while not running_one.is_ready():
                said = Path(output.name).read_text(encoding="utf-8")
                assert process.poll() is None, said
                assert time.monotonic() < until, said
                time.sleep(0.1)
            yield running_one
        finally:
            process.terminate()
            try:
                process.wait(30)
            finally:
                process.kill()
                process.wait()


@pytest.fixture(scope="session")
def watched() -> Iterator[tuple[Server, Prometheus]]:
    """A server with two workers that was sent requests of all kinds, and the Prometheus that saw it."""
    with running(WEB_CONCURRENCY="2") as server, kube_state_metrics() as kube:
        server.wait(lambda: len(server.workers()) == 2, "second worker")
        with prometheus({JOB: server.admin_port, "kube-state-metrics": kube}) as watcher:
            send_everything(server)
            yield server, watcher


def promtool(*arguments: str, text: str = "") -> None:
    """Run promtool; fail with what it says if it finds fault."""
    run = subprocess.run(["promtool", *arguments], input=text, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def comparisons_as_numbers(expr: str) -> str:
    """`expr` with 0 or 1 for every comparison in place of a choice: it has data where both sides have."""
    return re.sub(r"\s(==|!=|[<>]=?)\s", r" \1 bool ", expr)
