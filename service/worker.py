"""The worker: gunicorn's threads, but a request takes one only once all of it has arrived.

gunicorn's own threaded worker reads a request in the thread that answers it, so that as many slow senders as there are
threads hold up everybody. Here the main loop collects what arrives, from any number of connections at once. Probes and
metrics have a thread of their own, and a queue that has grown too long to be of use is not joined.
"""

import contextlib
import time
from concurrent.futures import Future, ThreadPoolExecutor
from errno import EAGAIN, ECONNABORTED
from functools import partial
from http import HTTPStatus
from selectors import EVENT_READ
from socket import SHUT_WR, SO_RCVTIMEO, SO_SNDTIMEO, SOL_SOCKET, socket
from struct import pack
from typing import Any, Final

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]

from service.arrival import Arrival
from service.problems import unread_problem
from service.records import Record

# A request is sent in milliseconds; over a bad line it may take seconds.
ARRIVAL_SECONDS: Final = 10
# A thread that has to wait for its peer after all (a longer body, an answer that is not taken) waits so long.
THREAD_SECONDS: Final = 5
# So long a peer may still send to a connection that is closing, lest it loses the answer.
LINGER_SECONDS: Final = 2
# On all connections together.
MOST_WAITING_BYTES: Final = 64 * 1024 * 1024
# Half a second's work: whoever waits longer has given up, and an answer would take the time of others.
MOST_QUEUED: Final = 1000

_CHUNK: Final = 64 * 1024


class Connection(TConn):  # type: ignore[misc]
    """A connection, what has arrived on it, and until when it may wait for more (`deadline`, monotonic seconds)."""

    def __init__(self, worker: "Worker", sock: socket, peer: object) -> None:
        super().__init__(worker.cfg, sock, peer, sock.getsockname())
        self.worker = worker
        # The admin port is the second that is bound.
        self.admin = self.server[1] == worker.cfg.address[1][1]
        self.renew()

    def renew(self, read: bytes = b"") -> None:
        """Begin to wait for the next request, of which some may have been read already."""
        self.arrival = Arrival(read)
        self.told_to_go_on = False
        self.deadline = time.monotonic() + self.cfg.keepalive

    def collect(self) -> bool:
        """Take in what is there without waiting for more; whether the peer has ended what it sends."""
        try:
            while not self.arrival.complete:
                if not (data := self.sock.recv(_CHUNK)):
                    return True
                if not self.arrival.data:
                    self.deadline = time.monotonic() + ARRIVAL_SECONDS
                self.arrival.add(data)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return False

    def send(self, data: bytes) -> None:
        """Send without waiting; where the peer is gone or does not read, there is nobody to tell."""
        with contextlib.suppress(OSError):
            self.sock.send(data)

    def close(self, graceful: bool = False) -> None:
        """Close it; `graceful`: once the peer has closed its end, which the main loop waits for."""
        if graceful:
            self.worker.linger(self)
        else:
            super().close()


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker, changed as the module's docstring says.

    All that is not `handle` happens in its main loop, one thing after the other.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        self.admin_pool = ThreadPoolExecutor(max_workers=1)
        # Requests that are answered or wait for a thread.
        self.queued = 0
        # Connections whose request has not arrived, and those that only wait for their peer to close.
        self.waiting: dict[Connection, None] = {}
        self.closing: dict[Connection, None] = {}
        self.waiting_bytes = 0
        self.swept = 0.0

    def init_process(self) -> None:
        # gunicorn answers what it cannot parse in HTML.
        util.write_error = _write_error
        super().init_process()

    def accept(self, listener: socket) -> None:
        try:
            sock, peer = listener.accept()
        except OSError as error:
            if error.errno in (EAGAIN, ECONNABORTED):
                return
            raise
        self.nr_conns += 1
        for option in (SO_RCVTIMEO, SO_SNDTIMEO):
            sock.setsockopt(SOL_SOCKET, option, pack("ll", THREAD_SECONDS, 0))
        self.enqueue_req(Connection(self, sock, peer))

    def enqueue_req(self, conn: Connection) -> None:
        """Give a connection a thread if its request has arrived; else it waits in the poller, at no cost to others."""
        ended = conn.collect()
        if not ended and not conn.arrival.complete:
            self._wait(conn)
        elif self.queued >= MOST_QUEUED and not conn.admin:
            self._refuse(conn, 503, "OVERLOADED", "There is more to do than can be done in time; try again later.")
        else:
            self.queued += 1
            pool = self.admin_pool if conn.admin else self.tpool
            future = pool.submit(self.handle, conn)
            future.add_done_callback(partial(self.method_queue.defer, self.finish_request, conn))

    def _wait(self, conn: Connection) -> None:
        if conn.arrival.awaits_continue and not conn.told_to_go_on:
            conn.told_to_go_on = True
            conn.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        self.waiting[conn] = None
        self.waiting_bytes += len(conn.arrival.data)
        self.poller.register(conn.sock, EVENT_READ, partial(self._readable, conn))
        if self.waiting_bytes > MOST_WAITING_BYTES:
            self._stop_waiting(conn)
            self._refuse(conn, 503, "OVERLOADED", "Too much is being sent at the same time; try again later.")

    def _stop_waiting(self, conn: Connection) -> None:
        self.poller.unregister(conn.sock)
        del self.waiting[conn]
        self.waiting_bytes -= len(conn.arrival.data)

    def _readable(self, conn: Connection, _sock: socket) -> None:
        self._stop_waiting(conn)
        self.enqueue_req(conn)

    def handle(self, conn: Connection) -> object:
        """Answer a request, in a thread. All of it goes to the parser, which has nothing to wait for."""
        conn.data_ready = True
        conn.sock.setblocking(True)
        conn.init()
        conn.parser.unreader.unread(bytes(conn.arrival.data))
        return super().handle(conn)

    def finish_request(self, conn: Connection, fs: "Future[Any]") -> None:
        self.queued -= 1
        # What the parser has read of the next request goes on arriving.
        conn.renew(conn.parser.unreader.take_buffered() if conn.parser else b"")
        super().finish_request(conn, fs)
        if conn.arrival.data and conn in self.keepalived_conns:
            self.on_client_socket_readable(conn, conn.sock)

    def _refuse(self, conn: Connection, status: int, code: str, detail: str) -> None:
        """Answer from the main loop, put down what was answered, and close."""
        record = Record(conn.arrival.request_id, conn.arrival.method, None, conn.admin)
        record.fields["outcome"] = code
        record.end(status)
        self.wsgi.extensions["recorder"].put(record)
        conn.send(unread_problem(status, code, detail, record.request_id))
        self.nr_conns -= 1
        conn.close(graceful=True)

    def linger(self, conn: Connection) -> None:
        """Close a connection when its peer has closed it, or soon."""
        try:
            conn.sock.setblocking(False)
            conn.sock.shutdown(SHUT_WR)
        except OSError:
            conn.close()
            return
        conn.renew()
        conn.deadline = time.monotonic() + LINGER_SECONDS
        self.closing[conn] = None
        self.poller.register(conn.sock, EVENT_READ, partial(self._drain, conn))

    def _drain(self, conn: Connection, _sock: socket) -> None:
        deadline = conn.deadline
        if conn.collect():
            self._end_linger(conn)
        else:
            conn.renew()
            conn.deadline = deadline

    def _end_linger(self, conn: Connection) -> None:
        self.poller.unregister(conn.sock)
        del self.closing[conn]
        conn.close()

    def murder_pending(self) -> None:
        """End what has waited too long, once a second. Whoever has begun a request is told."""
        now = time.monotonic()
        if now < self.swept + 1:
            return
        self.swept = now
        for conn in [conn for conn in self.closing if conn.deadline < now]:
            self._end_linger(conn)
        for conn in [conn for conn in self.waiting if conn.deadline < now]:
            self._stop_waiting(conn)
            if conn.arrival.data:
                detail = f"The request had not arrived after {ARRIVAL_SECONDS} seconds."
                self._refuse(conn, 408, "REQUEST_TIMEOUT", detail)
            else:
                self.nr_conns -= 1
                conn.close()

    def _cap_keepalive(self, deadline: float) -> None:
        """The worker stops: where nothing has arrived, it waits no longer than for idle connections."""
        super()._cap_keepalive(deadline)
        for conn in self.waiting:
            if not conn.arrival.data:
                conn.deadline = min(conn.deadline, deadline)


def _write_error(sock: socket, status: int, _reason: str, _detail: str) -> None:
    """In place of gunicorn's HTML. Its detail may quote what a peer has sent, and so a player's cards."""
    code = "INTERNAL" if status == HTTPStatus.INTERNAL_SERVER_ERROR else "BAD_REQUEST"
    request_id = Record("", "", None, admin=False).request_id
    with contextlib.suppress(OSError):
        sock.send(unread_problem(status, code, f"{HTTPStatus(status).phrase}.", request_id))
