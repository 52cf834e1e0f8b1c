"""Wire: JSON in and out: from the bytes of a request to a question for `game`, and from its answer to text.

It knows the contract (`openapi.yaml`) and nothing of Flask or gunicorn. It imports `game`, `telemetry` and `limits`.
"""
