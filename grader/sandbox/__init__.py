"""The sandbox: learners' functions run in workers, apart from suites and answers. Importing it is cheap."""

from typing import TYPE_CHECKING, Any

from grader.sandbox.cell import ForkFailed
from grader.sandbox.channel import WorkerFailed, ZygoteDied
from grader.sandbox.inside.limits import Limits
from grader.sandbox.launch import NoTorch
from grader.sandbox.reply import Call, Died, NotAValue, Outcome, Path, Raised, Reply, Returned
from grader.sandbox.zygote import Zygote

if TYPE_CHECKING:
    from grader.sandbox.inside.peer import Opaque, Remote
    from grader.sandbox.worker import Worker

__all__ = [
    "Call",
    "Died",
    "ForkFailed",
    "Limits",
    "NoTorch",
    "NotAValue",
    "Opaque",
    "Outcome",
    "Path",
    "Raised",
    "Remote",
    "Reply",
    "Returned",
    "Worker",
    "WorkerFailed",
    "Zygote",
    "ZygoteDied",
]


def __getattr__(name: str) -> Any:
    """Names whose modules import torch, on first use."""
    if name == "Worker":
        from grader.sandbox.worker import Worker

        return Worker
    if name in ("Opaque", "Remote"):
        from grader.sandbox.inside import peer

        return getattr(peer, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
