"""The catalogue of the lesson on the whole model, and how its mistakes are declared."""

from collections.abc import Mapping

from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception

catalogue = Catalogue("model")
Weights = dict[str, Tensor]


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())
