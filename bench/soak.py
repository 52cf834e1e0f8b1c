"""`python -m bench soak`: half a million requests of all kinds, and a plot of what memory the worker held meanwhile."""

import argparse

from matplotlib.figure import Figure

from bench.builds import PLOTS
from bench.report import save_svg
from tests.heavy.faults.soak import Soak, soak


def plot(done: Soak) -> Figure:
    """The memory over the requests."""
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([at / 1000 for at, _ in done.memory], [megabytes for _, megabytes in done.memory])
    axes.set(xlabel="Thousand requests", ylabel="Megabytes resident", ylim=(0, None))
    axes.set_title("Memory of a worker under requests of all kinds")
    axes.grid(visible=True, alpha=0.3)
    return figure


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench soak", description=__doc__)
    parser.add_argument("--requests", type=int, default=500_000)
    done = soak(parser.parse_args(arguments).requests)
    save_svg(plot(done), PLOTS / "soak.svg")
    print(f"{done.sent} requests, wrong: {done.failed or 'none'}; {done.growth:+.2f} MB after warm-up")
    return 1 if done.failed else 0
