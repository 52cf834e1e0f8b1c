"""The application: what it is made of is what it is given."""

import subprocess
import sys
from io import StringIO
from pathlib import Path

from service.game.verdict import Operation
from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app

CODE = """
from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app
print(create_app(read_state(Settings())).test_client().get("/rule-sets").status)
"""


def test_with_a_state_the_environment_is_not_read(tmp_path: Path) -> None:
    """Neither its settings, which are faulty, nor its folder of metrics."""
    environ = {"SHOWCHECK_PORT": "x", "SHOWCHECK_NAME": "x", "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics")}
    run = subprocess.run([sys.executable, "-c", CODE], env=environ, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.splitlines()[-1:]) == (0, ["200 OK"]), run.stderr
    assert list(tmp_path.iterdir()) == []


def test_each_operation_has_a_view_at_its_name() -> None:
    app = create_app(read_state(Settings()), StringIO())
    assert {f"/{operation}" for operation in Operation} <= {rule.rule for rule in app.url_map.iter_rules()}
