"""What two checkers find in a page: axe-core what keeps people out, html-validate what is no HTML."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
from playwright.sync_api import Page

FOLDER = Path(__file__).parent
PACKAGES = FOLDER / "node_modules"

COLOURS = ("color-contrast",)
"""Of axe-core's rules those that can fail in dark where they hold in light."""
OPEN_ALL = "() => document.querySelectorAll('details').forEach((each) => { each.open = true; })"
"""Opens whatever a page keeps closed, so that it is looked at too."""
THIN_OUT = """
() => {
  for (const row of document.querySelectorAll("tbody tr:nth-child(n + 5)")) row.remove();
  for (const shape of document.querySelectorAll(".panel svg :nth-child(n + 40)")) shape.remove();
  for (const formula of [...document.querySelectorAll("math")].slice(20)) formula.replaceWith("formula");
}
"""
"""Leaves the first rows of each table, shapes of each drawing and formulas: the others are like them, and thousands."""
FOUR_OF_A_KIND = """
() => {
  const kind = (element) => (element ? `${kind(element.parentElement)}>${element.localName}.${element.className}` : "");
  const seen = new Map();
  for (const element of document.querySelectorAll("main *")) {
    const its = element.childElementCount ? "" : kind(element);
    seen.set(its, (seen.get(its) ?? 0) + 1);
    if (its && seen.get(its) > 4) element.remove();
  }
}
"""
"""Leaves four of each kind of element that holds only text: enough to judge their colours by."""
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
"""By how many pixels a page is wider than its window."""

RUN = """
async (rules) => {
  const chosen = rules ? { runOnly: rules } : { rules: { "target-size": { enabled: true } } };
  const found = await axe.run(document, { resultTypes: ["violations"], ...chosen });
  return found.violations.flatMap((violation) => violation.nodes.map((node) =>
    `${violation.id}: ${node.target.join(" ")}: ${node.failureSummary.replace(/\\s+/g, " ")}`));
}
"""


def violations(page: Page, rules: Iterable[str] | None = None) -> list[str]:
    """What axe-core finds in the page as it stands now, by all of its rules or by some: a line for each element."""
    if not page.evaluate("() => 'axe' in globalThis"):
        page.evaluate(_axe())
    found: list[str] = page.evaluate(RUN, None if rules is None else sorted(rules))
    return found


@cache
def _axe() -> str:
    return _package("axe-core", "axe.min.js").read_text(encoding="utf-8")


class HtmlValidator:
    """html-validate in a process that is started once, by entering it."""

    def __enter__(self) -> Self:
        _package("html-validate", "package.json")
        self._process: subprocess.Popen[str] = subprocess.Popen(
            ["node", str(FOLDER / "html_validate.js")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", cwd=FOLDER,
        )  # fmt: skip
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()

    def __call__(self, text: str) -> list[str]:
        """The problems of a page, or of a piece of one, with line, column and rule."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        answer: Any = json.loads(self._process.stdout.readline())
        assert isinstance(answer, list)
        return answer


def _package(name: str, file: str) -> Path:
    path = PACKAGES / name / file
    if not path.is_file():
        pytest.fail(f"{name} is not on this machine; tests/run installs it.", pytrace=False)
    return path
