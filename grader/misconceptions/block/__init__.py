"""Known mistakes of the lesson on the block: each exercise written once, with a switch at every fork."""

from grader.misconceptions.block import (  # isort: skip  # noqa: F401  in course order: importing registers
    norm_placement,
    gpt2_block,
    llama_block,
    trace_block,
)
from grader.misconceptions.block.shared import catalogue

__all__ = ["catalogue"]
