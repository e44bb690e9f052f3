"""A learner at the questions in a page: the same fields filled in by mouse or by keyboard alone."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.sync_api import Locator, Page

FIELDS = "form :is(input:not([type=hidden]), textarea, select)"
WHERE = """
(each) => {
  const here = document.activeElement;
  return here === each ? 0 : here.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING ? -1 : 1;
}
"""
"""Whether an element has the focus (0), or lies behind it (1) or before it (-1)."""
FAR = 40
"""How often Tab is pressed before something counts as out of reach."""


class Mouse:
    """Clicks; only texts are typed."""

    def __init__(self, tab: Page, place: str = "#quiz") -> None:
        self.tab = tab
        self.place = tab.locator(place)

    def press(self, button: str) -> None:
        self._activate(self.place.get_by_role("button", name=button, exact=True))

    def open(self, summary: str) -> None:
        self._activate(self.place.locator("summary").get_by_text(summary, exact=True))

    def fill(self, form: Mapping[str, str | list[str]]) -> None:
        """Fill in fields by their names, as dashes in names are written with underscores."""
        wanted = {name.replace("_", "-"): value for name, value in form.items()}
        for field in self.place.locator(FIELDS).all():
            value = wanted.get(field.get_attribute("name") or "")
            if value is None:
                continue
            match field.evaluate("(field) => field.type"):
                case "radio" | "checkbox":
                    if field.get_attribute("value") in value:
                        self._tick(field)
                case "select-one":
                    self._choose(field, str(value))
                case _:
                    self._type(field, str(value))

    def _activate(self, what: Locator) -> None:
        what.click()

    def _tick(self, field: Locator) -> None:
        field.locator("xpath=..").click()  # its label

    def _choose(self, field: Locator, value: str) -> None:
        field.select_option(value)  # the list that a click opens is no part of the page

    def _type(self, field: Locator, text: str) -> None:
        field.click()
        self._write(text)

    def _write(self, text: str) -> None:
        self.tab.keyboard.press("ControlOrMeta+a")
        self.tab.keyboard.insert_text(text)


class Keyboard(Mouse):
    """Tab, Space, Enter, arrows and letters."""

    def _activate(self, what: Locator) -> None:
        self._reach(what)
        self.tab.keyboard.press("Enter")

    def _tick(self, field: Locator) -> None:
        if field.get_attribute("type") == "checkbox":
            self._reach(field)
            self.tab.keyboard.press("Space")
            return
        self._reach(self.place.locator("input[type=radio]").first)
        self.tab.keyboard.press("Space")
        for _ in self.place.locator("input[type=radio]").all():
            if not field.is_checked():
                self.tab.keyboard.press("ArrowDown")

    def _choose(self, field: Locator, value: str) -> None:
        self._reach(field)
        self.tab.keyboard.press(value)

    def _type(self, field: Locator, text: str) -> None:
        self._reach(field)
        self._write(text)

    def _reach(self, what: Locator) -> None:
        for _ in range(FAR):
            where = what.evaluate(WHERE)
            if not where:
                return
            self.tab.keyboard.press("Tab" if where > 0 else "Shift+Tab")
        raise AssertionError(f"{what} cannot be reached with {FAR} times Tab")
