"""Known mistakes of the lesson on the objective: each exercise written once, with a switch at every fork."""

from grader.misconceptions.objective import (  # isort: skip  # noqa: F401  in course order: importing registers
    tables,
    softmax,
    targets,
    cross_entropy,
    information,
)
from grader.misconceptions.objective.shared import catalogue

__all__ = ["catalogue"]
