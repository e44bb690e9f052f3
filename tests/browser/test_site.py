"""The whole site as files, in a real browser: nothing is fetched, nobody is kept out, every link holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser.anchors import Anchors, anchors
from browser.standards import COLOURS, FOUR_OF_A_KIND, OPEN_ALL, OVERFLOW, THIN_OUT
from nightly import share
from playwright.sync_api import Browser, Page

from grader.course.load import load_course
from grader.site.build import MANIFEST, build_site, site_pages
from grader.site.home import QUIZ

COURSE = load_course()
PAGES = ("index", "decoder", *(lesson.slug for lesson in COURSE.lessons))
MOST_BYTES = 500_000
WIDTHS = (320, 768, 1280)

HEADINGS = "main :is(h1, h2, h3)"
DEAD = """
() => [...document.querySelectorAll("main :is(button, input, select, textarea)")]
  .filter((each) => each.checkVisibility()).map((each) => each.outerHTML)
"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, written once."""
    folder = tmp_path_factory.mktemp("pages") / "site"
    build_site(folder, COURSE)
    return folder


@dataclass
class Seen:
    """What became of a page that was opened: requests, words to the console, headings, and where Tab and Enter lead."""

    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    led_to: str = ""


@pytest.fixture(scope="module")
def seen(browser: Browser, site: Path) -> dict[str, Seen]:
    """Every page, opened once."""
    found: dict[str, Seen] = {}
    tab = browser.new_page()
    for name in PAGES:
        one = found[name] = Seen()
        heard = {
            "request": lambda request, one=one: one.asked.append(request.url),
            "console": lambda message, one=one: one.said.append(message.text),
            "pageerror": lambda error, one=one: one.said.append(str(error)),
        }
        for what, listener in heard.items():
            tab.on(what, listener)
        tab.goto((site / f"{name}.html").as_uri())
        tab.evaluate(SETTLED)
        one.headings = tab.locator(HEADINGS).all_inner_texts()
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        one.led_to = tab.evaluate("() => document.activeElement.id")
        one.asked = [url for url in one.asked if not url.startswith("data:")]
        for what, listener in heard.items():
            tab.remove_listener(what, listener)
    tab.close()
    return found


@pytest.fixture(scope="module")
def anchored(site: Path) -> dict[str, Anchors]:
    """The ids and links of every page, by its name."""
    return {name: anchors((site / f"{name}.html").read_text(encoding="utf-8")) for name in PAGES}


def test_all_that_is_tried_here_is_all_there_is(site: Path) -> None:
    assert {path.name for path in site.iterdir()} == {MANIFEST, *(f"{name}.html" for name in PAGES)}


def test_the_same_course_makes_the_same_bytes_each_time(site: Path) -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in site.glob("*.html")}
    assert site_pages(COURSE) == written


def test_no_page_is_larger_than_may_be(site: Path) -> None:
    sizes = {name: (site / f"{name}.html").stat().st_size for name in PAGES}
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}


def test_every_page_is_valid_html(site: Path, valid_html: Callable[[str], list[str]]) -> None:
    found = {name: valid_html((site / f"{name}.html").read_text(encoding="utf-8")) for name in PAGES}
    assert {name: problems for name, problems in found.items() if problems} == {}


@pytest.mark.parametrize("name", [*PAGES[:2], *share(PAGES[2:], of=6)])
def test_a_page_keeps_nobody_out(
    name: str, site: Path, new_page: Callable[..., Page], axe: Callable[..., list[str]]
) -> None:
    """Narrow and light by all rules; wide and dark by those about colours, none of which depends on the width."""
    tab = new_page(390, color_scheme="light", reduced_motion="reduce")
    tab.goto((site / f"{name}.html").as_uri())
    tab.evaluate(OPEN_ALL)
    tab.evaluate(THIN_OUT)
    assert axe(tab) == []
    beyond = {}
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        beyond[width] = tab.evaluate(OVERFLOW)
    assert beyond == dict.fromkeys(WIDTHS, 0)
    tab.emulate_media(color_scheme="dark")
    tab.evaluate(FOUR_OF_A_KIND)
    assert axe(tab, COLOURS) == []


def test_no_page_says_anything_to_the_console(seen: dict[str, Seen]) -> None:
    assert {name: each.said for name, each in seen.items() if each.said} == {}


def test_no_page_asks_for_anything_but_its_own_file(seen: dict[str, Seen], site: Path) -> None:
    assert {name: each.asked for name, each in seen.items()} == {
        name: [(site / f"{name}.html").as_uri()] for name in PAGES
    }


def test_the_first_key_of_every_page_leads_past_its_navigation(seen: dict[str, Seen]) -> None:
    assert {name: each.led_to for name, each in seen.items()} == dict.fromkeys(PAGES, "content")


def test_every_page_is_whole_without_scripts(seen: dict[str, Seen], site: Path, new_page: Callable[..., Page]) -> None:
    tab = new_page(java_script_enabled=False)
    bare = {name: (tab.locator(HEADINGS).all_inner_texts(), tab.evaluate(DEAD)) for name in _opened(tab, site)}
    # Nor does it offer a control that only a script obeys.
    assert bare == {name: (each.headings, []) for name, each in seen.items()}


def test_every_link_holds(anchored: dict[str, Anchors]) -> None:
    broken = {
        name: [each for each in found.links if not _holds(each, name, anchored)] for name, found in anchored.items()
    }
    assert {name: links for name, links in broken.items() if links} == {}


def test_no_page_has_two_places_of_one_name(anchored: dict[str, Anchors]) -> None:
    doubled = {name: [id_ for id_ in set(found.ids) if found.ids.count(id_) > 1] for name, found in anchored.items()}
    assert {name: ids for name, ids in doubled.items() if ids} == {}


def test_every_lesson_has_its_questions_where_the_home_page_leads_to_them(anchored: dict[str, Anchors]) -> None:
    assert [lesson.slug for lesson in COURSE.lessons if QUIZ not in anchored[lesson.slug].ids] == []


def test_every_page_leads_back_to_the_course(anchored: dict[str, Anchors]) -> None:
    assert [name for name in PAGES if "index.html" not in anchored[name].links] == []


def _opened(tab: Page, site: Path) -> Iterator[str]:
    """Opens one page after the other."""
    for name in PAGES:
        tab.goto((site / f"{name}.html").as_uri())
        yield name


def _holds(link: str, name: str, anchored: dict[str, Anchors]) -> bool:
    """Whether a link leads to a page of the site and a place that is there; addresses elsewhere are not tried."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return parts.scheme in ("http", "https", "mailto")
    target = parts.path.removesuffix(".html") if parts.path else name
    if target not in anchored or (parts.path and not parts.path.endswith(".html")):
        return False
    return not parts.fragment or unquote(parts.fragment) in anchored[target].ids
