"""Worker: gunicorn's threaded worker, changed so that no thread waits for a peer.

gunicorn reads a request and writes its answer in the thread that answers it, so a few slow peers can hold all threads.
Here the main loop collects the bytes of all connections and sends answers piece by piece. A request is read from
memory, and its answer is written to memory.

The main loop also answers single calls, one after the other, as that costs less than handing each to a thread and back.
Probes and metrics have a thread of their own, and batches have others. A request that finds its queue full is refused.
"""

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from selectors import EVENT_READ, EVENT_WRITE
from socket import SHUT_WR, socket
from typing import Any, Final

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.http.parser import RequestParser  # type: ignore[import-untyped]
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, TConn, ThreadWorker  # type: ignore[import-untyped]

from service.limits import MAX_ANSWER_SECONDS, MAX_ARRIVAL_SECONDS, MAX_QUEUED, MAX_QUEUED_BATCHES, MAX_WAITING_BYTES
from service.server.arrival import Arrival, Endless
from service.telemetry.events import RequestEvent, request_id, set_arrival_time
from service.wire.problems import Problem, status_problem, unread_problem

# How long a closing connection still takes what its peer sends, so that the peer does not lose the answer.
LINGER_SECONDS: Final = 2
# How long a connection must rest before it may be closed to make room. A busy caller sends its next request right after
# an answer, and must not send it into a closing connection.
REST_SECONDS: Final = 0.25
# More than any request but a batch may have, head included.
LARGE_BYTES: Final = 128 * 1024
# A batch below this size takes no longer than a few single calls.
SMALL_BYTES: Final = 4 * 1024
# How long the main loop answers calls before it looks after its connections again: switching less often is faster.
TURN_SECONDS: Final = 0.02
# The parser copies its buffer for each chunk of a body, so it gets a request in pieces.
PIECE_BYTES: Final = 8 * 1024
# How many connections are accepted in one turn of the main loop.
MAX_ACCEPTED: Final = 100

_CHUNK: Final = 64 * 1024
_ENDLESS: Final = {
    Endless.BARE_LINE_FEED: Problem(400, "BAD_REQUEST.BARE_LINE_FEED"),
    Endless.BODY_TOO_LARGE: status_problem(413),
    Endless.TOO_MANY_CHUNKS: Problem(400, "BAD_REQUEST.TOO_MANY_CHUNKS"),
    Endless.LINE_TOO_LONG: Problem(414, "BAD_REQUEST.LINE_TOO_LONG"),
    Endless.HEAD_TOO_LONG: Problem(431, "BAD_REQUEST.HEAD_TOO_LONG"),
}
_OVERLOADED: Final = Problem(503, "OVERLOADED")
_TIMEOUT: Final = Problem(408, "REQUEST_TIMEOUT.AFTER", {"seconds": MAX_ARRIVAL_SECONDS})


class Lane:
    """Threads for one kind of request. `queued` counts those being answered or waiting; `most` is its limit."""

    def __init__(self, threads: int, most: int) -> None:
        self.pool: Final = ThreadPoolExecutor(threads)
        self.most: Final = most
        self.queued = 0


class Outbox:
    """Stands in for the socket while a request is answered: keeps what is written, and never blocks."""

    def __init__(self) -> None:
        self.unsent = bytearray()
        # The status of a refusal that gunicorn would have sent as HTML.
        self.refused = 0

    def setblocking(self, flag: bool) -> None: ...

    def sendall(self, data: bytes) -> None:
        self.unsent += data

    def send(self, data: bytes) -> None:
        """Drop the data: gunicorn sends only "100 Continue" this way, and the main loop has sent that already."""

    def shutdown(self, how: int) -> None:  # noqa: ARG002
        """Make gunicorn skip the closing of the connection; the main loop does that."""
        raise OSError

    def close(self) -> None: ...


class Connection(TConn):  # type: ignore[misc]
    """A connection, the request that arrives on it, and until when it may wait for its peer.

    `deadline` is in monotonic seconds.
    """

    def __init__(self, worker: "Worker", wire: socket, peer: object) -> None:
        super().__init__(worker.cfg, wire, peer, wire.getsockname())
        self.parser: RequestParser | None = None
        self.wire = wire
        self.sock = Outbox()
        # For gunicorn: no handshake is needed, and the request is there to be read.
        self.initialized = self.data_ready = True
        # The admin port is bound second.
        self.admin = self.server[1] == worker.cfg.address[1][1]
        self.lane: Lane
        # The event that the poller waits for, and what is called then.
        self.watched: tuple[int, Callable[[Connection], None]] | None = None
        # Whether it stays open after the answer.
        self.kept = True
        self.renew()

    @property
    def bytes(self) -> int:
        """How many bytes it holds in memory."""
        return len(self.arrival.data) + len(self.sock.unsent)

    def renew(self) -> None:
        """Wait for the next request; a part of it may have been read with the last one."""
        read = self.parser.unreader.take_buffered() + b"".join(self.unread) if self.parser else b""
        self.parser = None
        self.unread: Iterator[bytes] = iter(())
        self.arrival = Arrival(read)
        self.continue_sent = False
        # When the request was complete, or until then, when its first byte came.
        self.arrived = time.perf_counter() if read else None
        self.deadline = time.monotonic() + (MAX_ARRIVAL_SECONDS if read else self.cfg.keepalive)

    def collect(self) -> bool:
        """Read what has arrived, without waiting for more. Returns whether the peer has finished sending."""
        try:
            while not self.arrival.complete:
                if not (data := self.wire.recv(_CHUNK)):
                    return True
                if not self.arrival.data:
                    self.arrived = time.perf_counter()
                    self.deadline = time.monotonic() + MAX_ARRIVAL_SECONDS
                self.arrival.add(data)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return False

    def send(self) -> None:
        """Send what the peer takes without waiting, and drop the rest if the peer is gone."""
        unsent = self.sock.unsent
        try:
            while unsent:
                del unsent[: self.wire.send(unsent)]
        except BlockingIOError:
            return
        except OSError:
            unsent.clear()

    def close(self, graceful: bool = False) -> None:  # noqa: ARG002
        self.wire.close()


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker, changed as the module's docstring says.

    Everything but `handle` runs in the main loop only.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        self.sockets: list[socket]
        # Each kind of request has a queue of its own: a long one of calls or batches delays no probe.
        self.admin = Lane(1, MAX_QUEUED)
        self.batches = Lane(self.cfg.threads, MAX_QUEUED_BATCHES * self.cfg.threads)
        # Connections whose request the main loop answers, in the order of arrival.
        self.calls: deque[Connection] = deque()
        # Connections whose request was refused for lack of room; their answers are sent together.
        self.excess: list[Connection] = []
        # The events of these refusals, by method and port.
        self.overloads: dict[tuple[str, bool], RequestEvent] = {}
        # Connections that wait for their peer, and since when, the longest wait first; and the bytes that they hold.
        self.waiting: dict[Connection, float] = {}
        self.waiting_bytes = 0
        self.swept = self.notified = 0.0

    def init_process(self) -> None:
        # gunicorn would answer in HTML what it cannot parse.
        util.write_error = _write_error
        super().init_process()

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """The pool that gunicorn shuts down at the end."""
        return self.batches.pool

    def notify(self) -> None:
        """Tell the master that this worker is alive; once a second, as the main loop turns far more often."""
        now = time.monotonic()
        if now >= self.notified + 1:
            self.notified = now
            super().notify()

    def is_parent_alive(self) -> bool:
        """A worker whose master is gone ends in the same way as one that is stopped."""
        parent_alive = bool(super().is_parent_alive())
        if not parent_alive:
            self.alive = False
        return parent_alive

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """A turn of the main loop: look after connections, send refusals, then answer calls for a while."""
        super().wait_for_and_dispatch_events(0 if self.calls or self.excess else min(timeout, REST_SECONDS))
        self._send_refusals()
        self._answer()

    def _answer(self) -> None:
        """Answer calls for a while, in the order of arrival."""
        until = time.monotonic() + TURN_SECONDS
        while self.calls:
            conn = self.calls.popleft()
            try:
                self.handle(conn)
            except Exception:
                # As in a thread: the fault of one connection must not end the worker.
                self.log.exception("a connection failed")
                conn.kept = False
            self._end(conn)
            if time.monotonic() > until:
                break

    # A connection is accepted.

    def accept(self, listener: socket, most: int = MAX_ACCEPTED) -> None:
        """Accept new connections, at most so many that the others need not wait long."""
        for _ in range(most):
            try:
                wire, peer = listener.accept()
            except OSError:
                return
            self.nr_conns += 1
            self._collect(Connection(self, wire, peer))

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled)
        if not (enabled or self.alive):
            # Accept what waits, then close the listeners so that new clients fail over at once. Where the master goes
            # on listening, new clients wait for the next worker.
            while self.sockets:
                listener = self.sockets.pop()
                self.accept(listener, self.cfg.backlog + 1)
                listener.close()

    # A request arrives.

    def _collect(self, conn: Connection) -> None:
        self.enqueue_req(conn, conn.collect())

    def enqueue_req(self, conn: Connection, ended: bool = False) -> None:
        """Queue a request if all of it has arrived; otherwise wait in the poller for the rest."""
        arrival = conn.arrival
        if arrival.endless:
            self._refuse(conn, _ENDLESS[arrival.endless])
        elif arrival.complete or (ended and arrival.has_head):
            self._queue(conn)
        elif ended:
            self._close(conn)
        else:
            if arrival.awaits_continue and not conn.continue_sent:
                conn.continue_sent = True
                with contextlib.suppress(OSError):
                    conn.wire.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._wait(conn, EVENT_READ, self._collect)

    def _queue(self, conn: Connection) -> None:
        conn.arrived = time.perf_counter()
        lane = self._lane(conn)
        queued, most = (len(self.calls), MAX_QUEUED) if lane is None else (lane.queued, lane.most)
        if queued >= most:
            self._turn_away(conn)
        elif lane is None:
            self.calls.append(conn)
        else:
            lane.queued += 1
            conn.lane = lane
            future = lane.pool.submit(self.handle, conn)
            future.add_done_callback(partial(self.method_queue.defer, self.finish_request, conn))

    def _lane(self, conn: Connection) -> Lane | None:
        """The lane for a request, or None if the main loop answers it."""
        size = len(conn.arrival.data)
        if size > LARGE_BYTES or (size > SMALL_BYTES and conn.arrival.path == "/batch"):
            return self.batches
        return self.admin if conn.admin else None

    # The request is answered.

    def handle(self, conn: Connection) -> None:
        """Answer a request, in the main loop or in a thread, and set whether its connection stays open."""
        set_arrival_time(conn.arrived)
        conn.unread = _pieces(bytes(conn.arrival.data))
        conn.parser = RequestParser(self.cfg, conn.unread, conn.client)
        # gunicorn closes the connection after the answer when there is no room for others.
        self.max_keepalived = self.worker_connections - self.nr_conns
        conn.kept = bool(super().handle(conn))
        if conn.sock.refused:
            self._write_problem(conn, _refusal(conn.sock.refused))
        conn.send()

    def _keepalive_after(self, conn: Connection, keepalive: bool) -> bool:
        """Whether the connection stays open, as the answer says. An unread body is skipped; it is in memory."""
        return bool(keepalive and conn.parser and conn.parser.finish_body())

    def finish_request(self, conn: Connection, fs: "Future[Any]") -> None:
        conn.lane.queued -= 1
        if fs.exception():
            conn.kept = False
        self._end(conn)

    def _refuse(self, conn: Connection, problem: Problem) -> None:
        """Answer, from the main loop, what is no request."""
        conn.kept = self._can_stay(conn)
        self._write_problem(conn, problem)
        self._send(conn)

    def _turn_away(self, conn: Connection) -> None:
        """Refuse a request for lack of room. All refusals of one kind and turn share one event: they may be many."""
        kind = conn.arrival.method, conn.admin
        if event := self.overloads.get(kind):
            event.others += 1
            id_ = request_id(conn.arrival.request_id)
        else:
            event = self.overloads[kind] = _event(conn, _OVERLOADED.code)
            id_ = event.request_id
        conn.kept = self._can_stay(conn)
        conn.sock.sendall(unread_problem(_OVERLOADED, id_, conn.kept))
        # Free the body now: there may be thousands until the end of the turn.
        conn.arrival.data.clear()
        self.excess.append(conn)

    def _send_refusals(self) -> None:
        """Send the refusals of this turn together, which is faster than one by one."""
        excess, overloads = self.excess, self.overloads
        self.excess, self.overloads = [], {}
        for event in overloads.values():
            self._put(event, HTTPStatus.SERVICE_UNAVAILABLE)
        for conn in excess:
            self._send(conn)

    def _can_stay(self, conn: Connection) -> bool:
        """Whether a connection stays open after a refusal; it does not when others need its room."""
        return conn.arrival.ends_here and self.alive and self.nr_conns < self.worker_connections

    def _write_problem(self, conn: Connection, problem: Problem) -> None:
        """Answer and log a request that never reaches the application."""
        event = _event(conn, problem.code)
        self._put(event, problem.status)
        conn.sock.sendall(unread_problem(problem, event.request_id, conn.kept))

    def _put(self, event: RequestEvent, status: int) -> None:
        event.end(status)
        self.wsgi.extensions["request_log"].put(event)

    def _send(self, conn: Connection) -> None:
        conn.send()
        self._end(conn)

    def _end(self, conn: Connection) -> None:
        """Once the answer is sent, wait for the next request or close the connection."""
        if conn.sock.unsent:
            conn.deadline = time.monotonic() + MAX_ANSWER_SECONDS
            self._wait(conn, EVENT_WRITE, self._send)
        elif conn.kept:
            conn.renew()
            if not self.alive:
                conn.deadline = min(conn.deadline, time.monotonic() + STOP_KEEPALIVE_LINGER)
            self.enqueue_req(conn)
        else:
            self._linger(conn)

    # A connection is closed.

    def _linger(self, conn: Connection) -> None:
        """Close a connection when its peer closes it, or after `LINGER_SECONDS`."""
        try:
            conn.wire.shutdown(SHUT_WR)
        except OSError:
            self._close(conn)
            return
        conn.renew()
        conn.arrival = Arrival()
        conn.deadline = time.monotonic() + LINGER_SECONDS
        self._wait(conn, EVENT_READ, self._drain)

    def _drain(self, conn: Connection) -> None:
        try:
            gone = not conn.wire.recv(_CHUNK)
        except BlockingIOError:
            gone = False
        except OSError:
            gone = True
        if gone:
            self._close(conn)
        else:
            self._wait(conn, EVENT_READ, self._drain)

    def _close(self, conn: Connection) -> None:
        self._unwatch(conn)
        self.nr_conns -= 1
        conn.close()

    # A connection waits.

    def _wait(self, conn: Connection, event: int, ready: Callable[[Connection], None]) -> None:
        """Have the poller call `ready` when the peer has sent bytes, or takes bytes."""
        self.waiting[conn] = time.monotonic()
        self.waiting_bytes += conn.bytes
        if conn.watched != (event, ready):
            self._unwatch(conn)
            conn.watched = event, ready
            self.poller.register(conn.wire, event, partial(self._ready, conn, ready))
        if self.waiting_bytes > MAX_WAITING_BYTES and conn.bytes:
            self._stop_waiting(conn, self._close)

    def _ready(self, conn: Connection, then: Callable[[Connection], None], _sock: socket) -> None:
        if conn in self.waiting:
            self._stop_waiting(conn, then)
        else:
            # The peer sent bytes while its request is being answered. Few do, so it was still watched.
            self._unwatch(conn)

    def _stop_waiting(self, conn: Connection, then: Callable[[Connection], None]) -> None:
        del self.waiting[conn]
        self.waiting_bytes -= conn.bytes
        then(conn)

    def _unwatch(self, conn: Connection) -> None:
        if conn.watched:
            self.poller.unregister(conn.wire)
            conn.watched = None

    def murder_pending(self) -> None:
        """End connections past their deadline, once a second, and resting ones when others need their room.

        gunicorn calls this often.
        """
        now = time.monotonic()
        while self.nr_conns >= self.worker_connections and self.waiting:
            conn, since = next(iter(self.waiting.items()))
            if since > now - REST_SECONDS:
                break
            self._stop_waiting(conn, self._make_room)
        if now < self.swept + 1:
            return
        self.swept = now
        for conn in [conn for conn in self.waiting if conn.deadline < now]:
            self._stop_waiting(conn, self._give_up)

    def _make_room(self, conn: Connection) -> None:
        """Close a connection to make room, unless it was idle and a request has just arrived."""
        if conn.watched == (EVENT_READ, self._collect) and not conn.arrival.data:
            ended = conn.collect()
            if conn.arrival.data:
                self.enqueue_req(conn, ended)
                return
        self._close(conn)

    def _give_up(self, conn: Connection) -> None:
        if conn.arrival.data and not conn.sock.unsent:
            self._refuse(conn, _TIMEOUT)
        else:
            self._close(conn)

    def _cap_keepalive(self, deadline: float) -> None:
        """When the worker stops, cut the wait of connections on which nothing has arrived."""
        for conn in self.waiting:
            if not conn.arrival.data:
                conn.deadline = min(conn.deadline, deadline)


def _event(conn: Connection, code: str) -> RequestEvent:
    """The event of a request that never reaches the application."""
    event = RequestEvent(conn.arrival.request_id, conn.arrival.method, None, conn.admin, conn.arrived)
    event.fields["outcome"] = code
    return event


def _pieces(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), PIECE_BYTES):
        yield data[start : start + PIECE_BYTES]


def _refusal(status: int) -> Problem:
    """The problem in place of an error page of gunicorn's."""
    if status == HTTPStatus.NOT_IMPLEMENTED:
        # A transfer coding: here the peer is at fault.
        return Problem(status, "BAD_REQUEST.OTHER", {"title": HTTPStatus(status).phrase})
    return status_problem(status)


def _write_error(sock: Outbox, status: int, _reason: str, _detail: str) -> None:
    """Replaces gunicorn's HTML. Its detail is dropped: it may quote the request, and so a player's cards."""
    sock.refused = status
