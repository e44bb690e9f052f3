"""`python -m grader.site.keep_record NAME`: run an experiment of the lab and keep what the pages show of its record.

An experiment takes minutes; the pages are made from these files. A run with the same seed gives the same numbers again.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from grader.atomic import write_bytes
from grader.errors import UserError
from grader.lab.experiment import find_experiment
from grader.places import engine_folder

SEED = 0
KEPT = ("experiment", "seed", "versions", "settings", "measured")
"""No times, no machine: they would differ from one run to the next."""


class _Silent:
    """A listener to progress that says nothing."""

    def begin(self, total: float) -> None: ...

    def stage(self, words: str) -> None: ...

    def advance(self, units: float) -> None: ...


@cache
def kept(experiment: str) -> dict[str, Any]:
    """What was kept of an experiment's record."""
    text = (files("grader.site") / "records" / f"{experiment}.json").read_text("utf-8")
    record: dict[str, Any] = json.loads(text)
    return record


def keep(name: str) -> None:
    """Run an experiment and write `records/<name>.json`. Raises UserError for a name that there is not."""
    import torch

    from grader.lab.running import THREADS, Took, content

    experiment = find_experiment(name)
    torch.set_num_threads(THREADS)
    findings = experiment.run(SEED, _Silent())
    whole = content(experiment, SEED, datetime.now(UTC), findings, Took(0.0, 0.0), [])
    text = json.dumps({key: whole[key] for key in KEPT}, indent=1, allow_nan=False)
    write_bytes(engine_folder() / "site" / "records" / f"{name}.json", text.encode() + b"\n")


if __name__ == "__main__":
    try:
        for asked in sys.argv[1:]:
            keep(asked)
    except UserError as error:
        sys.exit(str(error))
