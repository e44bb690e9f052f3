"""A question of numbers, worked out again from nothing but its text."""

import ast
import re
from typing import Any

import torch
from torch import Tensor

from grader.course.model import Course
from grader.grading import reference_function
from grader.review.questions.model import Question

FENCE = re.compile(r"```python\n(.*?)\n```\n\nWhat is `(y[^`]*)`", re.DOTALL)
DIGITS = re.compile(r"rounded to (\d) digits")


def worked_out(question: Question, course: Course) -> Any:
    """What the reference gives for the inputs as they are printed, or `...` for one that needs more than a call."""
    found = FENCE.search(question.prompt)
    if found is None or "\n# " in found[1] or question.id.startswith("mistake/training.accumulate_loss."):
        return ...  # a play of several calls, or a list of tensors, which is written like a tensor
    values: dict[str, Any] = {}
    *lines, last = ast.parse(re.sub(r"\binf\b", "1e999", found[1])).body
    for line in lines:
        assert isinstance(line, ast.Assign)
        assert isinstance(line.targets[0], ast.Name)
        values[line.targets[0].id] = as_tensors(ast.literal_eval(line.value))
    assert isinstance(last, ast.Assign)
    call = last.value
    assert isinstance(call, ast.Call)
    exercise = course.exercise(question.id.partition("/")[2].rpartition(".")[0])
    args = [value_of(each, values) for each in call.args]
    kwargs = {each.arg: value_of(each.value, values) for each in call.keywords if each.arg}
    result = reference_function(exercise)(*args, **kwargs)
    return part(result, ast.parse(found[2], mode="eval").body)


def value_of(node: ast.expr, values: dict[str, Any]) -> Any:
    """An argument: a name that stands above, or a constant."""
    return values[node.id] if isinstance(node, ast.Name) and node.id in values else ast.literal_eval(node)


def as_tensors(value: Any) -> Any:
    """Nested lists of numbers, and numbers that stand on a line of their own, as the tensors that they stand for."""
    if isinstance(value, dict):
        return {key: as_tensors(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(as_tensors(item) for item in value)
    if not isinstance(value, list | float | int) or isinstance(value, bool):
        return value
    return torch.tensor(value, dtype=torch.float64 if torch.tensor(value).is_floating_point() else None)


def part(result: Any, view: ast.expr) -> Any:
    """`y`, `y[0]`, `y['w'][1, 2]` or `y.shape` of a result."""
    if isinstance(view, ast.Name):
        return result
    if isinstance(view, ast.Attribute):
        return list(part(result, view.value).shape)
    assert isinstance(view, ast.Subscript)
    return part(result, view.value)[ast.literal_eval(view.slice)]


def agrees(shown: str, result: Any, digits: int) -> bool:
    """Whether an option shows this result, but for rounding."""
    if shown.startswith("an error"):
        return False
    plain = result.tolist() if isinstance(result, Tensor) else result
    numbers = flat(plain)
    dust = 1e-9 * max((abs(each) for each in numbers if isinstance(each, float) and abs(each) < 1e300), default=0.0)
    numbers = [0.0 if isinstance(each, float) and abs(each) < dust else each for each in numbers]
    texts = re.findall(r"[^\s\[\],]+", shown.strip("`"))
    if len(texts) != len(numbers) or shown.strip("`").count("[") != str(plain).count("["):
        return False
    return all(same(text, number, digits) for text, number in zip(texts, numbers, strict=True))


def same(text: str, number: Any, digits: int) -> bool:
    if text in ("True", "False"):
        return text == str(number)
    if isinstance(number, bool):
        return False
    if isinstance(number, int):
        return text == str(number)
    return text.removesuffix(".0") == f"{number:.{digits}g}" or float(text) == float(f"{number:.{digits}g}")


def flat(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [each for part in value for each in flat(part)]
    return [value]
