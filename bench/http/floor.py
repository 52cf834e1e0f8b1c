"""The floor: Flask and marshmallow read the same request and answer with as many bytes. Nothing is solved."""

import json
import os
from pathlib import Path
from typing import Any, Final

from flask import Flask, Response, request
from marshmallow import Schema, fields

ANSWERS: Final = "FLOOR_ANSWERS"


class Request(Schema):
    """The structure of a request, in marshmallow's own fields."""

    rule_set = fields.String(required=True)
    wild_rank = fields.String(allow_none=True)
    hand = fields.List(fields.String(), required=True)
    groups = fields.List(fields.List(fields.String()), allow_none=True)
    finish_card = fields.String(allow_none=True)
    players = fields.Integer(strict=True, allow_none=True)


def create_app(answers: dict[str, Any] | None = None) -> Flask:
    """The application. `answers`: what it says on each path, by default from the file that `FLOOR_ANSWERS` names."""
    if answers is None:
        answers = json.loads(Path(os.environ[ANSWERS]).read_text(encoding="utf-8"))
    app = Flask(__name__, static_folder=None)
    schema = Request()

    def view(answer: dict[str, Any]) -> Response:
        schema.load(request.get_json())
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        return Response(text + "\n", content_type="application/json")

    for path, answer in answers.items():
        app.add_url_rule(path, path, view, methods=["POST"], defaults={"answer": answer})
    return app
