"""The panel of pre-norm and post-norm, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from grader.site.keep_record import kept

Shown = Callable[..., Page]


def test_every_number_is_the_records(panel_page: Shown, sweep: Callable[..., list[dict[str, Any]]]) -> None:
    record = kept("depth")
    measured, depths = record["measured"], record["settings"]["depths"]
    found = sweep(panel_page("stability"), "stability", [{"depth": place} for place in range(len(depths))])
    for depth, shown in zip(depths, found, strict=True):
        assert shown["said"].startswith(f"At {depth} blocks, mean loss after 80 steps: pre-norm ")
        assert len(shown["said"]) <= 250
        summary = [row for row in measured["summary"] if row["depth"] == depth]
        for cells, row in zip(shown["rows"], [*summary, None], strict=True):
            if row is None:
                assert float(cells[3]) == pytest.approx(measured["reference"][0]["word_frequency_loss"], abs=1e-6)
                continue
            runs = [run["loss"] for run in measured["runs"] if (run["depth"], run["arm"]) == (depth, row["arm"])]
            right = [*runs, row["loss"], row["learned"], row["first_block_gradient"]]
            assert [float(cell) for cell in cells] == pytest.approx(right, abs=1e-6)


def test_the_page_without_scripts_says_and_shows_what_it_shows_with_them(panel_page: Shown) -> None:
    pages = [panel_page("stability"), panel_page("stability", java_script_enabled=False)]
    said = [tab.locator(".said").text_content() for tab in pages]
    numbers = [tab.locator(".numbers :is(caption, th, td)").all_text_contents() for tab in pages]
    assert said[0] == said[1]
    assert numbers[0] == numbers[1]


def test_the_keyboard_moves_it_and_the_slider_reads_as_blocks(panel_page: Shown) -> None:
    tab = panel_page("stability", 390)
    slider = tab.get_by_label("Depth")
    slider.press("Home")
    assert slider.get_attribute("aria-valuetext") == "2 blocks"
    assert tab.locator(".said").inner_text().startswith("At 2 blocks")
    assert tab.locator(".picture .drawing[role=img]").count() == 5


def test_a_guess_is_told_that_no_run_with_a_warm_up_learned_at_8_blocks(panel_page: Shown) -> None:
    tab = panel_page("stability")
    tab.get_by_label("A guess first").fill("3")
    tab.get_by_role("button", name="Guess and look").click()
    assert tab.locator(".guess-told").inner_text() == "You guessed 3; it is 0: 3 too high."
    assert tab.locator(".said").inner_text().startswith("At 8 blocks")
