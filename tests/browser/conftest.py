"""One Chromium for all browser tests, and pages that keep what the console said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.chromium import find
from browser.live_server import LiveServer, Visitor
from browser.standards import HtmlValidator, violations
from playwright.sync_api import Browser, Page, sync_playwright

from grader.site.export import golden
from grader.site.pages import environment, page
from grader.site.panels import panel_named
from grader.site.panels.model import Panel

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--no-first-run")
Shown = Callable[..., Page]

ALONE = """
{% extends "site.html" %}{% from "panel.html" import panel_section with context %}
{% block title %}{{ panel.title }}{% endblock %}{% block nav %}<a href="index.html">Course</a>{% endblock %}
{% block main %}<h1>{{ panel.title }}</h1>{{ panel_section(panel, data, live, "h2") }}{% endblock %}
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    program = find()
    if program is None:
        pytest.fail("There is no Chromium on this machine; tests/run installs one.", pytrace=False)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Shown]:
    """Opens pages of a width; at the end no console may have said anything."""
    said: list[str] = []
    contexts = []

    def opened(width: int = 1280, height: int = 900, **context: Any) -> Page:
        made = browser.new_context(viewport={"width": width, "height": height}, **context)
        contexts.append(made)
        tab = made.new_page()
        tab.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: said.append(f"error: {error}"))
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert said == []


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """`anatomy serve` in a workspace, started once. What lies there is what the last test has saved."""
    with LiveServer(tmp_path_factory.mktemp("live"), "2026-03-01T12:00:00+01:00") as server:
        yield server


@pytest.fixture
def visitor(browser: Browser, live_server: LiveServer) -> Iterator[Callable[..., Visitor]]:
    """Browsers that have opened its address; at the end no console may have said anything, and every request have had
    its answer."""
    made: list[Visitor] = []

    def opened(width: int = 1280, **context: Any) -> Visitor:
        made.append(Visitor(browser, live_server, viewport={"width": width, "height": 900}, **context))
        return made[-1]

    yield opened
    said = [words for each in made for words in each.said]
    for each in made:
        each.context.close()
    assert said == []


@pytest.fixture
def panel_page(new_page: Shown, tmp_path: Path) -> Callable[..., Page]:
    """A page that holds one panel and nothing else, from the reference's numbers."""

    def shown(name: str, width: int = 1280, **context: Any) -> Page:
        panel = panel_named(name)
        assert panel is not None
        file = tmp_path / f"{name}.html"
        file.write_text(alone(panel), encoding="utf-8")
        tab = new_page(width, **context)
        tab.goto(file.as_uri())
        return tab

    return shown


def alone(panel: Panel) -> str:
    """The text of that page."""
    return page(
        environment().from_string(ALONE),  # type: ignore[arg-type]  # jinja takes templates as well as names
        scripts=("core", "draw", "player", f"panels/{panel.name}"),
        panel=panel,
        data=golden(panel.name),
    )


SWEEP = """
([name, settings]) => {
  const panel = anatomy.panels.get(name);
  return settings.map((values) => {
    panel.set(values);
    const rows = [...panel.place.querySelectorAll(".numbers tbody tr")];
    return {
      said: panel.place.querySelector(".said").textContent,
      rows: rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.dataset.value ?? cell.textContent)),
    };
  });
}
"""


@pytest.fixture
def sweep() -> Callable[[Page, str, list[dict[str, Any]]], list[dict[str, Any]]]:
    """What a panel says and the numbers it shows, for each of many settings of its controls."""

    def swept(tab: Page, name: str, settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(json.dumps(tab.evaluate(SWEEP, [name, settings])))
        return found

    return swept


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[str]]:
    """(page, rules) -> what axe-core finds in it, by all of its rules or by some."""
    return violations


@pytest.fixture(scope="session")
def valid_html() -> Iterator[Callable[[str], list[str]]]:
    """What html-validate finds in a page's text."""
    with HtmlValidator() as validator:
        yield validator
