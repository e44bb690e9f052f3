"""Calls across the channel in both directions.

Each side has one Peer. A function that crosses becomes a `Remote` on the other side; calling it sends an INVOKE, and
whoever waits for an answer serves what the other side asks meanwhile, so calls nest strictly and no thread is needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from .codec import CannotCross, Caps
from .decoder import Decoder
from .encoder import Encoder
from .failures import Failures, RemoteFailure
from .frames import NESTED, Frame, Kind, WireError, parts
from .gradients import Computations, Record, attach

_DEEPEST = 24
"""Requests served inside one another; each costs some ten Python frames."""
_MINE, _YOURS, _TOKEN = 0, 1, 2
"""Whose a reference is, seen from the sender; a token's object is always the worker's."""


@dataclass(frozen=True)
class Opaque:
    """Stands for an object that stays in the worker; it may be an argument of later calls of that worker."""

    worker: int
    number: int


class Link(Protocol):
    """How a peer reaches the other side."""

    def exchange(self, kind: Kind, call_id: int, body: bytes) -> Frame:
        """Send one frame and wait for the next one from the other side."""


class Remote:
    """A function of the other side. label: its type in words, as the other side tells it."""

    __slots__ = ("_number", "_peer", "label")

    def __init__(self, peer: Peer, number: int, label: str) -> None:
        self._peer, self._number, self.label = peer, number, label

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._peer.invoke(self._number, args, kwargs)

    def __repr__(self) -> str:
        return f"<{self.label} of another process>"


class Peer:
    """One side.

    told: exceptions of served functions that are told to the other side; others pass through. new_id: makes the id of
    a request (the grader draws it); None lets a request carry the id of the one being served, the worker's only way.
    tokens: what opaque tokens stand for, on the side that keeps the objects. worker: the serial of this pair.
    """

    def __init__(
        self,
        link: Link,
        *,
        told: tuple[type[BaseException], ...],
        new_id: Callable[[], int] | None,
        caps: Caps | None = None,
        keep_strides: bool = False,
        tokens: Sequence[object] | None = None,
        worker: int = 0,
    ) -> None:
        self.computations = Computations()
        self._link = link
        self._told: tuple[type[BaseException], ...] = (*told, RemoteFailure)
        self._new_id = new_id
        self._caps = caps or Caps()
        self._keep_strides = keep_strides
        self._tokens = tokens
        self._worker = worker
        self._functions: list[Callable[..., Any]] = []
        self._numbers: dict[int, int] = {}
        self._records: list[Record] = []
        self._failures = Failures()
        self._serving: list[int] = []
        self._asking = 0
        self._thread = threading.get_ident()

    def encoder(self, *, track: bool = False) -> Encoder:
        """An encoder for one body that may hold functions and tokens."""
        return Encoder(self, caps=self._caps, track=track, keep_strides=self._keep_strides)

    def decoder(self) -> Decoder:
        """A decoder for one body that may hold functions and tokens."""
        return Decoder(self)

    def refer(self, value: object) -> tuple[int, int] | None:
        """See References."""
        if type(value) is Remote and value._peer is self:
            return _YOURS, value._number
        if type(value) is Opaque:
            if value.worker != self._worker:
                raise CannotCross("an opaque token of another worker")
            return _TOKEN, value.number
        if not callable(value):
            return None
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._functions)
            self._functions.append(value)  # kept for good, so that its id stays its own
        return _MINE, number

    def resolve(self, owner: int, number: int, label: str) -> object:
        """See References."""
        if owner == _MINE:
            return Remote(self, number, label[:200])
        if owner == _YOURS and number < len(self._functions):
            return self._functions[number]
        if owner == _TOKEN and self._tokens is None:
            return Opaque(self._worker, number)
        if owner == _TOKEN and self._tokens is not None and number < len(self._tokens):
            return self._tokens[number]
        raise WireError("a reference to nothing")

    def ask(self, kind: Kind, body: bytes) -> Frame:
        """Send a request, serve what the other side asks meanwhile, and return its answer."""
        if self._new_id is not None:
            call_id = self._new_id()
        elif self._serving and threading.get_ident() == self._thread:
            call_id = self._serving[-1]
        else:
            raise RuntimeError("a function that was handed to you can only be called while your function runs")
        self._asking += 1
        try:
            frame = self._link.exchange(kind, call_id, body)
            while frame.kind in NESTED:
                frame = self._link.exchange(*self._serve(frame))
            return frame
        finally:
            self._asking -= 1
            if not self._asking and not self._serving:
                self._forget()

    @contextmanager
    def serving(self, call_id: int) -> Iterator[None]:
        """A request of the other side is being served; what it left is dropped when it was the outermost."""
        self._serving.append(call_id)
        try:
            yield
        finally:
            self._serving.pop()
            if not self._asking and not self._serving:
                self._forget()

    def invoke(self, number: int, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Call a function of the other side. Raises what it raised: a built-in exception or RemoteFailure."""
        if self._new_id is not None and not self._asking:
            raise RuntimeError("a function of a worker is called through Worker.call, where there is a deadline")
        _ensure_stack()
        grad = torch.is_grad_enabled()
        encoder = self.encoder(track=grad)
        try:
            body = encoder.encode((number, grad, args, dict(kwargs)))
        except CannotCross as error:
            raise TypeError(f"this function cannot be given {error}") from None
        answer = self._answer(Kind.INVOKE, body)
        decoder = self.decoder()
        record, value = parts(decoder.decode(answer.body), int, object)
        if not (grad and decoder.tracked):
            return value
        attached = attach(self, record, decoder.tracked, self.computations.anchor, encoder.tracked)
        return _substitute(value, {id(old): new for old, new in zip(decoder.tracked, attached, strict=True)})

    def pull_back(self, record: int, cotangents: Sequence[Tensor | None]) -> list[Tensor | None]:
        """The gradients of a call of the other side with regard to its tracked arguments."""
        answer = self._answer(Kind.PULL_BACK, self.encoder().encode((record, list(cotangents))))
        (found,) = parts(self.decoder().decode(answer.body), list)
        if not all(each is None or isinstance(each, Tensor) for each in found):
            raise WireError("gradients that are no tensors")
        return list(found)

    def _answer(self, kind: Kind, body: bytes) -> Frame:
        answer = self.ask(kind, body)
        if answer.kind is Kind.FAILED:
            raise self._failures.hear(answer.body)
        if answer.kind is not Kind.RESULT:
            raise WireError(f"{answer.kind.name} is no answer to {kind.name}")
        return answer

    def _serve(self, frame: Frame) -> tuple[Kind, int, bytes]:
        """Answer one nested request. Raises what `told` does not cover, and WireError."""
        with self.serving(frame.call_id):
            try:
                if len(self._serving) > _DEEPEST:
                    raise RuntimeError(f"calls between your function and the grader nest deeper than {_DEEPEST}")
                serve = self._serve_invoke if frame.kind is Kind.INVOKE else self._serve_pull_back
                return Kind.RESULT, frame.call_id, serve(frame.body)
            except self._told as error:
                return Kind.FAILED, frame.call_id, self._failures.tell(error)

    def _serve_invoke(self, body: bytearray) -> bytes:
        decoder = self.decoder()
        number, grad, args, kwargs = parts(decoder.decode(body), int, bool, tuple, dict)
        if not 0 <= number < len(self._functions):
            raise WireError("a call of a function that was never given out")
        for tensor in decoder.tracked:
            tensor.requires_grad_()
        with torch.set_grad_enabled(grad):
            value = self._functions[number](*args, **kwargs)
        encoder = self.encoder(track=grad)
        try:
            answer = encoder.encode((len(self._records), value))
        except CannotCross as error:
            raise TypeError(f"the function returned {error}") from None
        self._records.append(Record(decoder.tracked, encoder.tracked))
        return answer

    def _serve_pull_back(self, body: bytearray) -> bytes:
        number, cotangents = parts(self.decoder().decode(body), int, list)
        if not 0 <= number < len(self._records):
            raise WireError("a gradient of a call that was never made")
        record = self._records[number]
        record.check(cotangents)
        return self.encoder().encode((self.computations.gradients(record.outputs, record.inputs, cotangents),))

    def _forget(self) -> None:
        self._records.clear()
        self._failures.clear()


def _substitute(value: Any, new: Mapping[int, Tensor]) -> Any:
    """A decoded value with some of its tensors replaced, by id."""
    if isinstance(value, Tensor):
        return new.get(id(value), value)
    if isinstance(value, list | tuple):
        return type(value)(_substitute(item, new) for item in value)
    if isinstance(value, dict):
        return {key: _substitute(item, new) for key, item in value.items()}
    return value


def _ensure_stack(levels: int = 40) -> None:
    """Run out of stack now if at all: halfway through an exchange the two sides would lose step."""
    if levels:
        _ensure_stack(levels - 1)
