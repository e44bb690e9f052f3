"""`python -m grader.site.export`: write the reference's numbers of each panel to grader/site/golden.

The pages are made from these files, so that making them takes no torch. A test keeps them in step with the reference.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from grader.atomic import write_bytes
from grader.course.load import load_course
from grader.places import engine_folder
from grader.site.panels import PANELS
from grader.site.panels.model import Panel


@cache
def golden(panel: str) -> dict[str, Any]:
    """The reference's numbers of a panel, as they were written."""
    text = (files("grader.site") / "golden" / f"{panel}.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def write(panels: Sequence[Panel]) -> None:
    """Compute the numbers of some panels and write them."""
    from grader.site.panels.values import reference_data  # it imports torch

    course = load_course()
    for panel in panels:
        text = json.dumps(reference_data(panel, course), separators=(",", ":"), allow_nan=False)
        write_bytes(engine_folder() / "site" / "golden" / f"{panel.name}.json", text.encode() + b"\n")


if __name__ == "__main__":
    asked = sys.argv[1:]
    write([panel for panel in PANELS if not asked or panel.name in asked])
