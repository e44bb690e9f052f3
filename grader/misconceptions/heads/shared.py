"""What several exercises on heads share: the catalogue, refusals, and numbers that only move."""

from collections.abc import Mapping

from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("heads")


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


def drift(says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes that no value shows: arguments, gradients, dtypes."""
    return about("arguments-change-gradients-vanish-types-drift", says, fails)


def moved_only(first_test: str) -> tuple[Misconception, ...]:
    """What can go wrong with numbers that only move."""
    return (
        *drift(
            {"detached": "The result is cut off from x (by detach, .data or a detour through lists): nothing trains."},
            fails="test_gradient",
        ),
        *drift(
            {
                "float32-buffer": "The result is float32 whatever came in: a buffer from torch.zeros has that dtype "
                "unless it is told another."
            },
            fails=first_test,
        ),
    )


def refusal(fails: str) -> tuple[Misconception, ...]:
    """What can go wrong with numbers of heads that do not fit."""
    return about(
        "heads-that-do-not-divide",
        {
            "no-check": "Nothing is checked, so that torch complains later and about something else: raise a "
            "ValueError first, with a message.",
            "assertion": "Bad numbers of heads are noticed, but not with a ValueError: raise one, with a message.",
        },
        fails,
    )


def refuse(wrong: Wrong, bad: bool, message: str) -> None:
    """Raise what a bad number of heads is answered with."""
    if bad and wrong("assertion"):
        raise AssertionError(message)
    if bad and not wrong("no-check"):
        raise ValueError(message)


def as_returned(wrong: Wrong, moved: Tensor) -> Tensor:
    """The numbers in the form in which they are handed back."""
    if wrong("detached"):
        moved = moved.detach()
    return moved.float() if wrong("float32-buffer") else moved
