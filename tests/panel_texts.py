"""What a panel's page holds as text, with a script or without."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

SVG_FAULTS = """
([name, settings]) => {
  const panel = anatomy.panels.get(name);
  return settings.filter((values) => {
    panel.set(values);
    return /NaN|undefined|Infinity/.test(panel.picture.innerHTML) || !panel.picture.children.length;
  });
}
"""

TABLES = """
([name, settings]) => {
  const { spec, data } = anatomy.panels.get(name);
  const cells = (values) => spec.table(values, data).rows.flat().filter((cell) => typeof cell === "object");
  return JSON.stringify(settings.map((values) => cells(values).map(({ value }) => anatomy.spelled(value))));
}
"""


def texts(tab: Page) -> list[str]:
    """The sentence, the table's caption, its headings and its cells."""
    place = tab.locator("[data-panel]")
    found = [place.locator(".said"), place.locator("caption"), place.locator("th"), place.locator("td")]
    return [" ".join(text.split()) for each in found for text in each.all_text_contents()]


def same_without_script(panel_page: Callable[..., Page], name: str) -> Page:
    """The page with scripts, once it says at its start what the page without them says."""
    without = texts(panel_page(name, java_script_enabled=False))
    tab = panel_page(name)
    assert len(without) > 10
    assert texts(tab) == without
    return tab


def tables(tab: Page, name: str, settings: list[dict[str, Any]]) -> list[list[float]]:
    """The numbers of a panel's table for thousands of settings, before they are written into the page."""
    found: list[list[str]] = json.loads(tab.evaluate(TABLES, [name, settings]))
    return [[float(cell) for cell in row] for row in found]
