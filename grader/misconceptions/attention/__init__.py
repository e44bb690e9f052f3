"""Known mistakes of the lesson on attention: each exercise written once, with a switch at every fork."""

from grader.misconceptions.attention import (  # isort: skip  # noqa: F401  in course order: importing registers
    masks,
    scores,
    weights,
    attention,
    entropy,
)
from grader.misconceptions.attention.shared import catalogue

__all__ = ["catalogue"]
