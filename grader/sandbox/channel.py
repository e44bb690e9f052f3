"""The grader's end of a worker: one loop that writes, reads, collects output and watches the clock.

Nothing here waits without a deadline, and nothing that the worker does can make it read more than the limits allow.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from grader.sandbox.inside.frames import NESTED, Frame, FrameReader, Kind, WireError, pack
from grader.sandbox.inside.limits import Limits
from grader.sandbox.inside.protocol import END

OUTPUT_FLOOD = 16 << 20
"""Bytes of output in one request after which a worker is killed."""
_PIECE = 1 << 16
_LOOK_SECONDS = 0.05
"""Between two looks at the folder of a worker that is silent."""


class WorkerLost(Exception):
    """The worker can no longer be talked to."""


class Expired(WorkerLost):
    """It did not answer in time."""


class Flooded(WorkerLost):
    """It printed without end."""


class Overfull(WorkerLost):
    """It wrote more to its folder than it was granted."""


class Closed(WorkerLost):
    """It closed the channel, most likely because it ended."""


class Ended(WorkerLost):
    """It has ended."""

    def __init__(self, end: End) -> None:
        super().__init__(f"wait status {end.status}")
        self.end = end


@dataclass(frozen=True)
class End:
    """How a process ended. status: waitpid's; seconds: the processor time that it had used."""

    status: int
    seconds: float


class WorkerFailed(Exception):
    """A worker ended before it had any of the learner's code: the machine's fault, not the learner's."""


class ZygoteDied(Exception):
    """The zygote has ended, and all its workers with it: the grader's or the machine's fault."""


@dataclass
class _Budget:
    """What is left in one request, callbacks included."""

    seconds: float
    bytes: int
    callbacks: int


class Channel:
    """Descriptors of one worker. channel and output do not block; status is the socket that tells of its end.

    overfull: whether the worker's folder holds too much, for a worker that the kernel sets no bounds to.
    """

    overfull: Callable[[], bool] | None = None

    def __init__(self, channel: socket.socket, output: int, status: socket.socket, limits: Limits) -> None:
        self._socket, self._channel, self._output, self._status = channel, channel.fileno(), output, status
        self._limits = limits
        self._budget = _Budget(0.0, 0, 0)
        self._kept = bytearray()
        self._printed = 0
        self._poll = select.poll()
        self._poll.register(channel, select.POLLIN)
        self._poll.register(output, select.POLLIN)
        self._poll.register(status, select.POLLIN)
        self._quiet = select.poll()
        self._quiet.register(channel, select.POLLIN)

    def open_request(self, seconds: float) -> None:
        """Begin a request with a budget of its own. What was printed since the one before belongs to it."""
        self._budget = _Budget(seconds, self._limits.reply_mb << 20, self._limits.callbacks)
        self._kept.clear()
        self._printed = 0
        self._expect_silence()

    def close_request(self) -> None:
        """End a request. Raises WireError if the worker has sent more than its answer."""
        self._expect_silence()
        self.drain()
        self._look_at_folder()

    def exchange(self, kind: Kind, call_id: int, body: bytes) -> Frame:
        """Send a frame and wait for the next one of the worker, which must carry the same id.

        Only time spent in here counts, so what the grader does to answer the worker is not the worker's loss.
        Raises WorkerLost, ZygoteDied or WireError; the worker is of no use after any of them.
        """
        start = time.monotonic()
        try:
            frame = self._exchange(pack(kind, call_id, body), start + self._budget.seconds)
        finally:
            self._budget.seconds -= time.monotonic() - start
        if frame.call_id != call_id:
            raise WireError("an answer to another question")
        self._budget.bytes -= len(frame.body)
        if frame.kind in NESTED:
            self._budget.callbacks -= 1
            if self._budget.callbacks < 0:
                raise WireError(f"more than {self._limits.callbacks} calls of functions that it was given")
        return frame

    def _exchange(self, request: bytes, end: float) -> Frame:
        rest = memoryview(request)
        rest = rest[self._write(rest) :]
        reader = FrameReader(self._budget.bytes)
        self._poll.modify(self._channel, select.POLLIN | select.POLLOUT if rest else select.POLLIN)
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise Expired
            if self.overfull is not None and left > _LOOK_SECONDS:
                left = _LOOK_SECONDS
            ready = dict(self._poll.poll(left * 1000 + 1))
            if not ready:
                self._look_at_folder()
            if self._output in ready:
                self._read_output()
            events = ready.get(self._channel, 0)
            if events & select.POLLOUT and rest:
                rest = rest[self._write(rest) :]
                if not rest:
                    self._poll.modify(self._channel, select.POLLIN)
            if events & (select.POLLIN | select.POLLHUP | select.POLLERR):
                if rest and events & select.POLLIN:
                    raise WireError("an answer before the question was read")
                if frame := self._read(reader):
                    return frame
            elif self._status.fileno() in ready:
                raise Ended(self.wait_for_end(0.0))

    def _look_at_folder(self) -> None:
        if self.overfull is not None and self.overfull():
            raise Overfull

    def _write(self, rest: memoryview) -> int:
        try:
            return os.write(self._channel, rest)
        except BlockingIOError:
            return 0
        except (BrokenPipeError, ConnectionResetError):
            raise Closed from None

    def _read(self, reader: FrameReader) -> Frame | None:
        """A frame if it is whole; most come in one go."""
        try:
            return reader.read(self._channel) or reader.read(self._channel)
        except BlockingIOError:
            return None
        except (EOFError, ConnectionResetError):
            raise Closed from None

    def _expect_silence(self) -> None:
        for _, events in self._quiet.poll(0):
            if events & select.POLLIN and self._peek():
                raise WireError("it sent something that was not asked for")

    def _peek(self) -> bool:
        """Whether bytes are there, as opposed to the end of the stream."""
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except (BlockingIOError, ConnectionResetError):
            return False

    def drain(self) -> None:
        """Take the output that is there, without waiting for more."""
        while self._printed <= OUTPUT_FLOOD and self._read_output():
            pass

    def _read_output(self) -> int:
        try:
            piece = os.read(self._output, _PIECE)
        except BlockingIOError:
            return 0
        if not piece:
            with suppress(KeyError):
                self._poll.unregister(self._output)
        self._printed += len(piece)
        room = (self._limits.output_kb << 10) - len(self._kept)
        self._kept += piece[: max(room, 0)]
        if self._printed > OUTPUT_FLOOD:
            raise Flooded
        return len(piece)

    @property
    def output(self) -> str:
        """What was kept of the output of this request."""
        text = self._kept.decode(errors="replace")
        cut = self._printed - len(self._kept)
        return f"{text}\n[{cut} more bytes of output]" if cut else text

    def wait_for_end(self, seconds: float) -> End:
        """How the worker ended. Raises TimeoutError, or ZygoteDied if nobody is left to tell."""
        self._status.settimeout(max(seconds, 1e-6))
        message = self._status.recv(END.size)
        if len(message) < END.size:
            raise ZygoteDied("the process that makes the workers has ended")
        return End(*END.unpack(message))
