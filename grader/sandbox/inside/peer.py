"""Calls across the channel in both directions, with their gradients.

Each side has one Peer. A function that crosses becomes a `Remote` on the other side; calling it sends an INVOKE, and
whoever waits for an answer serves what the other side asks meanwhile, so calls nest strictly and no thread is needed.

A call that makes a graph on the serving side becomes one node in the caller's graph: the serving side keeps its part
as a record, and the node's backward sends the cotangents over (PULL_BACK). A served function may also have closed over
tensors of its own side, which no argument names. What reaches those is found in the nested gradient computation and
added to the outer one that is under way on that side, see `gradients`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .codec import CannotCross, Caps, Decoder, Encoder
from .frames import NESTED, Frame, Kind, WireError

TOLD = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What a trusted function may raise because of the arguments it was given: the caller gets the same built-in type."""

_BUILTINS: tuple[type[Exception], ...] = (
    NotImplementedError,
    RecursionError,
    RuntimeError,
    KeyError,
    IndexError,
    LookupError,
    ZeroDivisionError,
    OverflowError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    MemoryError,
    TypeError,
    ValueError,
)
_BY_NAME = {kind.__name__: kind for kind in _BUILTINS}
_DEEPEST = 24
"""Requests served inside one another; each costs some ten Python frames."""
_MINE, _YOURS, _TOKEN = 0, 1, 2
_MESSAGE = 1000


class RemoteFailure(Exception):
    """A function of the other side raised something that is no common built-in exception."""


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


@dataclass
class _Target:
    tensor: Tensor
    total: Tensor | None = None


@dataclass(frozen=True)
class _Record:
    inputs: list[Tensor]
    outputs: list[Tensor]


@dataclass
class _Tables:
    """What this side has given out. records and failures live until the outermost request ends."""

    functions: list[Callable[..., Any]] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    records: list[_Record] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)


class Peer:
    """One side. told: the exceptions of a served function that are told to the other side; others pass through.

    new_id: makes the id of a request (the grader draws them); None lets requests carry the id of the request that is
    being served (the worker, which has no other).
    tokens: objects behind opaque tokens, where this side is the one that keeps them; worker: the serial of this pair.
    """

    def __init__(
        self,
        link: Link,
        *,
        told: tuple[type[BaseException], ...],
        new_id: Callable[[], int] | None,
        caps: Caps | None = None,
        keep_strides: bool = False,
        worker: int = 0,
    ) -> None:
        self.anchor = torch.zeros(0, requires_grad=True)
        self.tokens: list[object] | None = None
        self._link = link
        self._told = (*told, RemoteFailure)
        self._new_id = new_id
        self._caps = caps or Caps()
        self._keep_strides = keep_strides
        self._worker = worker
        self._tables = _Tables()
        self._serving: list[int] = []
        self._depth = 0
        self._targets: list[_Target] = []
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
        tables = self._tables
        number = tables.numbers.get(id(value))
        if number is None:
            number = tables.numbers[id(value)] = len(tables.functions)
            tables.functions.append(value)  # kept for good, so that its id stays its own
        return _MINE, number

    def resolve(self, owner: int, number: int, label: str) -> object:
        """See References."""
        if owner == _MINE:
            return Remote(self, number, label[:200])
        if owner == _YOURS and number < len(self._tables.functions):
            return self._tables.functions[number]
        if owner == _TOKEN and self.tokens is None:
            return Opaque(self._worker, number)
        if owner == _TOKEN and self.tokens is not None and number < len(self.tokens):
            return self.tokens[number]
        raise WireError("a reference to nothing")

    def ask(self, kind: Kind, body: bytes) -> Frame:
        """Send a request, serve what the other side asks meanwhile, and return its answer."""
        if self._new_id is None and (not self._serving or threading.get_ident() != self._thread):
            raise RuntimeError("a function that was handed to you can only be called while your function runs")
        call_id = self._new_id() if self._new_id else self._serving[-1]
        self._depth += 1
        try:
            frame = self._link.exchange(kind, call_id, body)
            while frame.kind in NESTED:
                frame = self._link.exchange(*self.serve(frame))
            return frame
        finally:
            self._depth -= 1
            if self._depth == 0 and not self._serving:
                self.forget()

    def forget(self) -> None:
        """Drop the graphs and exceptions kept for the request that has ended."""
        self._tables.records.clear()
        self._tables.failures.clear()

    def serving(self, call_id: int) -> _Serving:
        """A context in which a request of the other side is being served."""
        return _Serving(self._serving, call_id)

    def serve(self, frame: Frame) -> tuple[Kind, int, bytes]:
        """Answer one nested request. Raises what `told` does not cover, and WireError."""
        with self.serving(frame.call_id):
            try:
                if len(self._serving) > _DEEPEST:
                    raise RuntimeError(f"calls between your function and the grader nest deeper than {_DEEPEST}")
                if frame.kind is Kind.INVOKE:
                    return Kind.RESULT, frame.call_id, self._serve_invoke(frame.body)
                return Kind.RESULT, frame.call_id, self._serve_pull_back(frame.body)
            except self._told as error:
                return Kind.FAILED, frame.call_id, self._failure_body(error)

    def invoke(self, number: int, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Call a function of the other side. Raises what it raised, as a built-in exception or RemoteFailure."""
        _ensure_stack()
        grad = torch.is_grad_enabled()
        encoder = self.encoder(track=grad)
        try:
            body = encoder.encode((number, grad, args, dict(kwargs)))
        except CannotCross as error:
            raise TypeError(f"{error} cannot be handed to this function") from None
        answer = self.ask(Kind.INVOKE, body)
        if answer.kind is Kind.FAILED:
            raise self._failure(answer.body)
        decoder = self.decoder()
        record, value = parts(decoder.decode(answer.body), int, object)
        if not (grad and decoder.tracked):
            return value
        attached = _RemoteCall.apply(self, record, decoder.tracked, self.anchor, *encoder.tracked)
        return _substitute(value, {id(old): new for old, new in zip(decoder.tracked, attached, strict=True)})

    def pull_back(self, record: int, cotangents: Sequence[Tensor | None]) -> list[Tensor | None]:
        """The gradients of a call of the other side with regard to its tracked arguments."""
        answer = self.ask(Kind.PULL_BACK, self.encoder().encode((record, list(cotangents))))
        if answer.kind is Kind.FAILED:
            raise self._failure(answer.body)
        (found,) = parts(self.decoder().decode(answer.body), list)
        if not all(each is None or isinstance(each, Tensor) for each in found):
            raise WireError("gradients that are no tensors")
        return list(found)

    def gradients(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], cotangents: Sequence[Tensor | None]
    ) -> list[Tensor | None]:
        """As torch.autograd.grad with unused inputs allowed, and with what reaches the inputs by way of the other side.

        The inputs of all computations under way on this side are asked for in each nested one, because a function that
        is served there may have closed over them; the anchor makes the engine visit calls that no input leads to.
        """
        own = [_Target(tensor) for tensor in inputs]
        outer = len(self._targets)
        self._targets += own
        wanted = list(self._targets)
        pairs = [(o, c) for o, c in zip(outputs, cotangents, strict=True) if c is not None and o.requires_grad]
        try:
            if pairs:
                found = torch.autograd.grad(
                    [output for output, _ in pairs],
                    [*(target.tensor for target in wanted), self.anchor],
                    [cotangent for _, cotangent in pairs],
                    retain_graph=True,
                    allow_unused=True,
                )
                for target, part in zip(wanted, found, strict=False):
                    if part is not None:
                        target.total = part if target.total is None else target.total + part
        finally:
            del self._targets[outer:]
        return [target.total for target in own]

    def _serve_invoke(self, body: bytearray) -> bytes:
        decoder = self.decoder()
        number, grad, args, kwargs = parts(decoder.decode(body), int, bool, tuple, dict)
        if not 0 <= number < len(self._tables.functions):
            raise WireError("a call of a function that was never given out")
        for tensor in decoder.tracked:
            tensor.requires_grad_()
        with torch.set_grad_enabled(grad):
            value = self._tables.functions[number](*args, **kwargs)
        encoder = self.encoder(track=grad)
        try:
            answer = encoder.encode((len(self._tables.records), value))
        except CannotCross as error:
            raise TypeError(f"the function returned {error}") from None
        self._tables.records.append(_Record(decoder.tracked, encoder.tracked))
        return answer

    def _serve_pull_back(self, body: bytearray) -> bytes:
        number, cotangents = parts(self.decoder().decode(body), int, list)
        if not 0 <= number < len(self._tables.records):
            raise WireError("a gradient of a call that was never made")
        record = self._tables.records[number]
        if len(cotangents) != len(record.outputs):
            raise WireError("the cotangents do not fit the call")
        for output, cotangent in zip(record.outputs, cotangents, strict=True):
            if cotangent is not None and not (
                isinstance(cotangent, Tensor) and (cotangent.shape, cotangent.dtype) == (output.shape, output.dtype)
            ):
                raise WireError("the cotangents do not fit the call")
        return self.encoder().encode((self.gradients(record.outputs, record.inputs, cotangents),))

    def _failure_body(self, error: BaseException) -> bytes:
        """Type, message, and a number under which this side finds the exception again if it comes back."""
        origin = getattr(error, "_came_from", -1)
        number = len(self._tables.failures)
        self._tables.failures.append(error)
        name = next((kind.__name__ for kind in _BUILTINS if isinstance(error, kind)), type(error).__name__)
        return Encoder().encode((name, text_of(error), number, origin))

    def _failure(self, body: bytearray) -> BaseException:
        name, message, number, origin = parts(Decoder().decode(body), str, str, int, int)
        if origin != -1:
            if not 0 <= origin < len(self._tables.failures):
                raise WireError("a failure that never was")
            return self._tables.failures[origin]
        kind = _BY_NAME.get(name, RemoteFailure)
        error = kind(message if kind is not RemoteFailure else f"{name}: {message}")
        error._came_from = number  # type: ignore[attr-defined]  # read by _failure_body if it passes through
        return error


@dataclass(frozen=True)
class _Serving:
    stack: list[int]
    call_id: int

    def __enter__(self) -> None:
        self.stack.append(self.call_id)

    def __exit__(self, *_: object) -> None:
        self.stack.pop()


class _RemoteCall(torch.autograd.Function):
    """The node of one call of the other side. Its outputs have arrived already; only its backward asks."""

    @staticmethod
    def forward(ctx: Any, peer: Peer, record: int, outputs: list[Tensor], anchor: Tensor, *inputs: Tensor) -> Any:
        ctx.peer, ctx.record, ctx.count = peer, record, len(inputs)
        ctx.set_materialize_grads(False)
        return tuple(outputs)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *cotangents: Tensor | None) -> Any:
        found = ctx.peer.pull_back(ctx.record, cotangents)
        if len(found) != ctx.count:
            raise WireError("the gradients do not fit the call")
        return (None, None, None, None, *found)


def text_of(error: BaseException) -> str:
    """The message of an exception, shortened; its `__str__` is not trusted to work."""
    try:
        text = str.__str__(str(error))
    except Exception:
        return "(its message cannot be shown)"
    text = text[:_MESSAGE].encode(errors="backslashreplace").decode()
    return text


def parts(value: Any, *kinds: type) -> tuple[Any, ...]:
    """The items of a body, if they are what was due. Raises WireError."""
    if (
        type(value) is not tuple
        or len(value) != len(kinds)
        or not all(kind is object or type(item) is kind for item, kind in zip(value, kinds, strict=True))
    ):
        raise WireError("a body does not hold what was due")
    return value


def _substitute(value: Any, new: Mapping[int, Tensor]) -> Any:
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
