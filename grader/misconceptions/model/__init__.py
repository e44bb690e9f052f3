"""Known mistakes of the lesson on the whole model: each exercise written once, with a switch at every fork."""

from grader.misconceptions.model import (  # isort: skip  # noqa: F401  in course order: importing registers
    gpt2,
    llama,
    count_parameters,
    init_gpt2,
)
from grader.misconceptions.model.shared import catalogue

__all__ = ["catalogue"]
