"""Contrast, computed from the style sheet: WCAG 2.2 AA asks 4.5 to 1 of text and 3 to 1 of what is drawn."""

import re
from itertools import product

import pytest
from contrast import contrast

from grader.render.page import style_sheet

CSS = re.sub(r"/\*.*?\*/", "", str(style_sheet()), flags=re.DOTALL)
TEXT = ("ink", "quiet", "link", "good", "half", "bad", "none", "fault")
GROUNDS = ("paper", "soft")


def schemes() -> dict[str, dict[str, str]]:
    """The colours by name in light, in dark and on paper."""
    found = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    return {
        name: dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block))
        for name, block in zip(("light", "dark", "print"), found, strict=True)
    }


def test_black_on_white_is_21_to_1():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", schemes())
def test_every_text_can_be_read_on_every_ground(scheme):
    colours = schemes()[scheme]
    for text, ground in product(TEXT, GROUNDS):
        assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


@pytest.mark.parametrize("scheme", schemes())
def test_bars_stand_out_from_what_they_lie_on(scheme):
    colours = schemes()[scheme]
    for ground in ("paper", "track"):
        assert contrast(colours["bar"], colours[ground]) >= 3


@pytest.mark.parametrize("scheme", schemes())
def test_each_scheme_names_every_colour(scheme):
    assert set(schemes()[scheme]) == {*TEXT, *GROUNDS, "line", "bar", "track"}


def test_no_colour_stands_anywhere_else():
    elsewhere = re.sub(r":root \{.*?\}", "", CSS, flags=re.DOTALL)
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(|opacity|filter:", elsewhere)
    for colour in re.findall(r"(?<![-\w])(?:color|background|fill)\s*:\s*([^;}]+)", elsewhere):
        assert re.fullmatch(r"var\(--[a-z]+\)|currentColor|none|light|light dark", colour.strip()), colour


def test_nothing_is_fetched_by_the_style_sheet():
    assert "url(" not in CSS
    assert "@import" not in CSS
    assert "@font-face" not in CSS
