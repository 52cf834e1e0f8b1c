"""gunicorn: how Showcheck is served; what is not set here is its default."""

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
    # Read here, so that a fault stops the start once and clearly; the workers have it from here. What is faulty when
    # this file is read again (SIGHUP) does not end a server that is well.
    fault = reload_state()
    settings = load_state().settings
except StartError as error:
    raise SystemExit(str(error)) from None

METRICS_DIR = "PROMETHEUS_MULTIPROC_DIR"
MADE_HERE = "showcheck-metrics-"
# So long a worker that ends waits for its log to be read.
FLUSH_SECONDS = 2
INTERPRETED = "interpreted; about ten times faster compiled: `make run-compiled`, or `pip install .` with a C compiler"

# The factory is called in every worker.
wsgi_app = "service.web.app:create_app()"
# Players' traffic and the operators' probes on ports of their own: the second need not leave the cluster.
bind = [f"0.0.0.0:{settings.port}", f"0.0.0.0:{settings.admin_port}"]
# Scaled by pods: one worker each, unless the environment says otherwise.
workers = settings.workers
# Single calls are answered by its main loop, batches by threads; slow senders and idle connections hold neither.
worker_class = "service.server.worker.Worker"
threads = settings.threads
# Files of a worker: those that it may have open, or as many as it ever needs. Its connections are these, less a hundred
# of its own and a hundred that may come on each port in one turn: an `accept` beyond would end it, or leave probes
# unanswered.
allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
files = min(4096 + 300, allowed)
worker_connections = max(16, files - 300)
# Of several workers, each has listeners of its own: otherwise one takes nearly all keep-alive connections. A single one
# has the master's, where those who come wait while a dead worker is replaced.
reuse_port = workers > 1
# Longer than a balancer keeps an idle connection (60 s), so that it never sends into a closed one.
keepalive = 75
# A request takes milliseconds; this is for slow senders, and stays within the pod's grace period.
graceful_timeout = 20
# The heartbeat file must not lie on a disk that can stall; None is gunicorn's own choice.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
# Nothing that a peer sends decides where the application lies or over which scheme it was called; nor does SCRIPT_NAME.
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
os.environ.pop("SCRIPT_NAME", None)
# It would be a socket under $HOME: an error on a read-only root file system.
control_socket_disable = True


class JsonLogger(Logger):  # type: ignore[misc]
    """gunicorn's log in our form. Not by `logconfig_dict`: that switches on an access log, which we write ourselves."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        dictConfig(server_logging(settings.log_level))

    def info(self, msg: str, *args: object, **kwargs: object) -> None:
        if msg.startswith("Listening at: "):
            # With `reuse_port` it is the workers that listen, of which gunicorn knows no address here.
            args = (", ".join(bind), *args[1:])
        super().info(msg, *args, **kwargs)

    def warning(self, msg: str, *args: object, **kwargs: object) -> None:
        # What could not be parsed may be the end of a body, and so hold a player's cards: only the kind of fault stays.
        peer, _, fault = msg.partition(": ")
        if peer.startswith("Invalid request from ip="):
            kind = re.match(r"Invalid [A-Za-z ]+(?=: )", fault)
            msg = f"{peer}: {kind[0] if kind else 'not HTTP'}"
        super().warning(msg, *args, **kwargs)


# gunicorn's own lines in the same JSON as the service's.
logger_class = JsonLogger
loglevel = settings.log_level.lower()


def on_starting(server: Arbiter) -> None:
    """Before the first worker starts: which core runs, are the ports free, and where do the metric files go?"""
    server.log.info("Core: %s", "compiled" if is_compiled() else INTERPRETED)
    taken = [f"port {port}: {fault}" for port in (settings.port, settings.admin_port) if (fault := _port_fault(port))]
    if taken:
        # The kind of error that gunicorn reports in one line.
        raise RuntimeError(str(StartError(taken)))
    # prometheus_client looks for the name when a worker first imports it.
    folder = Path(os.environ.get(METRICS_DIR) or tempfile.mkdtemp(prefix=MADE_HERE))
    os.environ[METRICS_DIR] = str(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Counts begin at zero: wipe what an earlier run left, and nothing else.
        for file in folder.glob("*_[0-9]*.db"):
            if file.name.startswith(("counter_", "gauge_", "histogram_", "summary_")):
                file.unlink()
    except OSError as error:
        raise RuntimeError(str(StartError([f"{METRICS_DIR}: {error.strerror} ({folder})"]))) from None
    # The workers have it from here: one that is replaced listens at once, and should answer at once.
    import service.web.app  # noqa: F401, PLC0415


def on_reload(server: Arbiter) -> None:
    """Tell why all stays as it was."""
    if fault:
        server.log.error("Nothing was read again: %s", "; ".join(fault.faults))


def _port_fault(port: int) -> str:
    """Why a port cannot be had, or nothing. With `reuse_port` the workers would share it, or die in turn for ever."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))  # noqa: S104
        except OSError as error:
            return error.strerror or str(error)
    return ""


def post_fork(_server: Arbiter, worker: Worker) -> None:
    """Of a worker that is killed, Linux closes the file with the highest number first: that should be its listeners,
    lest who has lost a connection comes again to a listener that is about to close.
    """
    for listener in worker.sockets:
        number = fcntl.fcntl(listener, fcntl.F_DUPFD_CLOEXEC, files - 20)
        listener.close()
        listener.sock = socket.socket(fileno=number)


def post_worker_init(_worker: Worker) -> None:
    """What is there after the start stays: the garbage collector need not look at it again with every request."""
    gc.collect()
    gc.freeze()


def worker_exit(_server: Arbiter, worker: Worker) -> None:
    """What was answered is counted and logged before the worker ends; one that never started has nothing to tell."""
    app = getattr(worker, "wsgi", None)
    recorder = app and app.extensions.get("recorder")
    if recorder:
        flushing = threading.Thread(target=recorder.flush, daemon=True)
        flushing.start()
        flushing.join(FLUSH_SECONDS)
        if flushing.is_alive():
            # A log that nobody reads. Python itself would wait for it at its end.
            os._exit(0)


def child_exit(_server: Arbiter, worker: Worker) -> None:
    """A dead worker's gauges no longer count; its counters do."""
    # Not at the top: there the directory is not yet in the environment.
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415

    # A folder that cannot be written to must not end the master, and every verdict with it.
    with contextlib.suppress(OSError):
        mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(_server: Arbiter) -> None:
    """Leave no directory behind that was made here."""
    folder = Path(os.environ[METRICS_DIR])
    if folder.name.startswith(MADE_HERE):
        shutil.rmtree(folder, ignore_errors=True)
