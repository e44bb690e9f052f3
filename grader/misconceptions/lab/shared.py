"""What the exercises of the lab share: the catalogue, and how mistakes are declared by section."""

from collections.abc import Mapping

from grader.judge.misconception import Catalogue, Misconception

catalogue = Catalogue("lab")


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())
