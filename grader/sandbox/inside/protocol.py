"""What the grader and the zygote say to each other, apart so that the grader need not import torch for it.

Over a stream socket, one byte asks for a worker and carries three descriptors: the worker's channel, its output, and a
status socket. The pid goes back over the status socket (with a pidfd where there is one, negative for an errno), and
the wait status and the seconds of processor time when the worker has ended. When the grader shuts its end of the status
socket the worker is killed; when it closes the control socket, the zygote and all its workers end.
"""

from __future__ import annotations

import struct

READY = b"R"
"""Followed by the zygote's Announcement and a line feed; a pidfd of the zygote comes along."""
FORK = b"F"
STATUS = struct.Struct("<i")
END = struct.Struct("<id")
