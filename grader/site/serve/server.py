"""The socket on 127.0.0.1 and the threads that answer on it."""

from __future__ import annotations

import errno
import logging
import socket
import threading
from typing import TYPE_CHECKING

import waitress
from waitress import wasyncore

from grader.errors import UserError
from grader.site.serve.guard import BODY_MOST, HOST

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

PORT = 8765
TRIED = 20
"""Ports after the usual one that are tried before any other that is free will do."""
THREADS = 8
_LEAVING = 5.0


def bound(port: int | None) -> socket.socket:
    """A socket that listens at a port: at the usual one, or the next that is free, if none is asked for.

    Raises UserError for one that was asked for and cannot be had.
    """
    if port is not None:
        try:
            return _listening(port)
        except OSError as error:
            why = "another program uses it" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
            raise UserError(f"Port {port} cannot be used: {why}. Choose another --port, or leave it out.") from None
    for each in range(PORT, PORT + TRIED):
        try:
            return _listening(each)
        except OSError:
            continue
    try:
        return _listening(0)
    except OSError as error:
        raise UserError(f"No port of {HOST} can be used: {error.strerror}. Try --port with a number.") from None


def _listening(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # else a port is taken for a minute after its end
        made.bind((HOST, port))
        made.listen(socket.SOMAXCONN)
    except OSError:
        made.close()
        raise
    return made


class Server:
    """Answers requests from when it is made until it is closed."""

    def __init__(self, app: WSGIApplication, listening: socket.socket) -> None:
        for name in ("waitress", "waitress.queue"):  # it remarks on how many wait, and on browsers that went away
            logging.getLogger(name).setLevel(logging.ERROR)
        self._server = waitress.create_server(
            app,
            sockets=[listening],
            threads=THREADS,
            ident=None,
            connection_limit=200,
            channel_timeout=30,
            cleanup_interval=10,
            max_request_header_size=32 * 1024,
            max_request_body_size=4 * BODY_MOST,  # what is beyond it gets no answer of ours
            expose_tracebacks=False,
        )
        self._thread = threading.Thread(target=self._server.run, name="server", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close every connection and end the threads. One that still computes an answer is not waited for long."""
        self._server.task_dispatcher.shutdown(timeout=_LEAVING)
        # Its loop may close what it listens to, no other thread; without anything to listen to it ends.
        self._server.trigger.pull_trigger(lambda: wasyncore.close_all(self._server._map, ignore_all=True))
        self._thread.join(_LEAVING)
