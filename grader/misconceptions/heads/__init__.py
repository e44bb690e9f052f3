"""Known mistakes of the lesson on heads: each exercise written once, with a switch at every fork."""

from grader.misconceptions.heads import (  # isort: skip  # noqa: F401  in course order: importing registers
    split_and_merge,
    repeat_kv,
    multi_head_attention,
    grouped_query_attention,
)
from grader.misconceptions.heads.shared import catalogue

__all__ = ["catalogue"]
