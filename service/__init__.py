"""Showcheck: judges shows and scores hands of 13-card Indian Rummy over HTTP.

`cli` and `web` are the two ways in; both run the engine that `startup` puts together. Imports go downwards only:
cli | web -> startup -> server | signing -> wire -> telemetry | game -> limits.
"""
