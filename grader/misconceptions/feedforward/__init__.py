"""Known mistakes of the lesson on the feed-forward half of a block: each exercise once, with a switch at every fork."""

from grader.misconceptions.feedforward import (  # isort: skip  # noqa: F401  in course order: importing registers
    gelu,
    silu,
    networks,
    hidden_width,
)
from grader.misconceptions.feedforward.shared import catalogue

__all__ = ["catalogue"]
