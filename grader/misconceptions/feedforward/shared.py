"""The catalogue of the lesson on the feed-forward half of a block, and how its mistakes are declared."""

from collections.abc import Mapping

from grader.judge.misconception import Catalogue, Misconception

catalogue = Catalogue("feedforward")


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


def drift(says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes that no value shows: arguments, gradients, dtypes."""
    return about("arguments-change-gradients-vanish-types-drift", says, fails)
