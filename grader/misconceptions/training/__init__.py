"""Known mistakes of the lesson on training: each exercise written once, with a switch at every fork."""

from grader.misconceptions.training import (  # isort: skip  # noqa: F401  in course order: importing registers
    sequence_loss,
    clipping,
    adamw,
    schedule,
    accumulation,
)
from grader.misconceptions.training.shared import catalogue

__all__ = ["catalogue"]
