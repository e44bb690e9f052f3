"""Known mistakes of the lesson on decoding: each exercise written once, with a switch at every fork."""

from grader.misconceptions.decoding import (  # isort: skip  # noqa: F401  in course order: importing registers
    temperature,
    top_k,
    top_p,
    sampling,
    generation,
    append_cache,
    attend_cached,
    repetition,
)
from grader.misconceptions.decoding.shared import catalogue

__all__ = ["catalogue"]
