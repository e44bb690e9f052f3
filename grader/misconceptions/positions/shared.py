"""The catalogue of the lesson on positions, how its mistakes are declared, and refusals."""

from collections.abc import Mapping

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("positions")


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


def form(says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes about shapes, dtypes, arguments and gradients."""
    return about("shapes-dtypes-arguments-gradients", says, fails)


def refuse(wrong: Wrong, message: str) -> None:
    """Raise what a bad size is answered with."""
    raise AssertionError(message) if wrong("assertion") else ValueError(message)
