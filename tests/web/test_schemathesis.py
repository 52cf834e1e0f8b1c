"""Schemathesis reads the contract and looks for answers that break it: made from it, and made against it."""

from collections.abc import Iterable
from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.config import ChecksConfig, GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.config._checks import PositiveDataAcceptanceConfig
from schemathesis.schemas import BaseSchema

from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app
from tests.contract import ADMIN_PATHS

# A hand that fits the schema can still be impossible, or not have the finish card: 422 is no failure.
CHECKS = ChecksConfig(positive_data_acceptance=PositiveDataAcceptanceConfig(expected_statuses=["2xx", 404, 422]))
GENERATION = GenerationConfig(max_examples=60, deterministic=True)


def load() -> BaseSchema:
    app = create_app(read_state(Settings(log_level="ERROR")))

    def both_ports(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """What the contract says with `servers`: admin paths are asked on the admin port."""
        environ["SERVER_PORT"] = "9090" if environ["PATH_INFO"] in ADMIN_PATHS else "8080"
        return app.wsgi_app(environ, start_response)

    projects = ProjectsConfig(default=ProjectConfig(checks=CHECKS, generation=GENERATION))
    return schemathesis.openapi.from_wsgi("/openapi.yaml", both_ports, config=SchemathesisConfig(projects=projects))


@load().parametrize()
@settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_nothing_is_found(case: Case[Any]) -> None:
    case.call_and_validate()
