"""What several exercises on the block share: the catalogue, and what may go wrong at the end."""

from collections.abc import Callable, Mapping

from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("block")

Layer = Callable[[Tensor], Tensor]
Weights = dict[str, Tensor]


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


DRIFT = (
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"changes-h": "The caller's h is changed in place (+= does that); add into a new tensor."},
        fails="test_leaves_arguments_alone",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {
            "stream-detached": "The stream is cut off before it is added, so that no gradient passes along it: the "
            "identity path is the one that must stay open.",
            "branch-detached": "What the sublayer returns is cut off (detach, no_grad, .data): the sublayer and its "
            "norm get no gradient.",
        },
        fails="test_gradient",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"returns-float32": "The result is float32 although h is not: give back its dtype."},
        fails="test_dtype",
    ),
)


def handed_back(wrong: Wrong, h: Tensor, result: Tensor) -> Tensor:
    """The result, after what else may go wrong at the end."""
    if wrong("changes-h"):
        h.copy_(result)
    return result.float() if wrong("returns-float32") else result.to(h.dtype)
