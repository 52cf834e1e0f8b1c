"""gunicorn: how Showcheck is served. Settings that are not named here keep their defaults."""

import contextlib
import fcntl
import gc
import os
import re
import resource
import shutil
import socket
import tempfile
import threading
from logging.config import dictConfig
from pathlib import Path

from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]
from gunicorn.config import Config  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from gunicorn.workers.base import Worker  # type: ignore[import-untyped]

from service.startup.build import is_compiled
from service.startup.start_error import StartError
from service.startup.state import load_state, reload_state
from service.telemetry.json_lines import server_logging

try:
    # Read here, so that a fault stops the start with one message; the workers inherit the state. A fault found when
    # SIGHUP has this file read again does not end a running server.
    fault = reload_state()
    settings = load_state().settings
except StartError as error:
    raise SystemExit(str(error)) from None

METRICS_DIR = "PROMETHEUS_MULTIPROC_DIR"
MADE_HERE = "showcheck-metrics-"
# How long a stopping worker waits for its log to drain.
FLUSH_SECONDS = 2
INTERPRETED = "interpreted; about ten times faster compiled: `make run-compiled`, or `pip install .` with a C compiler"

# Each worker calls the factory.
wsgi_app = "service.web.app:create_app()"
# Calls and operators' probes have a port each, so that the second need not leave the cluster.
bind = [f"0.0.0.0:{settings.port}", f"0.0.0.0:{settings.admin_port}"]
# One worker by default: the service scales by pods.
workers = settings.workers
# Its main loop answers single calls, and its threads answer batches; slow senders and idle connections hold neither.
worker_class = "service.server.worker.Worker"
threads = settings.threads
# How many files a worker may have open: 4096 connections and 300 others, or what the system allows. The 300 are a
# hundred of its own, and a hundred connections that each port may accept in one turn. An `accept` beyond the limit
# would end the worker, or leave probes unanswered.
allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
files = min(4096 + 300, allowed)
worker_connections = max(16, files - 300)
# Several workers have listeners of their own; otherwise one of them gets nearly all keep-alive connections. A single
# worker uses the master's, where new connections wait while a dead worker is replaced.
reuse_port = workers > 1
# Longer than a balancer keeps an idle connection (60 s), so that it never sends into a closed one.
keepalive = 75
# A request takes milliseconds; this is for slow senders, and stays within the pod's grace period.
graceful_timeout = 20
# The heartbeat file must not lie on a disk that can stall; None is gunicorn's own choice.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
# No header of a peer and no SCRIPT_NAME changes the path or the scheme that the application sees.
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
os.environ.pop("SCRIPT_NAME", None)
# The control socket would lie under $HOME, which fails on a read-only file system.
control_socket_disable = True


class JsonLogger(Logger):  # type: ignore[misc]
    """Writes gunicorn's log as JSON lines. `logconfig_dict` would also switch on its access log, a second one."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        dictConfig(server_logging(settings.log_level))

    def info(self, msg: str, *args: object, **kwargs: object) -> None:
        if msg.startswith("Listening at: "):
            # With `reuse_port` the workers listen, and gunicorn knows no address here.
            args = (", ".join(bind), *args[1:])
        super().info(msg, *args, **kwargs)

    def warning(self, msg: str, *args: object, **kwargs: object) -> None:
        # Keep only the kind of fault: the text may be the end of a body, and so hold a player's cards.
        peer, _, fault = msg.partition(": ")
        if peer.startswith("Invalid request from ip="):
            kind = re.match(r"Invalid [A-Za-z ]+(?=: )", fault)
            msg = f"{peer}: {kind[0] if kind else 'not HTTP'}"
        super().warning(msg, *args, **kwargs)


logger_class = JsonLogger
loglevel = settings.log_level.lower()


def on_starting(server: Arbiter) -> None:
    """Before the first worker starts, log which core runs, check the ports, and prepare the folder of metric files."""
    server.log.info("Core: %s", "compiled" if is_compiled() else INTERPRETED)
    taken = [f"port {port}: {fault}" for port in (settings.port, settings.admin_port) if (fault := _port_fault(port))]
    if taken:
        # gunicorn reports a RuntimeError in one line.
        raise RuntimeError(str(StartError(taken)))
    # prometheus_client reads the name when it is first imported.
    folder = Path(os.environ.get(METRICS_DIR) or tempfile.mkdtemp(prefix=MADE_HERE))
    os.environ[METRICS_DIR] = str(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Counts begin at zero: remove the files of an earlier run, and nothing else.
        for file in folder.glob("*_[0-9]*.db"):
            if file.name.startswith(("counter_", "gauge_", "histogram_", "summary_")):
                file.unlink()
    except OSError as error:
        raise RuntimeError(str(StartError([f"{METRICS_DIR}: {error.strerror} ({folder})"]))) from None
    # The workers inherit the import, so that a replaced worker answers as soon as it listens.
    import service.web.app  # noqa: F401, PLC0415


def on_reload(server: Arbiter) -> None:
    """Log why nothing was reloaded."""
    if fault:
        server.log.error("Nothing was read again: %s", "; ".join(fault.faults))


def _port_fault(port: int) -> str:
    """Why a port cannot be bound, or "". With `reuse_port` the workers would share it, or die one after the other."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))  # noqa: S104
        except OSError as error:
            return error.strerror or str(error)
    return ""


def post_fork(_server: Arbiter, worker: Worker) -> None:
    """Give the listeners the highest file numbers. When a worker is killed, Linux closes these first, so that a client
    that has lost its connection does not come back to a listener that is about to close.
    """
    for listener in worker.sockets:
        number = fcntl.fcntl(listener, fcntl.F_DUPFD_CLOEXEC, files - 20)
        listener.close()
        listener.sock = socket.socket(fileno=number)


def post_worker_init(_worker: Worker) -> None:
    """Exempt the objects made by the start from garbage collection: they stay for good."""
    gc.collect()
    gc.freeze()


def worker_exit(_server: Arbiter, worker: Worker) -> None:
    """Count and log what was answered before the worker ends; one that never started has no request log."""
    app = getattr(worker, "wsgi", None)
    request_log = app and app.extensions.get("request_log")
    if request_log:
        flushing = threading.Thread(target=request_log.flush, daemon=True)
        flushing.start()
        flushing.join(FLUSH_SECONDS)
        if flushing.is_alive():
            # Nobody reads the log. A normal exit would wait for it.
            os._exit(0)


def child_exit(_server: Arbiter, worker: Worker) -> None:
    """Remove the gauges of a dead worker; its counters stay."""
    # Not at the top, where the folder is not yet in the environment.
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415

    # A folder that cannot be written to must not end the master.
    with contextlib.suppress(OSError):
        mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(_server: Arbiter) -> None:
    """Remove the folder of metric files if it was made here."""
    folder = Path(os.environ[METRICS_DIR])
    if folder.name.startswith(MADE_HERE):
        shutil.rmtree(folder, ignore_errors=True)
