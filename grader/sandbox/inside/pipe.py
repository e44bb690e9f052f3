"""The worker's end of the channel: it blocks, and trusts what the grader sends."""

from __future__ import annotations

import os

from .frames import Frame, FrameReader, Kind, pack

_MOST = 1 << 32


class Pipe:
    """Frames over one descriptor. Ends the process when the grader is gone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def exchange(self, kind: Kind, call_id: int, body: bytes) -> Frame:
        """Send one frame and wait for the next."""
        self.send(kind, call_id, body)
        return self.receive()

    def send(self, kind: Kind, call_id: int, body: bytes) -> None:
        """Send one frame."""
        rest = memoryview(pack(kind, call_id, body))
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BrokenPipeError:
                os._exit(0)

    def receive(self) -> Frame:
        """Wait for the next frame."""
        reader = FrameReader(_MOST)
        while True:
            try:
                frame = reader.read(self._descriptor)
            except (EOFError, ConnectionResetError):
                os._exit(0)
            if frame is not None:
                return frame
