"""What the reference and the catalogued mistakes return: the only module here that imports torch, on first use.

Results leave it as plain numbers and sizes. Whatever goes wrong is the question's mistake and names its file and line.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from grader.course.mistakes import CourseErrors, Mistake
from grader.review.questions.model import Call, Drawn, Key, Parameter, Place, TensorLiteral, Variant

if TYPE_CHECKING:
    from types import ModuleType

Sizes = tuple[int, ...]


class Oracle:
    """Evaluates calls in this process. One oracle may serve any number of questions."""

    def recorded(self, drawn: Drawn) -> Key | None:  # noqa: ARG002  see questions.recorded
        """The whole key, where it was worked out beforehand."""
        return None

    def value(self, call: Call, params: Mapping[str, Any]) -> float:
        """The number that the call returns (an int where it is one). Raises CourseErrors."""
        return _number(self._part(_reference(call), call, params, call.place), call.place)

    def shape(self, call: Call, params: Mapping[str, Any]) -> Sizes:
        """The shape of the tensor that the call returns. Raises CourseErrors."""
        return _sizes(self._part(_reference(call), call, params, call.place), call.place)

    def wrong(self, variant: Variant | str, call: Call, params: Mapping[str, Any]) -> float:
        """The number that the call returns when that mistake (or the one with that id) is made. Raises CourseErrors."""
        variant = _variant(variant, call)
        return _number(self._part(_flawed(variant), call, params, variant.place), variant.place)

    def wrong_shape(self, variant: Variant | str, call: Call, params: Mapping[str, Any]) -> Sizes:
        """The shape of what the call returns when that mistake is made. Raises CourseErrors."""
        variant = _variant(variant, call)
        return _sizes(self._part(_flawed(variant), call, params, variant.place), variant.place)

    def _part(self, function: Callable[..., Any], call: Call, params: Mapping[str, Any], place: Place) -> Any:
        arguments = {name: argument(value, params, place) for name, value in call.args.items()}
        try:
            part = function(**arguments)
        except Exception as error:  # whatever the function raises, the question cannot be asked like this
            raise _mistake(place, f"{call.ref} raises {type(error).__name__} for {dict(params)}: {error}") from error
        for step in call.at:
            key = argument(step, params, place)
            try:
                part = part[key]
            except (IndexError, KeyError, TypeError) as error:
                raise _mistake(
                    place, f"`at` does not fit what {call.ref} returns: no {key!r} in {_kind(part)}"
                ) from error
        return part


def _variant(variant: Variant | str, call: Call) -> Variant:
    return Variant(variant, call.place) if isinstance(variant, str) else variant


def _reference(call: Call) -> Callable[..., Any]:
    module, _, name = call.ref.partition(":")
    function = getattr(_module(module, call.place, f"`ref` is {call.ref}"), name, None)
    if not callable(function):
        raise _mistake(call.place, f"`ref` is {call.ref}, but {module} has no function {name}")
    found: Callable[..., Any] = function
    return found


def _flawed(variant: Variant) -> Callable[..., Any]:
    lesson, _, rest = variant.misconception.partition(".")
    exercise, _, name = rest.partition(".")
    says = f"`wrong` is {variant.misconception}"
    catalogue = _module(f"grader.misconceptions.{lesson}", variant.place, says).catalogue
    if exercise not in catalogue.exercises:
        raise _mistake(variant.place, f"{says}, but the catalogue has no exercise {lesson}.{exercise}")
    try:
        function: Callable[..., Any] = catalogue.exercises[exercise].variant({name})
    except KeyError:
        raise _mistake(variant.place, f"{says}, but the catalogue of {lesson}.{exercise} has no {name}") from None
    return function


def _module(name: str, place: Place, says: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise  # something that the module itself needs is missing: no fault of the question
        raise _mistake(place, f"{says}, but there is no module {name}") from error


def argument(value: Any, params: Mapping[str, Any], place: Place) -> Any:
    """An argument of a question, with its drawn numbers. It is a fresh one: a call that writes into it harms nobody."""
    if isinstance(value, Parameter):
        return params[value.name]
    if isinstance(value, TensorLiteral):
        return _tensor(value, params, place)
    if isinstance(value, list):
        return [argument(item, params, place) for item in value]
    if isinstance(value, dict):
        return {key: argument(item, params, place) for key, item in value.items()}
    return value


def _tensor(literal: TensorLiteral, params: Mapping[str, Any], place: Place) -> Any:
    import torch  # needed as late as the first value

    values = argument(literal.values, params, place)
    try:
        return torch.tensor(values, dtype=getattr(torch, literal.dtype))
    except (ValueError, TypeError, RuntimeError) as error:
        raise _mistake(place, f"{values} is no tensor of {literal.dtype}: {error}") from error


def _number(part: Any, place: Place) -> float:
    import torch

    if isinstance(part, torch.Tensor):
        if part.numel() != 1:
            raise _mistake(
                place, f"the result has the shape {tuple(part.shape)}; say with `at` which number is asked for"
            )
        return _plain(part)
    if isinstance(part, bool | int | float):
        return part + 0  # True counts as 1
    raise _mistake(place, f"the result is {_kind(part)}, not a number; say with `at` which part is meant")


def _plain(tensor: Any) -> float:
    import torch

    number: float = tensor.item() + 0
    if tensor.dtype == torch.float32 and math.isfinite(number):
        # The shortest decimal that is this float32: 0.1 and not 0.10000000149, so that `exact` means what it says.
        return float(str(tensor.detach().numpy().reshape(()).astype("float32")))
    return number


def _sizes(part: Any, place: Place) -> Sizes:
    import torch

    if not isinstance(part, torch.Tensor):
        raise _mistake(place, f"the result is {_kind(part)}, which has no shape; say with `at` which tensor is meant")
    return tuple(part.shape)


def _kind(part: Any) -> str:
    shape = getattr(part, "shape", None)
    return f"a tensor of shape {tuple(shape)}" if shape is not None else f"a value of type {type(part).__name__}"


def _mistake(place: Place, says: str) -> CourseErrors:
    says = f"{place.item}: {says}" if place.item else says
    return CourseErrors([Mistake(place.path, place.line, says)])
