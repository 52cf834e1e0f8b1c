"""Startup: all that is read once: settings, rule-set files, key files; and the engine that is made of them.

It knows the environment and the file system. `web` and `cli` both take what they run from here.
"""
