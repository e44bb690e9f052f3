"""The panel of causal attention, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from panel_texts import tables
from playwright.sync_api import Page
from torch import Tensor

from grader.course.load import load_course
from grader.run.functions import Reference
from grader.site.export import golden
from grader.site.panels.attention import BLOCKS, EXAMPLE, HEADS, TEXT, WORDS, example_scores, head_scores
from reference.attention import attention_entropy, attention_weights, causal_mask

Shown = Callable[..., Page]
Sweep = Callable[..., list[dict[str, Any]]]


def scores_of_every_source() -> dict[str, Tensor]:
    of_heads = head_scores(Reference(load_course()))
    heads = {f"{block}.{head}": of_heads[block, head] for block in range(BLOCKS) for head in range(HEADS)}
    return {"example": example_scores(), **heads}


def test_every_number_is_the_references(panel_page: Shown) -> None:
    tab, data = panel_page("attention"), golden("attention")
    places = [
        (source, row, masked, scores)
        for source, scores in scores_of_every_source().items()
        for row in range(len(scores))
        for masked in (True, False)
    ]
    found = tables(tab, "attention", [{"source": source, "position": row, "mask": on} for source, row, on, _ in places])
    for numbers, (source, row, masked, scores) in zip(found, places, strict=True):
        size = len(scores)
        mask = causal_mask(size, size) if masked else torch.ones(size, size, dtype=torch.bool)
        weights = attention_weights(scores, mask)
        columns = [
            mask[row].double(),
            weights[row],
            attention_entropy(weights),
            mask.sum(-1).double().log2(),
            torch.tensor(data["targets"][:size], dtype=torch.float64),
            torch.tensor(data["probability"][:size], dtype=torch.float64),
            torch.tensor(data["loss"]["each"][:size], dtype=torch.float64),
        ]
        mean = data["loss"]["mean"]["example" if source == "example" else "heads"]
        expected = [*torch.stack(columns, dim=-1).flatten().tolist(), mean]
        assert numbers == pytest.approx(expected, abs=1e-6), f"{source} {row} {masked}"


def test_what_stands_in_the_page_is_that(panel_page: Shown, sweep: Sweep) -> None:
    tab = panel_page("attention")
    for source in ("example", f"{BLOCKS - 1}.{HEADS - 1}"):
        settings = [{"source": source, "position": row, "mask": on} for row in range(5) for on in (True, False)]
        computed = tables(tab, "attention", settings)
        for shown, numbers in zip(sweep(tab, "attention", settings), computed, strict=True):
            *rows, last = shown["rows"]
            cells = [float(cell) for row in rows for place, cell in enumerate(row) if place != 4]
            assert [*cells, float(last[-1])] == numbers
            assert [row[4] for row in rows] == list(WORDS[1 : len(rows) + 1])
            assert len(shown["said"]) <= 250


def test_the_page_without_scripts_says_and_shows_what_it_shows_with_them(panel_page: Shown) -> None:
    pages = [panel_page("attention"), panel_page("attention", java_script_enabled=False)]
    said = [tab.locator(".said").text_content() for tab in pages]
    numbers = [tab.locator(".numbers :is(caption, th, td)").all_text_contents() for tab in pages]
    assert said[0] == said[1]
    assert numbers[0] == numbers[1]
    assert "sees 4 of 5 tokens: <s> 0.30, the 0.27, cat 0.23, of 0.20. Entropy 1.98 bits, of at most 2.00" in str(
        said[0]
    )


def test_taking_the_mask_off_tells_what_it_did_to_the_entropy(panel_page: Shown) -> None:
    tab = panel_page("attention")
    assert tab.locator("svg", has_text="hidden").count() == 1
    tab.get_by_role("checkbox", name="Causal mask").press("Space")
    assert "those ahead take 0.27 of its weight. Entropy 2.29 bits, of at most 2.32 (log2 5, in every row); " in (
        tab.locator(".said").inner_text()
    )
    assert tab.locator("svg", has_text="hidden").count() == 0
    tab.get_by_role("slider", name="Position").press("End")
    assert "none is ahead" in tab.locator(".said").inner_text()


def test_the_slider_ends_where_the_tokens_do(panel_page: Shown) -> None:
    tab = panel_page("attention")
    slider = tab.get_by_role("slider", name="Position")
    slider.press("End")
    assert slider.input_value() == str(EXAMPLE - 1)
    tab.get_by_label("Whose weights").select_option("3.3")
    slider.press("End")
    assert slider.input_value() == str(TEXT - 1)
    tab.get_by_label("Whose weights").select_option("example")
    assert slider.input_value() == str(EXAMPLE - 1)
    assert tab.locator(".said").inner_text().startswith("Position 4, \u201cmia\u201d, sees 5 of 5 tokens")


def centre(tab: Page, row: int) -> tuple[float, float]:
    """The middle of a row's first cell."""
    box = tab.locator(".pointed .cell").nth(row * EXAMPLE).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_row_that_is_pointed_at_is_chosen_and_a_resting_pointer_leaves_the_keyboard_alone(panel_page: Shown) -> None:
    tab = panel_page("attention", 1280)
    slider = tab.get_by_role("slider", name="Position")
    x, y = centre(tab, 1)
    tab.mouse.move(x, y)
    tab.mouse.move(x + 3, y + 3)
    assert slider.input_value() == "1"
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    # Two frames: by then the rows that were drawn anew have been entered by the pointer that rests on them.
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert slider.input_value() == "3"
    tab.mouse.move(*centre(tab, 0))
    assert slider.input_value() == "0"


def test_a_tap_chooses_a_row(panel_page: Shown) -> None:
    tab = panel_page("attention", 390, has_touch=True)
    tab.locator(".pointed .cell").nth(2 * EXAMPLE).tap()
    assert tab.get_by_role("slider", name="Position").input_value() == "2"
    assert tab.locator(".said").inner_text().startswith("Position 2, \u201ccat\u201d, sees 3 of 5 tokens")


def test_a_guess_takes_the_mask_off(panel_page: Shown) -> None:
    tab = panel_page("attention")
    tab.get_by_label("Whose weights").select_option("0.0")
    tab.get_by_label("A guess first").fill("2")
    tab.get_by_role("button", name="Guess and look").click()
    assert tab.locator(".guess-told").inner_text() == "You guessed 2; it is 2.29: 0.29 too low."
    assert not tab.get_by_role("checkbox", name="Causal mask").is_checked()


def test_own_numbers_that_differ_are_marked(panel_page: Shown) -> None:
    tab, data = panel_page("attention"), golden("attention")
    inverted = {source: [[not seen for seen in row] for row in rows] for source, rows in data["mask"].items()}
    tab.evaluate("(mine) => anatomy.panels.get('attention').showOwn(mine)", {"mask": inverted, "loss": data["loss"]})
    assert tab.locator(".pointed .cell.differs").count() == EXAMPLE * EXAMPLE
    assert tab.locator(".numbers .mine.differs").count() == EXAMPLE
    assert tab.locator(".drawing .own").count() == EXAMPLE
    assert tab.locator(".drawing .own.differs").count() == 0
