"""Known mistakes of the lesson on positions: each exercise written once, with a switch at every fork."""

from grader.misconceptions.positions import (  # isort: skip  # noqa: F401  in course order: importing registers
    sinusoids,
    rope_angles,
    rotation,
    interleaved_to_half,
    alibi,
)
from grader.misconceptions.positions.shared import catalogue

__all__ = ["catalogue"]
