"""Known mistakes of the lesson on the objective: each exercise written once, with a switch at every fork."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("objective")

TINY = {"epsilon-1e-6": 1e-6, "epsilon-1e-8": 1e-8}
"""The constants that people add inside a logarithm, by the name of the mistake."""


def about(section: str, says: dict[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails=fails) for name, sentence in says.items())


def shared_slips(output: str, argument: str, gradient_test: str) -> tuple[Misconception, ...]:
    """Graph and mutation: what no value shows. `gradient_test` is the suite's test of gradients."""
    section = "gradients-dtypes-and-arguments"
    return (
        Misconception(
            "no-gradient",
            f"The {output} is cut off from the graph (detach, data, item or no_grad), so that nothing before it can learn.",
            section,
            fails=gradient_test,
        ),
        Misconception(
            f"changes-{argument}",
            f"Your function writes into {argument}, which belongs to the caller; work on a new tensor.",
            section,
            fails="test_leaves_arguments_alone",
        ),
    )


def returns_float32(argument: str, test: str) -> Misconception:
    """16-bit arguments are computed in float32, rightly, and the result is not cast back."""
    return Misconception(
        "returns-float32",
        f"The arithmetic is float32, which is fine, but so is the result: give back the dtype of the {argument}.",
        "gradients-dtypes-and-arguments",
        fails=test,
    )


def always_float32(argument: str) -> Misconception:
    """Every argument becomes float32, float64 too, and so does the result."""
    return Misconception(
        "always-float32",
        f"`.float()` makes float32 of everything and the result stays so; give back the dtype of the {argument}.",
        "gradients-dtypes-and-arguments",
        fails="test_gradients",
    )


def wide(wrong: Wrong, x: Tensor) -> Tensor:
    """`x` in the precision that the exponentials are taken in."""
    return x.float() if wrong("always-float32") or x.dtype in (torch.bfloat16, torch.float16) else x


def back(wrong: Wrong, result: Tensor, dtype: torch.dtype) -> Tensor:
    """`result` as it is given back."""
    result = result if wrong("always-float32") or wrong("returns-float32") else result.to(dtype)
    return result.detach() if wrong("no-gradient") else result


@catalogue.flawed(
    "embed",
    *about(
        "a-lookup-nothing-more",
        {
            "scaled-by-sqrt-d": "The rows are multiplied by the root of D, as in the 2017 encoder-decoder; here a row is "
            "copied as it is.",
            "divided-by-sqrt-d": "The rows are divided by the root of D; here a row is copied as it is.",
            "ids-count-from-one": "Your function takes the row before the right one: ids count from 0, so token 0 owns the "
            "first row.",
            "position-instead-of-id": "The row is chosen by the token's position in the text; choose it by the token's id.",
            "token-0-is-padding": "Token 0 comes out as zeros, as if it were padding; it is a token like any other.",
            "rows-of-unit-length": "The rows are brought to length 1; a lookup copies them as they are.",
        },
    ),
    *about(
        "ids-are-checked-never-bent",
        {
            "unchecked-ids": "Ids are not checked: a negative one picks a row from the end, and one of V or more raises an "
            "IndexError. Both must raise ValueError.",
            "clamped-ids": "Ids outside the vocabulary are moved to its nearest end; raise ValueError instead.",
            "wrapped-ids": "Ids outside the vocabulary are taken modulo V; raise ValueError instead.",
        },
        fails="test_id_too_large",
    ),
    *about(
        "ids-are-checked-never-bent",
        {
            "negative-ids-from-the-end": "A negative id picks a row from the end of the table, as Python indexing does; "
            "raise ValueError for it too.",
        },
        fails="test_negative_id",
    ),
    *about(
        "gradients-dtypes-and-arguments",
        {
            "always-float32": "The result is float32 whatever the table is; give back the dtype of the table.",
            "leading-axes-lost": "The tokens are flattened and their axes do not come back; the result is (..., D).",
        },
        fails="test_any_leading_axes",
    ),
    *shared_slips("row", "tokens", "test_gradient_of_repeated_ids"),
)
def embed(wrong: Wrong, tokens: Tensor, table: Tensor) -> Tensor:
    """One row of the table for each token."""
    vocabulary, width = table.shape
    ids = tokens
    if wrong("clamped-ids"):
        ids = ids.clamp(0, vocabulary - 1)
    if wrong("wrapped-ids"):
        ids = ids % vocabulary
    if not wrong("unchecked-ids"):
        too_small = bool((ids < 0).any()) and not wrong("negative-ids-from-the-end")
        if too_small or bool((ids >= vocabulary).any()):
            raise ValueError("a token lies outside the vocabulary")
    if wrong("changes-tokens"):
        tokens.zero_()
        ids = ids.clone() if ids is not tokens else ids
    if wrong("position-instead-of-id"):
        length = ids.shape[-1] if ids.dim() else 1
        ids = (torch.arange(length).expand(ids.shape) if ids.dim() else torch.zeros_like(ids)) % vocabulary
    if wrong("ids-count-from-one"):
        ids = ids - 1
    rows = table[ids.reshape(-1) if wrong("leading-axes-lost") else ids]
    if wrong("token-0-is-padding"):
        rows = rows * (ids.reshape(rows.shape[:-1]) != 0).unsqueeze(-1)
    if wrong("scaled-by-sqrt-d"):
        rows = rows * math.sqrt(width)
    if wrong("divided-by-sqrt-d"):
        rows = rows / math.sqrt(width)
    if wrong("rows-of-unit-length"):
        rows = rows / rows.norm(dim=-1, keepdim=True)
    rows = rows.float() if wrong("always-float32") else rows
    return rows.detach() if wrong("no-gradient") else rows
