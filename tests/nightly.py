"""What takes minutes is tried in part each time, and in full with ANATOMY_NIGHTLY=1."""

import os
from collections.abc import Sequence
from typing import TypeVar

NIGHTLY = bool(os.environ.get("ANATOMY_NIGHTLY"))
Thing = TypeVar("Thing")


def share(things: Sequence[Thing], of: int) -> Sequence[Thing]:
    """One of each `of` things, evenly; all of them at night."""
    return things if NIGHTLY else things[::of]
