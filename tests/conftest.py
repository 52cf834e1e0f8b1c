from collections.abc import Callable
from functools import partial

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.startup.settings import Settings
from tests.apps import Log, on_admin_port, start_app


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def start(log: Log) -> Callable[[Settings], Flask]:
    """Start an application that logs to `log`."""
    return partial(start_app, log=log)


@pytest.fixture
def app(start: Callable[[Settings], Flask]) -> Flask:
    return start(Settings())


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A client of the API port."""
    return app.test_client()


@pytest.fixture
def admin(app: Flask) -> FlaskClient:
    """A client of the admin port."""
    return on_admin_port(app.test_client())
