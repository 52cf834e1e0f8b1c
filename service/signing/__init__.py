"""Signing: the identity and the signature of a verdict, and what a signed verdict proves.

It knows keys and tokens, not where a key is kept. It imports `wire` and what lies below.
"""
