"""Server: the gunicorn worker: connections, slow senders, queues, overload.

It knows bytes and sockets, and nothing of what a request asks. It imports `wire` (for its problems),
`telemetry` and `limits`.
"""
