"""Known mistakes of the lab: each exercise written once, with a switch at every fork."""

from grader.misconceptions.lab import (  # isort: skip  # noqa: F401  in course order: importing registers
    kv_cache_bytes,
    forward_flops,
    retain,
    probe_receptive_field,
)
from grader.misconceptions.lab.shared import catalogue

__all__ = ["catalogue"]
