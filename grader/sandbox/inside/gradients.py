"""Gradients of a call whose graph lies in two processes.

A call of the other side is one node of the caller's graph. A function that is served may have closed over tensors of
its own side, which no argument of the call names: the learner's `lambda h: ffn(h, w)` handed to the grader's `pre_norm`
closes over `w`. Backward from the result, the engine of the caller's side knows of no way to `w`; the way leads over
to the other side and back. So each nested computation also asks for the inputs of every computation that is under way
on its side, and adds what it finds to theirs. Gradients are sums over paths, and each path is met once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .frames import WireError


@dataclass
class _Target:
    tensor: Tensor
    total: Tensor | None = None


@dataclass(frozen=True)
class Record:
    """The part of a graph that a served call has left on this side: tracked arguments and tracked results."""

    inputs: list[Tensor]
    outputs: list[Tensor]

    def check(self, cotangents: Sequence[object]) -> None:
        """Raises WireError if these cannot be the cotangents of the results."""
        if len(cotangents) != len(self.outputs):
            raise WireError("the cotangents do not fit the call")
        for output, cotangent in zip(self.outputs, cotangents, strict=True):
            if cotangent is None:
                continue
            if not isinstance(cotangent, Tensor) or (cotangent.shape, cotangent.dtype) != (output.shape, output.dtype):
                raise WireError("the cotangents do not fit the call")


class Computations:
    """The gradient computations under way on one side, innermost last.

    anchor: an input of every node that stands for a call of the other side. Asking for its gradient makes the engine
    visit these nodes even when none of their arguments leads to an input.
    """

    def __init__(self) -> None:
        self.anchor = torch.zeros(0, requires_grad=True)
        self._targets: list[_Target] = []

    def gradients(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], cotangents: Sequence[Tensor | None]
    ) -> list[Tensor | None]:
        """As torch.autograd.grad with unused inputs allowed, the paths by way of the other side included."""
        own = [_Target(tensor) for tensor in inputs]
        outer = len(self._targets)
        self._targets += own
        wanted = list(self._targets)
        pairs = [(o, c) for o, c in zip(outputs, cotangents, strict=True) if c is not None and o.requires_grad]
        try:
            if pairs:
                # A weighted sum has these gradients too; handing the cotangents over as grad_outputs makes every
                # fresh worker import torch's symbolic shapes first, half a second of it.
                with torch.enable_grad():  # it is off in a backward
                    weighted = torch.stack([(o * c.conj()).real.sum().double() for o, c in pairs]).sum()
                found = torch.autograd.grad(
                    weighted,
                    [*(target.tensor for target in wanted), self.anchor],
                    retain_graph=True,
                    allow_unused=True,
                )
                for target, part in zip(wanted, found[:-1], strict=True):
                    if part is not None:
                        target.total = part if target.total is None else target.total + part
        finally:
            del self._targets[outer:]
        return [target.total for target in own]


class Puller(Protocol):
    """Whoever can ask the other side for the gradients of a call."""

    def pull_back(self, record: int, cotangents: Sequence[Tensor | None]) -> list[Tensor | None]:
        """The gradients of the tracked arguments of the call with this record."""


class _RemoteCall(torch.autograd.Function):
    """The node of one call of the other side. Its outputs have arrived already; only its backward asks."""

    @staticmethod
    def forward(
        ctx: Any,
        puller: Puller,
        record: int,
        outputs: list[Tensor],
        anchor: Tensor,  # noqa: ARG004  # an input of the node, see Computations
        *inputs: Tensor,
    ) -> Any:
        ctx.puller, ctx.record, ctx.count = puller, record, len(inputs)
        ctx.set_materialize_grads(False)
        return tuple(outputs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *cotangents: Tensor | None) -> Any:
        found = ctx.puller.pull_back(ctx.record, cotangents)
        if len(found) != ctx.count:
            raise WireError("the gradients do not fit the call")
        return (None, None, None, None, *found)


def attach(puller: Puller, record: int, outputs: list[Tensor], anchor: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    """The results of a call of the other side as results of a node in this side's graph."""
    return list(_RemoteCall.apply(puller, record, outputs, anchor, *inputs))  # type: ignore[no-untyped-call]
