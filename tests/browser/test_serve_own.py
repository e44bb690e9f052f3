"""A learner's own functions in the pictures: not written, wrong, mended, and right in every one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from browser.live_server import LiveServer, Visitor
from nightly import NIGHTLY, share
from playwright.sync_api import Page, expect

from grader.site.export import golden
from grader.site.panels import PANELS
from grader.site.panels.model import Panel

WAIT = 60_000
"""Milliseconds; the slowest picture takes a few seconds where nothing else runs."""
SWITCH = "Draw it with my own functions too"
SAME = "Drawn beside the reference: none of the numbers shown here differs."
SHOW_OWN = """
([name, parts]) => {
  const panel = anatomy.panels.get(name);
  panel.showOwn(parts);
  return panel.place.querySelectorAll(".differs").length;
}
"""
Visit = Callable[..., Visitor]
DRAWN = [panel for panel in PANELS if panel.parts]
"""The ninth shows the record of an experiment, which no function of a learner's gives."""
ASKED = DRAWN if NIGHTLY else [panel for panel in DRAWN if panel.name == "positions"]
"""To grade the whole course and compute every picture takes half a minute of a core."""


def test_a_picture_follows_what_is_saved_without_a_click(visitor: Visit, live_server: LiveServer) -> None:
    live_server.put_back("normalization")
    tab = visitor().lesson("normalization")
    panel = tab.locator("#panel-normalization")
    told, differs = panel.locator(".own-told"), panel.locator(".numbers .differs")
    panel.get_by_label(SWITCH).check()
    expect(told).to_contain_text("rms_norm is not written yet.", timeout=WAIT)
    expect(told).not_to_contain_text("Drawn beside")
    live_server.save("normalization", live_server.right("normalization", ("mean_square + eps", "mean_square + 1")))
    expect(told).to_contain_text("Drawn beside the reference: 7 of the numbers shown differ.", timeout=WAIT)
    expect(differs).to_have_count(7)
    expect(differs.first).to_contain_text("yours \u2260")
    expect(panel.locator(".picture rect.own.differs")).to_have_count(7)
    panel.get_by_label("Activation scale").press("End")
    expect(told).to_contain_text("differ")
    live_server.save("normalization", live_server.right("normalization"))
    expect(told).to_contain_text(SAME, timeout=WAIT)
    expect(differs).to_have_count(0)
    expect(panel.locator(".picture rect.own")).to_have_count(14)
    panel.get_by_label(SWITCH).uncheck()
    expect(told).to_be_empty()
    expect(panel.locator(".picture rect.own")).to_have_count(0)


def test_with_right_functions_a_picture_is_the_references(visitor: Visit, live_server: LiveServer) -> None:
    slugs = [lesson.slug for lesson in live_server.course.lessons]
    last = max(slugs.index(exercise.partition(".")[0]) for panel in ASKED for exercise in panel.exercises)
    for slug in slugs[: last + 1]:  # a lesson may rest on those before it
        live_server.save(slug, live_server.right(slug))
    visit = visitor()
    tabs: dict[str, Page] = {slug: visit.lesson(slug) for slug in dict.fromkeys(panel.lesson for panel in ASKED)}
    places = [tabs[panel.lesson].locator(f"#panel-{panel.name}") for panel in ASKED]
    for place in places:
        place.get_by_label(SWITCH).check()
    for place in places:
        expect(place.locator(".own-told")).to_contain_text(SAME, timeout=WAIT)
        expect(place.locator(".own-told p")).to_have_count(1)
        expect(place.locator(".numbers .mine").first).to_contain_text("yours")


@pytest.mark.parametrize("panel", share(DRAWN, 3), ids=lambda panel: panel.name)
def test_own_numbers_are_drawn_whatever_they_are(panel: Panel, panel_page: Callable[..., Page]) -> None:
    tab = panel_page(panel.name)
    parts = {part.name: golden(panel.name)[part.name] for part in panel.parts}
    assert tab.evaluate(SHOW_OWN, [panel.name, parts]) == 0
    assert tab.locator(".numbers .mine").count() > 0
    for number in ("nan", "-inf", 1e300):
        tab.evaluate(SHOW_OWN, [panel.name, replaced(parts, number)])  # the console would say what cannot be drawn


def replaced(value: Any, number: float | str) -> Any:
    """The same data, every fraction of which is this number."""
    match value:
        case dict():
            return {key: replaced(each, number) for key, each in value.items()}
        case list():
            return [replaced(each, number) for each in value]
        case float() | "inf" | "-inf" | "nan":
            return number
    return value
