"""What protects the grader, by proof: a probe worker really tries what submitted code must not do."""

from __future__ import annotations

import builtins
import hashlib
import json
import os
import platform
import secrets
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path

from grader.places import suites_folder
from grader.sandbox.inside.limits import Limits
from grader.sandbox.level import Level, level_of
from grader.sandbox.reply import Call, Died, Outcome, Raised, Returned
from grader.sandbox.zygote import Zygote

_SOURCE = Path(__file__).with_name("attempts.py")
_LIMITS = Limits(seconds=5.0, memory_mb=64, scratch_mb=1)
BY_DEFAULT = ("process-split", "deadlines")
"""What every worker has because of what the grader does."""


@dataclass(frozen=True)
class Finding:
    """One thing that was tried. held: it could not be done; detail: what came of it."""

    name: str
    held: bool
    detail: str


@dataclass(frozen=True)
class Protection:
    """level: by the layers, `weak` if anything that they stand for was done all the same; off: why layers are off."""

    level: Level
    layers: tuple[str, ...]
    findings: tuple[Finding, ...]
    off: Mapping[str, str] = field(default_factory=dict)
    landlock: int = 0

    @property
    def broken(self) -> tuple[Finding, ...]:
        """What could be done."""
        return tuple(finding for finding in self.findings if not finding.held)


@dataclass(frozen=True)
class _Attempt:
    """name: what is tried; function, argument: of attempts.py; happened: whether the grader saw it succeed, whatever
    the worker says."""

    name: str
    function: str
    argument: object = None
    happened: Callable[[], bool] = lambda: False


def protection_of(zygote: Zygote, cache: Path | None = None) -> Protection:
    """The proof for this machine, kept from one run to the next for as long as nothing has changed that it rests on.

    cache: a folder that may not exist yet; None proves anew. Raises ZygoteDied, ForkFailed, WorkerFailed.
    """
    if cache is None:
        return prove(zygote)
    file = cache / f"protection-{_fingerprint(zygote)}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        return _from_json(file.read_text("utf-8"))
    proof = prove(zygote)
    with suppress(OSError):  # a folder that cannot be written costs a few milliseconds each time, nothing else
        cache.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(asdict(proof)), "utf-8")
        draft.replace(file)
    return proof


def prove(zygote: Zygote) -> Protection:
    """Try everything. Raises ZygoteDied, ForkFailed, WorkerFailed."""
    announced = zygote.announcement()
    layers = (*BY_DEFAULT, *announced.layers)
    with ExitStack() as stack:
        findings = tuple(_try(zygote, _attempts(stack)))
    level: Level = level_of(layers) if all(finding.held for finding in findings) else "weak"
    return Protection(level, layers, findings, announced.off, announced.landlock)


def _try(zygote: Zygote, attempts: list[_Attempt]) -> Iterator[Finding]:
    """One worker after another, a fresh one only where the one before has ended."""
    waiting = list(attempts)
    while waiting:
        with zygote.worker(_LIMITS) as worker:
            worker.load({"attempts": _SOURCE.read_text("utf-8")})
            while waiting and worker.alive:
                attempt = waiting.pop(0)
                arguments = () if attempt.argument is None else (attempt.argument,)
                outcome = worker.call(Call("attempts", attempt.function, arguments))
                refused, detail = _judge(outcome)
                yield Finding(attempt.name, refused and not attempt.happened(), detail)


def _judge(outcome: Outcome) -> tuple[bool, str]:
    """Whether an attempt was refused, and what came of it. An end that is no refusal proves nothing."""
    match outcome:
        case Returned():
            return False, "it could be done"
        case Raised():
            kind = getattr(builtins, outcome.type_name, object)
            return issubclass(kind, OSError | MemoryError), (outcome.message or outcome.type_name)[:200]
        case Died():
            return outcome.reason in ("memory", "output"), outcome.detail
    return False, str(outcome)


def _attempts(stack: ExitStack) -> list[_Attempt]:
    canary = stack.enter_context(_canary())
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    listener.setblocking(False)
    beside = canary.parent / f".probe-{secrets.token_hex(8)}"
    stack.callback(beside.unlink, missing_ok=True)
    mode, me = canary.stat().st_mode, os.getpid()
    return [
        _Attempt("read a hidden test", "read_file", str(canary)),
        _Attempt("list the hidden tests", "list_folder", str(canary.parent)),
        _Attempt("write beside the tests", "write_file", str(beside), beside.exists),
        _Attempt("change a test's rights", "change_mode", str(canary), lambda: canary.stat().st_mode != mode),
        _Attempt("reach a program over the network", "connect", listener.getsockname()[1], lambda: _called(listener)),
        _Attempt("start a process", "fork"),
        _Attempt("send the grader a signal", "signal", me),
        _Attempt("get hold of the grader's process", "hold", me),
        _Attempt("trace the grader", "trace", me),
        _Attempt("read the grader's environment", "read_environment", me),
        _Attempt("take more memory than granted", "allocate", 2 * _LIMITS.memory_mb),
        _Attempt("share more memory than granted", "share", _LIMITS.memory_mb + 1024),
        _Attempt("fill the disk", "fill_folder", _LIMITS.scratch_mb + 1),
        _Attempt("start a program", "start_program"),
    ]


@contextmanager
def _canary() -> Iterator[Path]:
    """A file that everybody may read, beside the hidden tests; where nothing can be written there, one of the tests."""
    canary = suites_folder() / f".canary-{secrets.token_hex(8)}"
    try:
        canary.write_text(secrets.token_hex(32), "ascii")
        canary.chmod(0o644)
    except OSError:
        yield next(suites_folder().glob("test_*.py"))
        return
    try:
        yield canary
    finally:
        canary.unlink(missing_ok=True)


def _called(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _fingerprint(zygote: Zygote) -> str:
    """Changes with everything that a proof rests on."""
    system = platform.uname()
    announced = zygote.announcement().to_json()
    facts = [system.release, system.version, system.machine, sys.version, version("torch"), str(os.getuid()), announced]
    facts.append(str(suites_folder()))
    digest = hashlib.sha256("\n".join(facts).encode())
    for file in sorted(_SOURCE.parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:32]


def _from_json(text: str) -> Protection:
    fields = json.loads(text)
    findings = tuple(Finding(**finding) for finding in fields.pop("findings"))
    return Protection(**{**fields, "layers": tuple(fields["layers"])}, findings=findings)
