"""`python -m grader.site.depth_record`: run the lab's experiment on depth and keep what the pages show of its record.

It takes about two minutes. The record is that of `anatomy lab depth --seed 0`, without what differs from run to run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from grader.atomic import write_bytes
from grader.lab.experiment import find_experiment
from grader.lab.progress import shown
from grader.lab.running import run
from grader.places import engine_folder
from grader.records import clock

SEED = 0
KEPT = ("experiment", "seed", "versions", "settings", "measured")
"""The fields of a record that a second run on the same machine gives again."""


@cache
def depth_record() -> dict[str, Any]:
    """The record as it was kept."""
    record: dict[str, Any] = json.loads((files("grader.site") / "records" / "depth.json").read_text("utf-8"))
    return record


def kept(content: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a record's content."""
    return {field: content[field] for field in KEPT}


def write() -> None:
    """Run the experiment and write its record to grader/site/records."""
    with TemporaryDirectory() as folder, shown() as progress:
        done = run(find_experiment("depth"), SEED, Path(folder), clock.now(), progress)
    text = json.dumps(kept(done.content), indent=1, allow_nan=False)
    write_bytes(engine_folder() / "site" / "records" / "depth.json", text.encode() + b"\n")


if __name__ == "__main__":
    write()
