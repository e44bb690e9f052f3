"""Predict, then run: what a question's snippet prints, shown once it has been answered."""

from __future__ import annotations

from dataclasses import dataclass

from grader.render.harmless import harmless_text
from grader.sandbox import Died, Limits, Raised, Zygote

SLUG = "snippet"
LIMITS = Limits(seconds=5.0, output_kb=8)
MOST_LINES = 40


@dataclass(frozen=True, slots=True)
class Ran:
    """What a snippet did. printed: harmless for a terminal and cut to a readable length; error: the last line of what
    it raised, or how it ended, "" if it ran to its end."""

    printed: str
    error: str = ""


def run_snippet(source: str, zygote: Zygote) -> Ran:
    """Run a program in a worker of its own. Raises what the sandbox raises when there is no worker to be had."""
    with zygote.worker(LIMITS) as worker:
        worker.load({SLUG: source})
        outcome = worker.open_module(SLUG)
    error = ""
    if isinstance(outcome, Raised):
        error = f"{outcome.type_name}: {outcome.message}".removesuffix(": ")
    elif isinstance(outcome, Died):
        error = outcome.detail
    return Ran(_shown(outcome.output), harmless_text(error))


def _shown(printed: str) -> str:
    lines = harmless_text(printed.replace("\r\n", "\n")).splitlines()
    cut = [*lines[:MOST_LINES], f"... and {len(lines) - MOST_LINES} lines more"] if len(lines) > MOST_LINES else lines
    return "\n".join(cut)
