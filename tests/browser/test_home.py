"""The home page of a learner, in a real browser, as a server would give it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from browser.standards import COLOURS, OPEN_ALL, OVERFLOW
from made_log import NOON, complete, event, review
from nightly import share
from playwright.sync_api import Page, Route

from grader.course.load import load_course
from grader.records.event import Event
from grader.review.questions.load import load_quiz
from grader.site.home import home_page
from grader.site.home_state import home_state

COURSE = load_course()
ADDRESS = "http://anatomy.test/index.html"


def graded(day: float, status: str, earned: int = 0) -> Event:
    """The first function of the course is graded."""
    exercise = COURSE.exercises[0]
    result = {"status": status, "earned": earned, "possible": exercise.points, "misconception": None}
    return event("grading", day, seed=1, exercises={exercise.id: result})


def reviewed(day: float, lesson: str, missed: int = 0) -> list[Event]:
    """A review of the lesson's first eight questions."""
    asked = [question.id for question in load_quiz(COURSE.lesson(lesson))][:8]
    return review(day, asked[:missed], lesson, asked)


BUSY = (
    complete(-8, "normalization"),
    *(each for day in (-7, -5, -1) for each in reviewed(day, "normalization", missed=3)),
    complete(-2, "heads"),
    *reviewed(-1, "heads"),
    graded(-2, "partial", earned=1),
)


class Serving:
    """Stands in for the server: the page as the events make it, and a version that moves with them."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = list(events)
        self.version = 1

    def add(self, *events: Event) -> None:
        self.events += events
        self.version += 1

    def __call__(self, route: Route) -> None:
        if "/live" in route.request.url:
            route.fulfill(json={"version": self.version, "lessons": {}, "grading": [], "says": ""})
        else:
            page = home_page(COURSE, home_state(COURSE, self.events, NOON + timedelta(hours=1)))
            route.fulfill(body=page, content_type="text/html; charset=utf-8")


@pytest.fixture
def served(new_page: Callable[..., Page]) -> Callable[..., tuple[Page, Serving]]:
    """Opens the home page that the events make."""

    def opened(events: Sequence[Event], width: int = 1280, **context: object) -> tuple[Page, Serving]:
        serving = Serving(events)
        tab = new_page(width, **context)
        tab.route("http://anatomy.test/**", serving)
        tab.goto(ADDRESS)
        return tab, serving

    return opened


@pytest.mark.parametrize("events", share([BUSY, ()], of=2), ids=lambda events: f"{len(events)} events")
def test_it_keeps_nobody_out(
    events: Sequence[Event],
    served: Callable[..., tuple[Page, Serving]],
    axe: Callable[..., list[str]],
    valid_html: Callable[[str], list[str]],
) -> None:
    tab, _ = served(events, 390, color_scheme="light")
    tab.evaluate(OPEN_ALL)
    assert axe(tab) == []
    assert tab.evaluate(OVERFLOW) <= 0
    tab.emulate_media(color_scheme="dark")
    tab.set_viewport_size({"width": 1280, "height": 900})
    assert axe(tab, COLOURS) == []
    tab.set_viewport_size({"width": 320, "height": 900})
    assert tab.evaluate(OVERFLOW) <= 0
    assert valid_html(home_page(COURSE, home_state(COURSE, events, NOON))) == []


def test_what_is_due_tomorrow_is_said_at_once(served: Callable[..., tuple[Page, Serving]]) -> None:
    tab, _ = served(BUSY)
    tomorrow = tab.locator(".now div").filter(has=tab.get_by_text("Tomorrow", exact=True))
    assert tomorrow.locator("dd").inner_text().splitlines()[0] == "Heads (rung 2 of 5)"
    assert tomorrow.bounding_box()["y"] < 900  # without scrolling


def test_a_day_of_the_calendar_leads_to_the_questions(served: Callable[..., tuple[Page, Serving]]) -> None:
    tab, _ = served(BUSY)
    day = tab.locator("table.month td").filter(has=tab.locator("time[datetime='2026-03-02']"))
    assert day.get_by_role("link").get_attribute("href") == "heads.html#quiz"


def test_on_a_narrow_screen_the_calendar_is_a_list(served: Callable[..., tuple[Page, Serving]]) -> None:
    tab, _ = served(BUSY, 390)
    assert tab.locator("table.month").first.is_hidden()
    assert tab.locator(".agenda li").filter(has_text="tomorrow").inner_text() == "tomorrow Heads (rung 2 of 5)"


def test_a_grading_renews_the_page_where_it_stands(served: Callable[..., tuple[Page, Serving]]) -> None:
    tab, serving = served([graded(-1, "partial", earned=1)])
    first, second = COURSE.exercises[:2]
    assert tab.locator(".next-up").inner_text().count(first.name) > 0
    tab.evaluate("() => { document.querySelector('#map').dataset.stays = 'yes'; }")
    serving.add(graded(0, "passed", earned=first.points))
    tab.get_by_text(f"1 of {len(COURSE.exercises)} functions passed").wait_for()
    assert f"Write {second.name}" in tab.locator(".next-up").inner_text()
    assert tab.locator("#map").get_attribute("data-stays") == "yes"
