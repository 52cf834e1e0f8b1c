"""The image as it runs: read-only, without rights, with little memory."""

import json
from typing import Any

from tests.connections import answer_under_way_at_the_end
from tests.examples import question
from tests.heavy.image.conftest import container, engine, inside, output
from tests.heavy.image.test_build import PROJECT
from tests.servers import Server

# Every folder, and the error with which it refuses a new file.
TRY_TO_WRITE = """
import json, os
found = {}
for folder, below, _ in os.walk("/"):
    if folder in ("/proc", "/sys"):
        below.clear()
        continue
    try:
        open(f"{folder}/new", "x").close()
        os.unlink(f"{folder}/new")
        found[folder] = None
    except OSError as error:
        found[folder] = error.strerror
print(json.dumps(found))
"""


def test_probes_answer_on_the_admin_port_alone(server: Server) -> None:
    for path in ("/livez", "/readyz", "/metrics"):
        assert server.call("GET", path, admin=True).status_code == 200
        assert server.call("GET", path).status_code == 404


def test_a_hand_is_judged(server: Server) -> None:
    answer = server.call("POST", "/validate", json=question()).json()
    assert (answer["valid"], answer["points"], answer["submitted"]["points"]) == (False, 80, 2)
    assert [group["kind"] for group in answer["best"]["groups"]].count("PURE_SEQUENCE") == 1


def test_the_image_has_the_compiled_core(server: Server) -> None:
    """And the version of the project."""
    about = server.call("GET", "/version", admin=True).json()
    assert (about["compiled"], about["version"]) == (True, PROJECT["version"])


def test_the_first_process_is_gunicorn_without_any_rights(server: Server) -> None:
    """No shell in between would pass a signal on."""
    command = inside("cat", "/proc/1/cmdline").split("\0")
    assert command == ["/opt/venv/bin/python3", "-m", "gunicorn", "-c", "/app/gunicorn.conf.py", ""]
    status = dict(line.split(":\t", 1) for line in inside("cat", "/proc/1/status").splitlines())
    assert status["Uid"].split() == status["Gid"].split() == ["10001"] * 4
    assert int(status["CapEff"], 16) == 0


def test_nothing_can_be_written_but_what_is_in_memory(server: Server) -> None:
    found: dict[str, str | None] = json.loads(inside("python3", "-c", TRY_TO_WRITE))
    assert {"/", "/app", "/app/service", "/dev", "/etc", "/home", "/opt/venv", "/run", "/usr", "/var"} <= {
        folder for folder, refused in found.items() if refused
    }
    # A queue in /dev/mqueue is the kernel's, and no file.
    written = {folder for folder, refused in found.items() if not refused} - {"/dev/mqueue"}
    assert {folder for folder in written if not folder.startswith("/tmp/")} == {"/tmp", "/dev/shm"}  # noqa: S108
    assert server.call("POST", "/validate", json=question()).status_code == 200


def test_the_health_check_finds_it_healthy(server: Server) -> None:
    output("podman", "healthcheck", "run", "showcheck-test")
    assert output("podman", "inspect", "--format={{.State.Health.Status}}", "showcheck-test").strip() == "healthy"


def test_the_health_check_asks_the_admin_port(server: Server, config: dict[str, Any]) -> None:
    """And nothing else."""
    kind, *command = config["Healthcheck"]["Test"]
    assert kind == "CMD"
    proxy = "--env=http_proxy=http://127.0.0.1:1"
    assert engine("podman", "exec", proxy, "showcheck-test", *command).returncode == 0
    for wrong in (server.port, 1):
        port = f"--env=SHOWCHECK_ADMIN_PORT={wrong}"
        assert engine("podman", "exec", port, "showcheck-test", *command).returncode == 1


def test_sigterm_ends_it_when_what_is_under_way_is_answered(image: str) -> None:
    with container("showcheck-test-end") as server:
        assert answer_under_way_at_the_end(server).startswith(b"HTTP/1.1 200 OK")
        assert server.process.wait(15) == 0
        assert '"Shutting down: Master"' in server.output()
