"""The first call: what `helm test` and the notes have judged really is, by a server set up as the chart sets it up."""

import http.server
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.heavy.chart.charts import (
    CHART,
    NAMESPACE,
    RELEASE,
    container,
    environment,
    name_of,
    run_helm,
    service,
    the,
    values_file,
)
from tests.servers import Server, running

CASE = "settings"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The real server in the environment of a pod, but for what only a pod has to itself: ports and a folder."""
    mine = {"SHOWCHECK_PORT", "SHOWCHECK_ADMIN_PORT", "PROMETHEUS_MULTIPROC_DIR"}
    given = {name: value for name, value in environment(CASE).items() if name not in mine}
    metrics = tmp_path_factory.mktemp("pod") / "tmp" / "metrics"
    with running(**given, PROMETHEUS_MULTIPROC_DIR=str(metrics)) as server:
        yield server


@contextmanager
def answering(status: int, body: Any) -> Iterator[str]:
    """The address of a server with one answer to everything."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *arguments: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def helm_test(address: str) -> subprocess.CompletedProcess[str]:
    """Run the command of the pod of `helm test` against an address of ours."""
    python, *arguments, _ = container(the(CASE, "Pod"))["command"]
    assert python == "python3"
    command = [sys.executable, "-I", "-S", *arguments, address]
    return subprocess.run(command, env={}, capture_output=True, text=True, timeout=30, check=False)


def notes(case: str) -> str:
    """What Helm prints after an installation. Only Helm 4 does so without a cluster."""
    where = ("--namespace", NAMESPACE, "--dry-run=client", "--values", values_file(case))
    run = run_helm("helm4", "install", RELEASE, CHART, *where)
    assert run.returncode == 0, run.stderr
    return run.stdout.partition("\nNOTES:\n")[2]


def test_helm_test_is_content_with_the_service(server: Server) -> None:
    run = helm_test(f"http://127.0.0.1:{server.port}")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["wrong_show"] is True


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, {"wrong_show": False, "points": 0, "best": {"points": 0}}),
        (200, {"wrong_show": True, "points": 80, "best": {"points": 10}}),
        (200, {}),
        (200, "a page of something else"),
        (503, {"wrong_show": True, "points": 80, "best": {"points": 5}}),
    ],
)
def test_helm_test_fails_with_another_verdict(status: int, body: Any) -> None:
    with answering(status, body) as address:
        assert helm_test(address).returncode != 0


def test_helm_test_looks_at_the_verdict_alone() -> None:
    with answering(200, {"wrong_show": True, "points": 80, "best": {"points": 5}}) as address:
        assert helm_test(address).returncode == 0


def test_helm_test_asks_through_the_service() -> None:
    api = service("load-balancer", "server")
    asked = container(the("load-balancer", "Pod"))["command"][-1]
    assert asked == f"http://{name_of(api)}:{api['spec']['ports'][0]['port']}"


def test_helm_test_is_no_part_of_the_release() -> None:
    pod = the(CASE, "Pod")
    assert pod["metadata"]["annotations"]["helm.sh/hook"] == "test"
    assert pod["spec"]["restartPolicy"] == "Never"


def test_the_call_in_the_notes_is_answered_as_shown(server: Server) -> None:
    text = notes("default")
    ((path, kind, body),) = re.findall(
        r"curl -s localhost:8080(/\w+) -H 'Content-Type: (\S+)' -d '(.*?)'", text, re.DOTALL
    )
    answer = server.call("POST", path, data=body, headers={"Content-Type": kind})
    (promised,) = re.findall(r'^The answer says ("valid":\w+) ', text, re.MULTILINE)
    assert promised in answer.text


@pytest.mark.parametrize("case", ["default", "name", "load-balancer"])
def test_the_notes_name_what_was_installed(case: str) -> None:
    text = notes(case)
    api = service(case, "server")
    port = api["spec"]["ports"][0]["port"]
    assert f"kubectl --namespace {NAMESPACE} port-forward service/{name_of(api)} 8080:{port} &" in text
    assert f"rollout status deployment/{name_of(the(case, 'Deployment'))}" in text
    assert f"helm test --namespace {NAMESPACE} {RELEASE}" in text
    assert f"service/{name_of(service(case, 'admin'))}" in text


def test_the_notes_say_where_the_api_is_from_outside() -> None:
    wanted = ["https://showcheck.example.com", "https://rummy.example.com"]
    assert re.findall(r"https?://\S+", notes("ingress")) == wanted
    assert re.findall(r"https?://\S+", notes("default")) == []


def test_the_script_is_in_the_chart_once() -> None:
    """As a file of its own, so that it is linted and typed like all other Python."""
    script = Path(CHART, "files", "judge_a_hand.py").read_text(encoding="utf-8")
    assert script.strip() in container(the(CASE, "Pod"))["command"][2]
