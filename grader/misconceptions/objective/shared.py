"""What several exercises on the objective share: the catalogue, mistakes about form, and casts."""

import torch
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("objective")

EPSILONS = {f"epsilon-{text}": float(text) for text in ("1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-12")}
"""The constants that people add inside a logarithm, by the name of the mistake."""


def about(
    section: str, says: dict[str, str], fails: str | None = None, alone: bool = False
) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails, alone) for name, sentence in says.items())


def epsilons(names: tuple[str, ...], says: str) -> dict[str, str]:
    """The same mistake with several constants; `{}` in `says` is the constant."""
    return {name: says.format(name.removeprefix("epsilon-")) for name in names}


def cut_off(output: str, test: str) -> Misconception:
    """The value is right and no gradient flows; `test` is the suite's test of gradients."""
    return Misconception(
        "no-gradient",
        f"The {output} cut off from the graph (detach, .data, .item() or no_grad), so no gradient flows back.",
        "gradients-dtypes-and-arguments",
        fails=test,
    )


def changes(argument: str) -> Misconception:
    """The argument is used as scratch paper."""
    return Misconception(
        f"changes-{argument}",
        f"Your function writes into {argument}, which belongs to the caller; work on a new tensor.",
        "gradients-dtypes-and-arguments",
        fails="test_leaves_arguments_alone",
    )


def float32_results(argument: str, sixteen_bit_test: str, first_test: str) -> tuple[Misconception, Misconception]:
    """The arithmetic is float32 and nobody casts back: for 16-bit arguments alone, or for float64 ones too."""
    section = "gradients-dtypes-and-arguments"
    return (
        Misconception(
            "returns-float32",
            f"16-bit arguments come back as float32. Compute in float32, but give back the dtype of the {argument}.",
            section,
            fails=sixteen_bit_test,
        ),
        Misconception(
            "always-float32",
            f"The result is float32 whatever comes in; give back the dtype of the {argument}.",
            section,
            fails=first_test,
        ),
    )


STALLING_SUM = Misconception(
    "sum-stalls-in-16-bits",
    "Exponentials are added up in 16 bits, where the sum stops growing (in bfloat16 at 256); sum in float32.",
    "gradients-dtypes-and-arguments",
    fails="test_bfloat16",
    alone=True,
)


def widened(wrong: Wrong, x: Tensor) -> Tensor:
    """`x` in the precision that the arithmetic is done in."""
    return x.float() if wrong("always-float32") or x.dtype in (torch.bfloat16, torch.float16) else x


def given_back(wrong: Wrong, result: Tensor, dtype: torch.dtype) -> Tensor:
    """`result` in the dtype, and with the graph, that the caller gets."""
    result = result if wrong("always-float32") or wrong("returns-float32") else result.to(dtype)
    return result.detach() if wrong("no-gradient") else result


def stalling_sum(terms: Tensor, dtype: torch.dtype) -> Tensor:
    """The sum over the last axis, one term after the other in `dtype`: in bfloat16 a sum of ones stays at 256."""
    total = torch.zeros_like(terms[..., 0], dtype=dtype)
    for term in terms.to(dtype).unbind(-1):
        total = total + term
    return total
