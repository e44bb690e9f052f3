"""What the exercises on training share: the catalogue, and mistakes about form."""

import torch
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("training")

FORM = "arguments-gradients-and-dtypes"


def about(
    section: str, says: dict[str, str], fails: str | None = None, alone: bool = False
) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails, alone) for name, sentence in says.items())


def float32_results(argument: str, sixteen_bit_test: str, first_test: str) -> tuple[Misconception, Misconception]:
    """The arithmetic is float32 and nobody casts back: for 16-bit arguments alone, or for float64 ones too."""
    return (
        Misconception(
            "returns-float32",
            f"16-bit arguments come back as float32. Compute in float32, but give back the dtype of the {argument}.",
            FORM,
            fails=sixteen_bit_test,
        ),
        Misconception(
            "always-float32",
            f"The result is float32 whatever comes in; give back the dtype of the {argument}.",
            FORM,
            fails=first_test,
        ),
    )


def float64_results(argument: str, test: str) -> Misconception:
    """The arithmetic is float64 and nobody casts back; `test` is the suite's test of float32 arguments."""
    return Misconception(
        "returns-float64",
        f"float32 arguments come back as float64. Compute in float64 if you like, but give back the dtype of the "
        f"{argument}.",
        FORM,
        fails=test,
    )


def cut_off(test: str) -> Misconception:
    """The value is right and no gradient flows; `test` is the suite's test of gradients."""
    return Misconception(
        "no-gradient",
        "The loss is cut off from the graph (detach, .item() or no_grad), so nothing can be learned from it.",
        FORM,
        fails=test,
    )


def widened(wrong: Wrong, x: Tensor) -> Tensor:
    """`x` in the precision that the arithmetic is done in."""
    if wrong("returns-float64"):
        return x.double()
    return x.float() if wrong("always-float32") or x.dtype in (torch.bfloat16, torch.float16) else x


def given_back(wrong: Wrong, result: Tensor, dtype: torch.dtype) -> Tensor:
    """`result` in the dtype that the caller gets."""
    kept = any(map(wrong, ("always-float32", "returns-float32", "returns-float64")))
    return result if kept else result.to(dtype)
