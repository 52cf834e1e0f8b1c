"""Canonical JSON: one text for each value, as digests and signatures need it."""

import json


def canonical_json(value: object) -> str:
    """The canonical JSON (RFC 8785) of a value whose keys are ASCII and whose numbers are whole."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
