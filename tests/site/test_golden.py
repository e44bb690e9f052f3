"""The panels' numbers that are kept with the course: they are the reference's, and of a size for a page."""

import json
from typing import Any

import pytest

from grader.course.load import load_course
from grader.course.model import Course
from grader.places import engine_folder
from grader.site.export import golden
from grader.site.panels import PANELS
from grader.site.panels.model import Panel
from grader.site.panels.values import reference_data

RELATIVE = 1e-8
each_panel = pytest.mark.parametrize("panel", PANELS, ids=[panel.name for panel in PANELS])


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course()


@each_panel
def test_the_kept_numbers_are_the_references(panel: Panel, course: Course) -> None:
    """After a change: `python -m grader.site.export`."""
    assert _apart(golden(panel.name), json.loads(json.dumps(reference_data(panel, course))), panel.name) == []


@each_panel
def test_the_numbers_fit_on_a_page(panel: Panel) -> None:
    assert (engine_folder() / "site" / "golden" / f"{panel.name}.json").stat().st_size < 160_000


@each_panel
def test_a_panel_stands_where_its_lesson_has_a_heading_and_shows_functions_of_the_course(
    panel: Panel, course: Course
) -> None:
    from grader.course.headings import headings

    page = course.lesson(panel.lesson).page.read_text("utf-8")
    assert panel.after in {heading.anchor for heading in headings(page)}
    assert all(course.has(exercise) for exercise in panel.exercises)


def _apart(kept: Any, fresh: Any, where: str) -> list[str]:
    """Where two pieces of plain data part."""
    if isinstance(kept, dict) and isinstance(fresh, dict) and kept.keys() == fresh.keys():
        return [found for key in kept for found in _apart(kept[key], fresh[key], f"{where}.{key}")]
    if isinstance(kept, list) and isinstance(fresh, list) and len(kept) == len(fresh):
        pairs = enumerate(zip(kept, fresh, strict=True))
        return [found for place, (one, other) in pairs for found in _apart(one, other, f"{where}[{place}]")]
    if isinstance(kept, float | int) and isinstance(fresh, float | int) and not isinstance(kept, bool):
        near = abs(kept - fresh) <= RELATIVE * max(1.0, abs(kept))
        return [] if near else [f"{where}: {kept} is kept, {fresh} is the reference's"]
    return [] if kept == fresh else [f"{where}: {kept!r} is kept, {fresh!r} is the reference's"]
