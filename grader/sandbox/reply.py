"""What a caller asks of a worker, and the five ways it can end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from torch import Tensor

Path: TypeAlias = int | str | tuple[int | str, ...]
"""Where an argument lies: a position, a keyword, or one of these followed by dict keys and list positions."""

DeathReason = Literal["timeout", "crashed", "memory", "protocol", "output"]


@dataclass(frozen=True)
class Call:
    """A call of one of the learner's functions.

    module, function: the lesson's slug and the function's name; a function that the worker handed over earlier
    (it arrives as a callable) may stand in for the name.
    wrt: paths of the floating tensors whose gradients are wanted. cotangent: a tree shaped like the expected result,
    tensors where the result has floating tensors (a list and a tuple are the same here), None elsewhere.
    opaque: positions of the returned tuple that stay in the worker; an `Opaque` token arrives in their place and may
    be an argument of later calls of the same worker.
    deadline: seconds, of the limits when None.
    """

    module: str
    function: str | Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    wrt: tuple[Path, ...] | None = None
    cotangent: Any = None
    opaque: tuple[int, ...] = ()
    deadline: float | None = None


@dataclass(frozen=True)
class Returned:
    """The function returned a value that may cross.

    gradients: by path of `wrt`, None for an argument that does not reach the result; an empty dict when nothing in the
    result depends on any argument (it was detached); None when no gradients were asked for, or when the result's shape
    is not the cotangent's.
    changed_inputs: arguments that the function changed in place; stale: whether this call changed the result of the
    call before it; effects: "random-state" if torch's global random state moved, "requires-grad" if the result asks for
    gradients though no argument does. All three are told by the worker, which runs the learner's code: believe them as
    feedback, no further.
    """

    value: Any
    gradients: dict[Path, Tensor | None] | None = None
    changed_inputs: tuple[Path, ...] = ()
    stale: bool = False
    output: str = ""
    effects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Raised:
    """The function, or its module at import, raised. line and module: the last of the learner's own lines on the way;
    trace: the learner's frames only, shortened. The worker is usable afterwards."""

    type_name: str
    message: str
    line: int | None = None
    module: str | None = None
    trace: str = ""
    is_not_implemented: bool = False
    is_value_error: bool = False
    is_memory: bool = False
    output: str = ""


@dataclass(frozen=True)
class NotAValue:
    """The function returned something that cannot cross; description says what, with its article: "a numpy.ndarray"."""

    description: str
    output: str = ""


@dataclass(frozen=True)
class Died:
    """The worker is gone: killed for a reason, or it ended itself. detail is a sentence to the learner."""

    reason: DeathReason
    detail: str
    output: str = ""


Outcome: TypeAlias = Returned | Raised | NotAValue | Died
Reply = Outcome
