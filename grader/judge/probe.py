"""One question to a function: arguments, what is wanted back, and how closely it must agree."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor

from grader.judge.play import Play, keeping, parameters, perform
from grader.judge.values import cast_floating, clone, floating_dtype, identical, map_tensors, size, tensors
from grader.sandbox.inside.effects import RANDOM_STATE, REQUIRES_GRAD, random_state, requires_grad
from grader.sandbox.reply import Outcome, Path, Raised, Returned

Aim = Literal["value", "gradient", "raises", "call"]


@dataclass(frozen=True)
class Closeness:
    """How near an answer must come. kappa: condition factor; scale: floor of the scale; rtol: a plain relative line."""

    kappa: float = 1.0
    scale: float = 0.0
    rtol: float | None = None
    exact: bool = False


@dataclass(frozen=True)
class Probe:
    """Arguments for one call. `wrt` names the arguments whose gradients are wanted (see `gradient_paths`)."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    aim: Aim = "value"
    wrt: tuple[Path, ...] = ()
    cotangent_seed: int = 0
    closeness: Closeness = Closeness()
    finite_only: bool = False
    """Gradients need only be finite (where any finite gradient is right)."""
    traceless: bool = False
    """The call may leave nothing behind: no moved random state, no result that asks for gradients."""
    names: tuple[str, ...] = ()
    """The function's parameters in order, for messages."""
    play: Play | None = None
    """How the function is used, where one call is not enough; the arguments are the play's."""
    opaque: tuple[int, ...] = ()
    """Positions of the returned tuple whose layout is the function's own: handed back to it, never looked into."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What the positional arguments are called."""
        return parameters(self.play) if self.play else self.names

    def one_call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Probe:
        """The question that one call of the play is."""
        return replace(self, args=args, kwargs=kwargs, play=None, aim="call")

    @property
    def size(self) -> int:
        """How many numbers the arguments hold."""
        return size(self.args) + size(dict(self.kwargs))

    @property
    def dtype(self) -> torch.dtype | None:
        """The floating dtype of the arguments, None when all are integers."""
        return floating_dtype((self.args, dict(self.kwargs)))

    def cast(self, dtype: torch.dtype) -> Probe:
        """The same question with every floating argument as `dtype`."""
        return replace(self, args=cast_floating(self.args, dtype), kwargs=cast_floating(dict(self.kwargs), dtype))

    def same_inputs(self, other: Probe) -> bool:
        """Whether the two ask the same thing, bit for bit."""
        return (
            self._manner == other._manner
            and identical(self.args, other.args)
            and identical(dict(self.kwargs), dict(other.kwargs))
        )

    @property
    def _manner(self) -> tuple[object, ...]:
        asked = self.aim, self.wrt, self.cotangent_seed, self.closeness, self.finite_only, self.traceless
        return *asked, self.play, self.opaque


def gradient_paths(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Path, ...]:
    """A path for every floating tensor argument: a position, a keyword, or (position or keyword, dict key)."""
    paths: list[Path] = []
    for name, value in named_arguments(args, kwargs):
        if isinstance(value, Tensor) and value.is_floating_point():
            paths.append(name)
        elif isinstance(value, dict):
            paths += [
                (name, key) for key, item in value.items() if isinstance(item, Tensor) and item.is_floating_point()
            ]
    return tuple(paths)


def named_arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[tuple[int | str, Any]]:
    """Every argument by its position or keyword."""
    return [*enumerate(args), *kwargs.items()]


def at_path(args: tuple[Any, ...], kwargs: Mapping[str, Any], path: Path) -> Any:
    """The argument that a gradient path names."""
    name, *rest = path if isinstance(path, tuple) else (path,)
    value = args[name] if isinstance(name, int) else kwargs[name]
    for key in rest:
        value = value[key]
    return value


def path_name(path: Path, names: Sequence[str]) -> str:
    """A path in the learner's words: `x`, `weights['wq']`."""
    name, *keys = path if isinstance(path, tuple) else (path,)
    head = names[name] if isinstance(name, int) and name < len(names) else str(name)
    return head + "".join(f"[{key!r}]" for key in keys)


def run_here(function: Callable[..., Any], probe: Probe, cotangent: Any = None) -> Outcome:
    """Ask a trusted function in this process: the reference, or a misconception.

    The function gets copies, so that one that changes its arguments spoils nothing. `cotangent` is a nested value
    shaped like the result; without it no gradients are computed.
    """
    if probe.play is not None:
        return perform(probe, partial(run_here, function))
    if probe.opaque:
        function = keeping(function, probe.opaque)
    args, kwargs, state = clone(probe.args), clone(dict(probe.kwargs)), random_state()
    wanted = [at_path(args, kwargs, path).requires_grad_() for path in probe.wrt]
    try:
        with warnings.catch_warnings(), torch.enable_grad() if wanted else torch.no_grad():
            warnings.simplefilter("ignore")  # as in the worker: a warning (of an empty batch, say) is no verdict
            value = function(*args, **kwargs)
            gradients = _gradients(value, cotangent, wanted, probe.wrt) if wanted and cotangent is not None else None
    except Exception as error:  # a misconception may fail in any way; what it raised is its answer
        return Raised(
            type_name=type(error).__name__,
            message=str(error),
            is_value_error=isinstance(error, ValueError),
            is_not_implemented=isinstance(error, NotImplementedError),
        )
    effects = [] if torch.equal(random_state(), state) else [RANDOM_STATE]
    if not wanted and requires_grad(value):
        effects.append(REQUIRES_GRAD)
    changed = () if wanted else _changed(probe, args, kwargs)
    return Returned(clone(value), gradients, changed, effects=tuple(effects))


def cotangent_like(value: Any, seed: int) -> Any:
    """Normal cotangents in float64, one for each floating tensor of a result; other leaves get None."""
    generator = torch.Generator().manual_seed(seed)

    def drawn(item: Any) -> Any:
        if isinstance(item, Tensor) and item.is_floating_point():
            return torch.randn(item.shape, generator=generator, dtype=torch.float64).to(item.dtype)
        if isinstance(item, list | tuple):
            return tuple(drawn(part) for part in item)
        if isinstance(item, dict):
            return {key: drawn(part) for key, part in item.items()}
        return None

    return drawn(value)


def _gradients(
    value: Any, cotangent: Any, wanted: list[Tensor], paths: tuple[Path, ...]
) -> dict[Path, Tensor | None] | None:
    outputs = dict(tensors(value))
    weights = dict(tensors(cotangent))
    if any(place not in outputs or outputs[place].shape != weight.shape for place, weight in weights.items()):
        return None
    pairs = [(outputs[place], weight.to(outputs[place].dtype)) for place, weight in weights.items()]
    pairs = [(output, weight) for output, weight in pairs if output.requires_grad]
    if not pairs:
        return {}
    # A weighted sum, not grad_outputs: those make torch import its symbolic shapes, half a second of it.
    total = torch.stack([(output * weight).sum() for output, weight in pairs]).sum()
    return dict(zip(paths, torch.autograd.grad(total, wanted, allow_unused=True), strict=True))


def _changed(probe: Probe, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Path, ...]:
    before, after = named_arguments(probe.args, probe.kwargs), named_arguments(args, kwargs)
    return tuple(name for (name, old), (_, new) in zip(before, after, strict=True) if not _unchanged(old, new))


def _unchanged(old: Any, new: Any) -> bool:
    return identical(map_tensors(Tensor.detach, old), map_tensors(Tensor.detach, new))
