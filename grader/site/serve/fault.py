"""A fault that nobody has foreseen, as those who run the server read it: one line, never a traceback."""

from __future__ import annotations

import traceback
from pathlib import Path


def fault_line(error: BaseException) -> str:
    """A fault that nobody has foreseen, in one line: what it was and where."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"
