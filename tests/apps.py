"""The application under test, in this process: its answers are held against the contract, and its log can be read."""

import io
import json
from collections.abc import Callable
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from service.startup.settings import Settings
from service.startup.state import read_state
from service.web.app import create_app
from tests.contract import CheckedClient

Lines = list[dict[str, Any]]


class Log:
    """The lines that an application has logged since it was last read."""

    def __init__(self, flush: Callable[[], None] = lambda: None) -> None:
        self.stream = io.StringIO()
        self.flush = flush

    def read(self) -> Lines:
        self.flush()
        text = self.stream.getvalue()
        self.stream.seek(0)
        self.stream.truncate()
        return [json.loads(line) for line in text.splitlines()]


def start_app(settings: Settings, log: Log | None = None) -> Flask:
    """An application that logs to `log`."""
    log = log or Log()
    app = create_app(read_state(settings), log.stream)
    log.flush = app.extensions["request_log"].flush
    app.test_client_class = CheckedClient
    return app


def on_admin_port(client: FlaskClient) -> FlaskClient:
    assert isinstance(client, CheckedClient)
    client.port = Settings.admin_port
    return client
