"""Messages: every sentence that an answer has, built from a key and its details alone, so that it can be translated.

A key is a code, or a code and behind a dot the variant that its details ask for.
"""
