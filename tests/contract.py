"""The contract as a judge: every answer that the tests get is held against `openapi.yaml`."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from werkzeug.test import TestResponse

from service.startup.settings import Settings

CONTRACT_FILE = Path(__file__).parents[1] / "openapi.yaml"
CONTRACT: dict[str, Any] = yaml.safe_load(CONTRACT_FILE.read_text(encoding="utf-8"))
ADMIN_PATHS = {path for path, item in CONTRACT["paths"].items() if "servers" in item}
METHODS = {"get", "post", "put", "delete", "patch", "options", "head", "trace"}

_URN = "urn:showcheck:contract"
_REGISTRY: Registry[Any] = Registry().with_resource(_URN, DRAFT202012.create_resource(CONTRACT))
_TEMPLATES = {path: re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))) for path in CONTRACT["paths"]}


@cache
def validator(pointer: str) -> Draft202012Validator:
    """The validator for the schema at a JSON pointer of the contract."""
    return Draft202012Validator({"$ref": f"{_URN}#{pointer}"}, registry=_REGISTRY)


def _escape(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")


def _response_pointer(method: str, path: str, status: int, on_admin_port: bool) -> str:
    """Where the contract describes the answer; every unknown path and method has the same two answers."""
    template = next((name for name, pattern in _TEMPLATES.items() if pattern.fullmatch(path)), None)
    if template is None or (template in ADMIN_PATHS) != on_admin_port:
        assert status == 404, f"{method} {path} is not in the contract, and was answered with {status}"
        return "/components/responses/NotFound"
    known = METHODS & CONTRACT["paths"][template].keys()
    operation = "get" if method == "HEAD" and "get" in known else method.lower()
    if operation not in known:
        assert status == 405, f"{method} {path} is not in the contract, and was answered with {status}"
        return "/components/responses/MethodNotAllowed"
    responses = CONTRACT["paths"][template][operation]["responses"]
    assert str(status) in responses, f"the contract has no answer {status} for {method} {path}"
    answer = responses[str(status)]
    if "$ref" in answer:
        return str(answer["$ref"]).removeprefix("#")
    return f"/paths/{_escape(template)}/{operation}/responses/{status}"


def _look_up(pointer: str) -> Any:
    found: Any = CONTRACT
    for part in pointer.split("/")[1:]:
        found = found[part.replace("%7B", "{").replace("%7D", "}").replace("~1", "/").replace("~0", "~")]
    return found


def check(method: str, path: str, on_admin_port: bool, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Fail unless the contract allows this answer: its status, headers, content type and body."""
    pointer = _response_pointer(method, path, status, on_admin_port)
    answer = _look_up(pointer)
    for name, header in answer["headers"].items():
        assert name in headers, f"{name} is missing in the answer to {method} {path}"
        schema = header["$ref"].removeprefix("#") + "/schema"
        validator(schema).validate(headers[name])
    media_type = headers["Content-Type"].partition(";")[0]
    assert media_type in answer["content"], f"{media_type} is not what the contract has for {method} {path} ({status})"
    if method == "HEAD":
        assert body == b""
        return
    text = body.decode()
    value: Any = json.loads(text) if media_type.endswith("json") else text
    validator(f"{pointer}/content/{_escape(media_type)}/schema").validate(value)
    if media_type == "application/problem+json":
        assert value["status"] == status
        assert value["request_id"] == headers["X-Request-ID"]


def value_of(response: TestResponse) -> Any:
    """The JSON value of an answer."""
    return json.loads(response.data)


class CheckedClient(FlaskClient):
    """A test client that asks on one port, and holds every answer against the contract."""

    port = Settings.port

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        kwargs["environ_overrides"] = {"SERVER_PORT": str(self.port), **kwargs.get("environ_overrides", {})}
        response = super().open(*args, **kwargs)
        request = response.request
        on_admin_port = self.port == Settings.admin_port
        check(request.method, request.path, on_admin_port, response.status_code, dict(response.headers), response.data)
        return response


def faults_of(client: FlaskClient, body: Any, path: str = "/validate") -> list[dict[str, str]]:
    """The faults of a request that is refused for them."""
    response = client.post(path, data=json.dumps(body), content_type="application/json")
    assert response.status_code == 422, response.text
    problem = value_of(response)
    assert problem["code"] == "INVALID_REQUEST"
    errors: list[dict[str, str]] = problem["errors"]
    return errors
