"""Schemas: the few types that marshmallow itself reads less strictly."""

import pytest

from service.wire.schemas import VERIFY_SCHEMA


@pytest.mark.parametrize(("value", "taken"), [(True, True), (False, True), (1, False), ("on", False), (None, False)])
def test_a_truth_value_is_true_or_false(value: object, taken: bool) -> None:
    assert ("replay" not in VERIFY_SCHEMA.validate({"attestation": "a", "replay": value})) == taken
