"""A zygote that is lent: to import torch for one costs two seconds of a core, and most tests do not ask whose it is."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable
from types import SimpleNamespace, TracebackType
from typing import Any, Self

from grader.sandbox import Zygote


class Lent:
    """A running zygote for those who end theirs when they are done: this one stays."""

    def __init__(self, zygote: Any) -> None:
        self._zygote = zygote

    def __getattr__(self, name: str) -> Any:
        return getattr(self._zygote, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of a worker that was made ahead, and of nothing else."""
        if self._zygote._ahead is not None:
            self._zygote._ahead.discard()
            self._zygote._ahead = None


def lend(zygote: Any, put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Whoever makes a zygote in this process gets this one, unless something special is wanted of it.

    put: sets an attribute of a module.
    """

    def made(*preload: Any, **options: Any) -> Any:
        return Zygote(*preload, **options) if preload or options else Lent(zygote)

    for name, module in list(sys.modules.items()):
        if name.startswith("grader.") and getattr(module, "Zygote", None) is Zygote:
            put(module, "Zygote", made)


def after_fork(zygote: Zygote) -> None:
    """In a fork of the process that has started a zygote: lend it."""
    life = zygote._life
    life.end.atexit = False
    pid = life._process.pid
    life._process.returncode = 0  # it is no child of this process
    life._process = SimpleNamespace(pid=pid, poll=lambda: None)  # type: ignore[assignment]  # all that is asked of it
    zygote._serials = itertools.count(os.getpid() * 1000)  # no two forks name a folder alike
    lend(zygote)
