import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app
from tests.http.contract import CheckedClient

Lines = list[dict[str, Any]]


class Log:
    """The lines that an application has logged since it was last read."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.flush: Callable[[], None] = lambda: None

    def read(self) -> Lines:
        self.flush()
        text = self.stream.getvalue()
        self.stream.seek(0)
        self.stream.truncate()
        return [json.loads(line) for line in text.splitlines()]


def on_admin_port(client: FlaskClient) -> FlaskClient:
    assert isinstance(client, CheckedClient)
    client.port = Settings.admin_port
    return client


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def start(log: Log) -> Callable[[Settings], Flask]:
    """Start an application that logs to `log`."""

    def started(settings: Settings) -> Flask:
        app = create_app(read_state(settings), log.stream)
        log.flush = app.extensions["request_log"].flush
        app.test_client_class = CheckedClient
        return app

    return started


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
