"""Telemetry: what operators see of each request: log lines and metrics.

It knows outcomes and codes, never the cards of a player. It imports `limits` only.
"""
