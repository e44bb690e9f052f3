"""Python processes that need not import torch: each is forked from one that has done so.

An import of torch costs two seconds of a core, and many tests want a process of their own: for an exit code, for a
session of the suites, of which a process can hold but one, for a terminal. What is forked here has its own streams,
environment and folder, and ends as any interpreter does. Whatever a process imports or does not import cannot be tested
in this way.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from grader.sandbox import Zygote

ROOT = Path(__file__).parents[1]


class WarmPython:
    """Runs what `python -c` or `python -m` would, one after the other.

    python: with its options, the present one by default; path: its PYTHONPATH, the project first by default.
    """

    def __init__(self, python: Sequence[str] = (sys.executable,), path: str | None = None) -> None:
        if path is None:
            path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        self._server = subprocess.Popen(
            [*python, __file__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.communicate(timeout=60)

    def run(
        self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, seconds: int = 120,
        lend: bool = False, together: bool = False,
    ) -> subprocess.CompletedProcess[str]:  # fmt: skip
        """What `subprocess.run([sys.executable, *arguments], capture_output=True, text=True)` returns.

        arguments: "-c" and a text or "-m" and a module, and what the program finds in `sys.argv`. After so many
        seconds it is ended by SIGALRM. lend: a zygote that it wants is one that runs already, and goes on running;
        together: standard error goes where standard output goes.
        """
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "out")
            err = out if together else Path(folder, "err")
            self._begin(arguments, cwd, env, seconds, lend, streams=[os.devnull, str(out), str(err)])
            code = self.finish()
            said = [path.read_text("utf-8") for path in (out, err)]
            return subprocess.CompletedProcess([sys.executable, *arguments], code, *said)

    def start(self, *arguments: str, terminal: str, cwd: Path) -> None:
        """Begin the same in a terminal, given by its path; `finish` must be called before anything else is run."""
        self._begin(arguments, cwd, None, 120, lend=True, terminal=terminal)

    def finish(self) -> int:
        """Wait for the end of what was begun. Returns its exit code."""
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        assert line, "the process that forks the others has ended"
        return int(line)

    def _begin(
        self, arguments: Sequence[str], cwd: Path | None, env: Mapping[str, str] | None, seconds: int, lend: bool,
        **where: Any,
    ) -> None:  # fmt: skip
        job = {
            "arguments": arguments,
            "cwd": str(cwd or Path.cwd()),
            "env": dict(os.environ if env is None else env),
            "seconds": seconds,
            "lend": lend,
            **where,
        }
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(job) + "\n")


def _next_job() -> dict[str, Any] | None:
    """In this process: fork for every job until there are no more, then None. In each fork: its job."""
    zygote: Zygote | None = None
    for line in sys.stdin:
        job: dict[str, Any] = json.loads(line)
        if job["lend"] and zygote is None:
            zygote = grader.sandbox.Zygote()
            zygote.wait_until_ready()
        pid = os.fork()
        if pid == 0:
            if job["lend"]:
                assert zygote is not None
                lent.after_fork(zygote)
            return job
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
    return None


def _become(job: dict[str, Any]) -> None:
    """Take on the streams, the folder and the environment of a job."""
    signal.alarm(job["seconds"])
    if terminal := job.get("terminal"):
        os.setsid()
        opened = os.open(terminal, os.O_RDWR)
        fcntl.ioctl(opened, termios.TIOCSCTTY, 0)
        for number in range(3):
            os.dup2(opened, number)
        os.close(opened)
    else:
        for number, path in enumerate(job["streams"]):
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND if number else os.O_RDONLY
            opened = os.open(path, flags, 0o600)
            os.dup2(opened, number)
            os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in enumerate(("r", "w", "w"))
    )
    os.environ.clear()
    os.environ.update(job["env"])
    tempfile.tempdir = None  # it may have been looked up before
    os.chdir(job["cwd"])
    sys.path[0] = job["cwd"]


def _run(kind: str, program: str, *arguments: str) -> None:
    sys.argv = [kind, *arguments]
    if kind == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102  # as `python -c` does


class _Leaving:
    """Ends the process when all that was to be done at its exit is done: to take torch apart costs as much again."""

    def __init__(self) -> None:
        self.code = 0
        atexit.register(self)  # the first to be registered is the last to be called

    def __call__(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(self.code)

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, SystemExit) and (error.code is None or isinstance(error.code, int)):
            self.code = error.code or 0
        elif error is not None:
            self.code = 1


if __name__ == "__main__":
    leaving = _Leaving()
    sys.modules["readline"] = None  # type: ignore[assignment]  # once it is there, `input` reads keys in another way

    import lent

    import grader.desk
    import grader.grading
    import grader.render.html
    import grader.render.text
    import grader.session

    with contextlib.suppress(ImportError):  # a student's edition has none
        import grader.selfcheck.exercise

    del sys.modules["readline"]
    gc.freeze()  # a fork need not copy the pages of what it never collects
    if (given := _next_job()) is not None:
        _become(given)
        with leaving:
            _run(*given["arguments"])
