"""A worker as the grader sees it: it is given sources, asked for calls, and believed in nothing."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self

from torch import Tensor

from grader.sandbox.cell import Cell, Departures, holds_more
from grader.sandbox.channel import (
    Channel,
    Closed,
    End,
    Ended,
    Expired,
    Flooded,
    Overfull,
    WorkerFailed,
    WorkerLost,
    ZygoteDied,
)  # fmt: skip
from grader.sandbox.inside.codec import CannotCross, Caps
from grader.sandbox.inside.decoder import Decoder
from grader.sandbox.inside.encoder import Encoder
from grader.sandbox.inside.failures import TOLD
from grader.sandbox.inside.frames import Frame, Kind, WireError, parts
from grader.sandbox.inside.limits import Limits
from grader.sandbox.inside.lockdown.rlimits import life_seconds
from grader.sandbox.inside.peer import Peer
from grader.sandbox.inside.status import OUT_OF_MEMORY
from grader.sandbox.reply import Call, Died, NotAValue, Outcome, Raised, Returned

READY_SECONDS = 30.0
IMPORT_SECONDS = 2.0
"""On top of a call's time when a module is opened: its imports count."""
_REAP_SECONDS = 2.0
_LAYERS = ("process-split", "deadlines")
"""What holds for every worker, whatever it says of itself."""


class Worker:
    """One process for one submission. Made by `Zygote.worker`; use as a context manager or call `close`.

    layers: names of the isolation layers that were active before it got the learner's sources; expected: those that
    must be among them.
    """

    def __init__(
        self, cell: Cell, serial: int, limits: Limits, departures: Departures, expected: Sequence[str] = ()
    ) -> None:
        self.limits = limits
        self._cell = cell
        self._departures = departures
        self._alive = True
        self._loaded = False
        self._channel = Channel(cell.channel, cell.output, cell.status, limits)
        self._peer = Peer(
            self._channel,
            told=TOLD,
            new_id=lambda: secrets.randbits(64),
            caps=Caps(size=limits.reply_mb << 20),
            keep_strides=True,
            worker=serial,
        )
        self.layers = self._greet()
        if missing := set(expected).difference(self.layers):
            self.close()
            raise WorkerFailed(f"a worker came up without {', '.join(sorted(missing))}, which this machine can do")
        if cell.scratch is not None:
            bounds = (cell.scratch, limits.scratch_mb << 20, limits.scratch_files)
            self._channel.overfull = lambda: holds_more(*bounds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._cell.pid

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self._alive

    def close(self) -> None:
        """Kill it. Does not wait for its end; the folder goes when it has ended."""
        if self._alive:
            self._alive = False
            self._departures.add(self._cell)

    def load(
        self,
        sources: Mapping[str, str],
        replace: Mapping[str, Mapping[str, Callable[..., Any]]] | None = None,
        synthetic: Sequence[str] = (),
    ) -> None:
        """Hand over the learner's source texts by slug. None of them runs before it is imported.

        replace: functions of the grader that take the place of the learner's once the module's own code has run;
        synthetic: modules that consist of their replacements only. Replacements are called with the learner's
        arguments. Raises WorkerFailed, and ValueError for sources too large to send.
        """
        if self._loaded:
            raise ValueError("this worker has its sources already")
        self._loaded = True
        handed = {slug: dict(functions) for slug, functions in (replace or {}).items()}
        outcome = self._request(Kind.LOAD, (dict(sources), handed, list(synthetic)), READY_SECONDS)
        if outcome != Returned(None):
            raise WorkerFailed(f"a worker did not take the sources: {outcome}")

    def open_module(self, slug: str) -> Returned | Raised | Died:
        """Import one of the learner's modules: Returned(None), what it raised, or how it ended the worker."""
        outcome = self._request(Kind.OPEN, slug, self.limits.seconds + IMPORT_SECONDS)
        assert not isinstance(outcome, NotAValue)
        return outcome

    def call(self, call: Call) -> Outcome:
        """Call a function. Raises ValueError for arguments that cannot cross, ZygoteDied, and whatever a replacement
        or another function of the grader raised that is not the caller's doing (the worker is gone then)."""
        places = None if call.wrt is None else [path if isinstance(path, tuple) else (path,) for path in call.wrt]
        message = (
            call.module, call.function, tuple(call.args), dict(call.kwargs), places, call.cotangent, list(call.opaque)
        )  # fmt: skip
        seconds = self.limits.seconds if call.deadline is None else call.deadline
        return self._request(Kind.CALL, message, seconds, call)

    def _request(self, kind: Kind, message: object, seconds: float, call: Call | None = None) -> Outcome:
        if not self._alive:
            raise ValueError("this worker has ended")
        try:
            body = self._peer.encoder().encode(message)
        except CannotCross as error:
            raise ValueError(f"this cannot be sent to a worker: {error}") from None
        try:
            self._channel.open_request(seconds)
            frame = self._peer.ask(kind, body)
            self._channel.close_request()
            return self._outcome(kind, frame, call)
        except (WorkerLost, WireError) as error:
            return self._died(error, seconds)
        except BaseException:
            self.close()
            raise

    def _outcome(self, kind: Kind, frame: Frame, call: Call | None) -> Outcome:
        """Raises WireError when the frame is none that answers this kind of request."""
        output = self._channel.output
        if frame.kind is Kind.RAISED:
            return _raised(frame, output)
        if frame.kind is Kind.DONE and kind is not Kind.CALL:
            return Returned(None, output=output)
        if frame.kind is Kind.NOT_A_VALUE and kind is Kind.CALL:
            description = Decoder().decode(frame.body)
            if not isinstance(description, str):
                raise WireError("a description that is no text")
            return NotAValue(description[:200], output)
        if frame.kind is Kind.RETURNED and call is not None:
            return self._returned(frame, call, output)
        raise WireError(f"{frame.kind.name} is no answer to {kind.name}")

    def _returned(self, frame: Frame, call: Call, output: str) -> Returned:
        told = self._peer.decoder().decode(frame.body)
        value, found, changed, stale, effects = parts(told, object, object, list, bool, list)
        gradients = None
        if found is not None:
            if not isinstance(found, list) or not all(each is None or isinstance(each, Tensor) for each in found):
                raise WireError("gradients that are no tensors")
            if found and len(found) != len(call.wrt or ()):
                raise WireError("more or fewer gradients than were asked for")
            gradients = dict(zip(call.wrt or (), found, strict=False))
        for place in changed:
            if type(place) is not tuple or not place or not all(type(key) in (int, str) for key in place):
                raise WireError("a changed argument without a place")
        paths = tuple(place[0] if len(place) == 1 else place for place in changed)
        if not all(isinstance(effect, str) for effect in effects):
            raise WireError("an effect without a name")
        return Returned(value, gradients, paths, stale, output, tuple(effects))

    def _greet(self) -> tuple[str, ...]:
        """Send the limits and wait until it has locked itself down."""
        settings = Encoder().encode((asdict(self.limits), str(self._cell.scratch or "")))
        try:
            self._channel.open_request(READY_SECONDS)
            frame = self._peer.ask(Kind.CONFIGURE, settings)
            layers = Decoder().decode(frame.body)
            if frame.kind is not Kind.HELLO:
                raise WireError(f"{frame.kind.name} is no greeting")
        except (WorkerLost, WireError) as error:
            died = self._died(error, READY_SECONDS)
            raise WorkerFailed(f"a worker did not get ready: {died.detail} {died.output}".strip()) from error
        except BaseException:
            self.close()
            raise
        return (*_LAYERS, *layers)

    def _died(self, error: WorkerLost | WireError, seconds: float) -> Died:
        """Kill what is left and say what happened."""
        end = error.end if isinstance(error, Ended) else None
        if isinstance(error, Closed):
            try:
                end = self._channel.wait_for_end(_REAP_SECONDS)
            except TimeoutError:
                error = WireError("it closed its connection to the grader")
            except ZygoteDied:
                self.close()
                raise
        if not isinstance(error, Flooded):
            try:
                self._channel.drain()
            except Flooded as flooded:
                error, end = flooded, None
        output = self._channel.output
        self.close()
        if end is not None:
            return _died_itself(end, life_seconds(self.limits), output)
        match error:
            case Expired():
                return Died("timeout", f"It did not finish within {seconds:g} s.", output)
            case Flooded():
                return Died("output", "It printed without end.", output)
            case Overfull():
                return Died("output", "It wrote more to files than is allowed.", output)
            case _:
                return Died("protocol", f"It interfered with the grader: {error}.", output)


def _raised(frame: Frame, output: str) -> Raised:
    told = parts(Decoder().decode(frame.body), str, str, object, object, str, bool, bool, bool)
    name, message, line, module, trace, not_implemented, value_error, memory = told
    if not (line is None or type(line) is int) or not (module is None or type(module) is str):
        raise WireError("an exception without a place")
    return Raised(name[:200], message[:1000], line, module, trace[:5000], not_implemented, value_error, memory, output)


def _died_itself(end: End, life: int, output: str) -> Died:
    """A worker that ended without being killed by the grader. life: the processor time that it had, in seconds."""
    if os.WIFEXITED(end.status):
        code = os.WEXITSTATUS(end.status)
        if code == OUT_OF_MEMORY:
            return Died("memory", "It ran out of memory.", output)
        return Died("crashed", f"It ended the whole process with exit code {code}.", output)
    number = os.WTERMSIG(end.status)
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    # The first process of a pid namespace has no use for SIGXCPU; a second later the kernel kills it.
    if number == signal.SIGXCPU or (number == signal.SIGKILL and end.seconds >= life):
        return Died("timeout", "It used up the processor time of a whole submission.", output)
    if number == signal.SIGKILL:
        return Died("memory", "It was ended by the system, most likely because memory ran out.", output)
    # Nor does it end by abort()'s signal: the C library then runs into a forbidden instruction.
    if number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGTRAP) and "bad_alloc" in output:
        return Died("memory", "It ran out of memory.", output)
    why = ": the stack overflowed or memory was misused" if number in (signal.SIGSEGV, signal.SIGBUS) else ""
    return Died("crashed", f"It was ended by {name}{why}.", output)
