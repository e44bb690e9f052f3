"""A learner's modules in a worker, ready to be asked; a fresh worker replaces one that died."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from grader.judge.answer import Answer
from grader.judge.play import perform
from grader.judge.probe import Probe
from grader.sandbox import Call, Died, Limits, Outcome, Raised, Worker, Zygote, ZygoteDied


class Candidate:
    """The modules of one submission, opened for one lesson.

    layers: the protections of its worker, once it has one; zygote_died: set when that came to light here.

    replace: functions that stand in for the learner's, by lesson and name; synthetic: lessons whose module consists of
    its replacements alone, because the learner's cannot be run.
    """

    def __init__(
        self,
        zygote: Zygote,
        sources: Mapping[str, str],
        lesson: str,
        limits: Limits,
        replace: Mapping[str, Mapping[str, Callable[..., Any]]] | None = None,
        synthetic: tuple[str, ...] = (),
    ) -> None:
        self.lesson = lesson
        self.output = ""
        self.layers: tuple[str, ...] = ()
        self.zygote_died = False
        self._zygote = zygote
        self._sources = dict(sources)
        self._limits = limits
        self._replace = replace or {}
        self._synthetic = synthetic
        self._worker: Worker | None = None
        self._generation = zygote.generation
        self._import_failure: Raised | Died | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def import_failure(self) -> Raised | Died | None:
        """What went wrong when the lesson's module was run, None if it runs."""
        if self._import_failure is None and self._worker is None:
            self._start()
        return self._import_failure

    def ask(self, function: str, probe: Probe, answer: Answer | None) -> Outcome:
        """Put a probe to a function of the lesson's module. Gradients need the answer, for its cotangent."""
        if probe.play is not None:
            return perform(probe, lambda call: self.ask(function, call, None))
        if self._worker is not None and not (self._worker.alive and self._generation == self._zygote.generation):
            self.close()  # a fault of the machine's ended it; a fresh one is started, or the fault comes out again
        if failure := self.import_failure():
            return failure
        assert self._worker is not None
        call = Call(
            module=self.lesson,
            function=function,
            args=probe.args,
            kwargs=dict(probe.kwargs),
            wrt=probe.wrt or None,
            cotangent=answer.cotangent if answer else None,
            opaque=probe.opaque,
            deadline=self._limits.seconds,
        )
        with self._noticing():
            reply = self._worker.call(call)
        self.output += getattr(reply, "output", "")
        if isinstance(reply, Died):
            self.close()
        return reply

    def _start(self) -> None:
        self._generation = self._zygote.generation
        with self._noticing():
            self._worker = self._zygote.worker(self._limits)
            self.layers = self._worker.layers
            self._worker.load(self._sources, replace=self._replace, synthetic=self._synthetic)
            reply = self._worker.open_module(self.lesson)
        self.output += getattr(reply, "output", "")
        if isinstance(reply, Raised | Died):
            self._import_failure = reply
            self.close()

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        try:
            yield
        except ZygoteDied:
            self.zygote_died = True
            self.close()
            raise
