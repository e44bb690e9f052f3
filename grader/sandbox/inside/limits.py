"""What a worker may use."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limits:
    """Limits of one worker.

    seconds: wall time of one call; memory_mb: memory beyond what the zygote uses (Linux); output_kb: kept of what one
    call prints; open_files; file_mb: size of one file; scratch_mb, scratch_files: of all its files together;
    callbacks: calls that the learner's code may make of functions it was given, in one call; reply_mb: everything that
    the worker sends in one call.
    """

    seconds: float = 2.0
    memory_mb: int = 1024
    output_kb: int = 64
    open_files: int = 64
    file_mb: int = 16
    scratch_mb: int = 64
    scratch_files: int = 1024
    callbacks: int = 1000
    reply_mb: int = 64

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) <= 0:
                raise ValueError(f"the limit {each.name} must be positive, not {getattr(self, each.name)}")
