"""The numbers of a panel: from the reference, or from a learner's functions, part by part."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from grader.course.model import Course
from grader.run.functions import Functions, Learner, Reference, Unanswered
from grader.site.panels.fitting import Fitting, Unfit
from grader.site.panels.model import Data, Panel, Part

DIGITS = 10
"""Significant ones that are kept: far more than is shown, and than the page's numbers are held to."""
GIVEN = "given"


def reference_data(panel: Panel, course: Course) -> dict[str, Any]:
    """All numbers of a panel from the reference, and what is given."""
    reference = Reference(course)
    parts = {part.name: plain(part.compute(reference, reference)) for part in panel.parts}
    return {GIVEN: plain(panel.given()), **parts}


def learner_parts(panel: Panel, course: Course, learner: Learner, golden: Data) -> dict[str, Any]:
    """The same parts from a learner's functions: `{"data": ...}`, or `{"trouble": sentence, "exercise": id}`.

    golden: the reference's numbers, whose form the learner's must have to be drawn beside them.
    """
    reference = Reference(course)
    fitting = Fitting(learner, reference)
    return {part.name: _learner_part(part, reference, fitting, golden[part.name]) for part in panel.parts}


def _learner_part(part: Part, reference: Reference, learner: Functions, golden: Any) -> dict[str, Any]:
    try:
        found = plain(part.compute(learner, reference))
    except Unanswered as ended:
        name = ended.exercise.rpartition(".")[2]
        return {"trouble": f"{name} {str(ended).partition(' ')[2].rstrip('.')}.", "exercise": ended.exercise}
    except Unfit as misfit:
        return {"trouble": str(misfit), "exercise": misfit.exercise}
    except (TypeError, ValueError, IndexError, KeyError, RuntimeError, AttributeError) as error:
        said = f"What it returned could not be used any further ({type(error).__name__}: {error})."
        return {"trouble": said, "exercise": part.exercises[0]}
    if (mine := form(found)) != (wanted := form(golden)):
        return {"trouble": f"It returned {mine}, where {wanted} was expected.", "exercise": part.exercises[0]}
    return {"data": found}


def plain(value: Any) -> Any:
    """As JSON can hold it: tensors as nested lists, numbers rounded, infinities and NaN as words."""
    match value:
        case Tensor():
            return plain(value.detach().tolist())
        case bool() | str() | int() | None:
            return value
        case float() if math.isnan(value):
            return "nan"
        case float() if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        case float():
            rounded = float(f"{value:.{DIGITS}g}")
            return value if math.isinf(rounded) else rounded  # the largest floats would be rounded out of their range
        case dict():
            return {str(key): plain(each) for key, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
    raise TypeError(f"a {type(value).__name__} has no place in a panel")


def form(value: Any) -> str:
    """The shape of plain data, in words: `numbers of shape 5 by 5`."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {form(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        inner = list(dict.fromkeys(form(each) for each in value))
        if len(inner) == 1:
            return f"{len(value)} of {inner[0]}" if inner[0] != "number" else f"{len(value)} numbers"
        return f"a list of {'; '.join(inner)}" if inner else "an empty list"
    if isinstance(value, str) and value not in ("inf", "-inf", "nan"):
        return "text"
    return "number"


def real(value: Any) -> float:
    """A number of plain data as a float: `inf` and `nan` are words there."""
    return float(value)
