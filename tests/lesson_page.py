"""Running the code of a lesson's page: every block in order, in one namespace, printing what the page says."""

import contextlib
import io
from typing import Any


def run(block: str, names: dict[str, Any]) -> list[str]:
    """Run a block of the page; the lines that it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, "lesson", "exec"), names)  # noqa: S102  # the page is ours
    return printed.getvalue().splitlines()


def said_to_print(block: str) -> list[str]:
    """What a block says it prints: after `# prints` on the line, or on the comment lines below it."""
    found: list[str] = []
    below = False
    for line in block.splitlines():
        if below and line.startswith("# "):
            found.append(line.removeprefix("# "))
        below = line == "# prints" or (below and line.startswith("# "))
        if " # prints " in line:
            found.append(line.partition(" # prints ")[2])
    return found
