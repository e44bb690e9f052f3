"""The panel of blocks, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from grader.site.export import golden
from grader.site.panels.blocks import AFTER_SENTENCE, LAST, N_BLOCKS, START

TEXTS = """
() => [...document.querySelectorAll(".said, .numbers td, .numbers th, caption")].map((each) => each.textContent)
"""


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return golden("blocks")


def test_every_number_is_the_references(
    panel_page: Callable[..., Page], sweep: Callable[..., list[dict[str, Any]]], data: dict[str, Any]
) -> None:
    shown = sweep(panel_page("blocks"), "blocks", [{"position": at} for at in range(LAST + 1)])
    lens, words = data["lens"], data["given"]["vocabulary"]
    for at, found in enumerate(shown):
        expected: list[list[Any]] = []
        for place in range(5):
            expected.append([words[stage[at][place]] for stage in lens["top"]])
            expected.append([stage[at][place] for stage in lens["probability"]])
        expected += [[stage[at] for stage in lens[name]] for name in ("rank", "of_next", "loss")]
        expected.append(lens["mean_loss"])
        for values in (data["blocks"], data["attention"], data["network"], data["distance"]["text"]):
            expected.append(["", *(block[at] for block in values)])
        expected.append(["", *data["distance"]["held_out"]])
        expected += [["", *(row[column] for row in data["reach"])] for column in range(5)]
        for row, right in zip(found["rows"], expected, strict=True):
            assert [_read(cell) for cell in row] == pytest.approx(right, abs=1e-6), (at, row)


def _read(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def test_it_says_the_same_with_scripts_and_without(panel_page: Callable[..., Page]) -> None:
    with_scripts = panel_page("blocks").evaluate(TEXTS)
    assert with_scripts == panel_page("blocks", java_script_enabled=False).evaluate(TEXTS)
    assert len(with_scripts) > 150


def test_keys_and_a_click_on_a_word_move_it(panel_page: Callable[..., Page], data: dict[str, Any]) -> None:
    tab = panel_page("blocks")
    tab.get_by_label("Last word that was read").press("ArrowLeft")
    expect(tab.locator(".said")).to_contain_text("After \u201cmouse\u201d comes \u201cchases\u201d.")
    tab.locator(f'.story [data-position="{AFTER_SENTENCE}"]').click()
    expect(tab.locator(".said")).to_contain_text("After \u201c.\u201d comes \u201cmia\u201d.")
    tab.locator(f'.story [data-position="{LAST + 1}"]').click()  # nothing is known of what comes after the last word
    expect(tab.locator(".said")).to_contain_text("comes \u201cmia\u201d.")
    assert tab.locator(".story mark").inner_text() == "."
    assert max(len(each["said"]) for each in _all(tab)) < 250


def _all(tab: Page) -> list[dict[str, str]]:
    script = """(last) => [...Array(last + 1).keys()].map((position) => {
      anatomy.panels.get("blocks").set({ position });
      return { said: document.querySelector(".said").textContent };
    })"""
    found: list[dict[str, str]] = tab.evaluate(script, LAST)
    return found


def test_a_guess_is_told_how_far_off_it_was(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("blocks")
    tab.get_by_label("A guess first").fill("0.5")
    tab.get_by_role("button", name="Guess and look").click()
    expect(tab.locator(".guess-told")).to_contain_text("0.50 too high")


def test_own_numbers_are_marked_where_they_differ(panel_page: Callable[..., Page], data: dict[str, Any]) -> None:
    tab = panel_page("blocks", width=390)
    distance = {**data["distance"], "text": [[0.0] * (LAST + 1)] * N_BLOCKS}
    lens = {**data["lens"], "top": [[[0] * 5] * (LAST + 1), *data["lens"]["top"][1:]]}
    tab.evaluate(
        "(parts) => anatomy.panels.get('blocks').showOwn(parts)",
        {"lens": lens, "distance": distance, "network": data["network"]},
    )
    assert tab.locator(".picture .cell.differs").count() == 5  # the embedding's words
    assert tab.locator(".picture rect.own").count() == N_BLOCKS
    marked = tab.locator(".picture text.value", has_text="\u2260")
    assert marked.all_text_contents() == [f"\u2260{data['distance']['text'][block][START]:.1f}" for block in range(5)]
    rows = tab.locator(".numbers tbody tr")
    assert "yours: none" in rows.filter(has_text="attention adds").text_content()  # type: ignore[operator]
    assert "yours \u2260 0.00" in rows.filter(has_text="looks back").text_content()  # type: ignore[operator]
