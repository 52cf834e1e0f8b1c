"""What is measured: one core at several numbers of clients, an open loop below its peak, and two cores."""

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, Final

from bench.builds import cores
from bench.capacity import openloop
from bench.http.bodies import SCORE, write_lines
from bench.http.measure import machine
from bench.http.servers import Server, service
from bench.http.wrk import Load, run
from bench.load import mix
from service.startup.settings import Settings

BUILD: Final = "compiled"
CLIENTS: Final = (1, 2, 4, 8, 16, 32, 64)
USUAL_CLIENTS: Final = 16
SHARES: Final = (0.5, 0.7, 0.9)
# Of one pod and two in turn: another program may take a core for a while.
ROUNDS: Final = 3
CACHE: Final = Settings.cache_size
# More new hands than a cache holds: when the stream begins again, none of them is remembered.
REQUESTS: Final = 80_000


class Stream:
    """The good requests of the load test, in a file for wrk, and how far they have been sent."""

    def __init__(self, folder: Path, count: int) -> None:
        good = (ask for ask in mix.stream() if not ask.kind.startswith("bad"))
        self.asks = [(ask.path, ask.body) for ask in islice(good, count)]
        self.file = write_lines(folder / "stream.txt", [f"{path} {body}" for path, body in self.asks])
        self.sent = 0

    def load(
        self, server: Server, clients: int, seconds: float, on_cores: tuple[int, ...] | None = None
    ) -> dict[str, Any]:
        """Load a server with what comes next."""
        result = run(server, Load(SCORE, self.file, clients), seconds, self.sent, on_cores)
        self.sent += result["requests"]
        return result | {"clients": clients, "busy": _busy(result)}

    def next_requests(self, count: int) -> list[bytes]:
        """What comes next, as it is sent."""
        numbers = range(self.sent, self.sent + count)
        self.sent += count
        return [openloop.http_request(*self.asks[number % len(self.asks)]) for number in numbers]


def _busy(result: dict[str, Any]) -> float:
    """The share of the time, of one core, for which the workers ran."""
    busy: float = result["cpu_microseconds"] * result["per_second"] / 1e6
    return busy


def measure_core(stream: Stream, seconds: float, cache_size: int) -> dict[str, Any]:
    """One worker on one core: closed loop, then open loop at shares of the peak, then memory."""
    with service(BUILD, cache_size) as server:
        first = server.pod_memory()
        stream.load(server, USUAL_CLIENTS, seconds)
        closed = []
        for clients in CLIENTS:
            closed.append(stream.load(server, clients, seconds))
            print(
                f"{clients:3} clients  {closed[-1]['per_second']:8,.0f}/s  {closed[-1]['busy']:.0%} of its core",
                flush=True,
            )
        peak = max(each["per_second"] for each in closed)
        opened = []
        for share in SHARES:
            opened.append(_open_loop(server, stream, share, peak, seconds))
            print(
                f"open loop {share:.0%}  {opened[-1]['per_second']:8,.0f}/s  {opened[-1]['busy']:.0%} of its core",
                flush=True,
            )
        # Not before: now the cache is as full as it gets.
        counts = server.cache()
        return {
            "seconds": seconds,
            "peak": peak,
            "closed": closed,
            "open": opened,
            "cache": {"hits": counts["hit"] / (counts["hit"] + counts["miss"]), "entries": counts["entries"]},
            "memory": {"first": first, "last": server.pod_memory()},
        }


def _open_loop(server: Server, stream: Stream, share: float, peak: float, seconds: float) -> dict[str, Any]:
    times = openloop.due_times(share * peak, 2 * seconds)
    requests = stream.next_requests(len(times))
    before = server.cpu_seconds()
    results = openloop.run(server.port, requests, times)
    cpu = server.cpu_seconds() - before
    quantiles = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
    return {
        "share": share,
        "requests": len(times),
        "per_second": len(times) / times[-1],
        "busy": cpu / times[-1],
        **{name: openloop.percentile(results.latencies, each) * 1e6 for name, each in quantiles.items()},
        "refused": results.refused / len(times),
        "late_p99": openloop.percentile(results.late, 0.99) * 1e6,
    }


def measure_scaling(stream: Stream, seconds: float, cache_size: int) -> dict[str, Any]:
    """Each pod shares its core with its own wrk, so that one and two are loaded alike; then two workers in one pod."""
    first, second = cores()
    figures: dict[str, Any] = {"seconds": seconds, "clients": USUAL_CLIENTS}
    with (
        service(BUILD, cache_size, on_cores=(first,)) as one,
        service(BUILD, cache_size, on_cores=(second,)) as other,
        ThreadPoolExecutor(2) as both,
    ):
        pairs = [(one, (first,)), (other, (second,))]

        def load(pair: tuple[Server, tuple[int, ...]]) -> dict[str, Any]:
            return stream.load(pair[0], USUAL_CLIENTS, seconds, pair[1])

        # Warm them up first.
        list(both.map(load, pairs))
        figures["rounds"] = [
            {"alone": [load(pair) for pair in pairs], "together": list(both.map(load, pairs))} for _ in range(ROUNDS)
        ]
    with service(BUILD, cache_size, workers=2, on_cores=(first, second)) as server:
        stream.load(server, 2 * USUAL_CLIENTS, seconds, (first, second))
        figures["workers"] = [stream.load(server, 2 * USUAL_CLIENTS, seconds, (first, second)) for _ in range(ROUNDS)]
        figures["memory"] = server.pod_memory()
    for name in ("alone", "together"):
        for each in figures["rounds"]:
            print(f"{name:<10} {'  '.join(format(one['per_second'], '8,.0f') for one in each[name])}/s", flush=True)
    print(f"two workers {'  '.join(format(one['per_second'], '8,.0f') for one in figures['workers'])}/s", flush=True)
    return figures


def about() -> dict[str, str]:
    """The machine, and what else it had to do when the measurement began."""
    return {**machine(), "load_average": f"{os.getloadavg()[0]:.1f}"}
