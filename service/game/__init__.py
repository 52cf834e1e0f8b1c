"""Game: the rules of 13-card Indian Rummy, the best grouping of a hand, the verdict on a show, the end of a deal.

It knows nothing of JSON, HTTP, files or time, and imports the standard library only. mypyc compiles it.
"""
