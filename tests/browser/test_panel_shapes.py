"""The panel of shapes, in a real browser."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from grader.site.panels.shapes import STEPS, configurations
from reference.block import trace_block

TEXTS = """
() => [...document.querySelectorAll(".said, .numbers caption, .numbers th, .numbers td")]
  .map((each) => each.textContent)
"""


def test_every_number_is_the_references(
    panel_page: Callable[..., Page], sweep: Callable[..., list[dict[str, Any]]]
) -> None:
    settings = [{"model": model, "step": step} for model in configurations() for step in range(1, len(STEPS) + 1)]
    shown = sweep(panel_page("shapes"), "shapes", settings)
    for setting, found in zip(settings, shown, strict=True):
        traced = trace_block(configurations()[setting["model"]])
        for row, (_, sizes) in zip(found["rows"], traced, strict=True):
            assert [int(cell) for cell in row[1:] if cell != "none"] == [*sizes, math.prod(sizes)]
        name, sizes = traced[setting["step"] - 1]
        assert found["said"].startswith(f"{setting['step']} of 16: {name}, (")
        assert f") = {sizes}, {math.prod(sizes):,} numbers. {STEPS[name][1]}" in found["said"]
        assert len(found["said"]) <= 250


def test_it_says_the_same_before_a_script_has_run(panel_page: Callable[..., Page]) -> None:
    assert panel_page("shapes").evaluate(TEXTS) == panel_page("shapes", java_script_enabled=False).evaluate(TEXTS)


def test_it_is_stepped_through_with_the_keyboard(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("shapes")
    tab.get_by_role("slider", name="Tensor").press("ArrowRight")
    expect(tab.locator(".said")).to_contain_text("2 of 16: norm1, (B, T, D) = (2, 16, 64)")
    tab.get_by_role("button", name="Step").press("Enter")
    expect(tab.locator(".said")).to_contain_text("3 of 16: q, (B, H, T, K) = (2, 4, 16, 16)")
    tab.get_by_label("Sizes of").select_option("LLaMA-7B")
    expect(tab.locator(".said")).to_contain_text("3 of 16: q, (B, H, T, K) = (1, 32, 2048, 128)")
    expect(tab.get_by_role("link", name="q in the diagram")).to_have_attribute("href", "decoder.html#stage-attention")


def test_the_picture_shows_what_a_tensor_is_made_from(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("shapes")
    tab.evaluate("anatomy.panels.get('shapes').set({ step: 6 })")
    assert tab.locator(".box-name").all_text_contents() == ["from q", "and k", "scores"]
    assert tab.locator(".tensors .source").all_text_contents() == ["q", "k"]
    expect(tab.get_by_role("img", name="the tensor scores")).to_be_visible()


def test_ones_own_wrong_shape_is_drawn_beside_the_right_one(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("shapes")
    tab.evaluate(
        """() => {
          const panel = anatomy.panels.get("shapes"), own = structuredClone(panel.data.trace);
          own.course[3] = { name: "k", shape: "2 x 4 x 16 x 16", numbers: 2048 };
          panel.showOwn({ trace: own });
          panel.set({ step: 4 });
        }"""
    )
    assert tab.locator(".box-name").all_text_contents() == ["from norm1", "k", "yours ≠ k"]
    expect(tab.get_by_role("img", name="your tensor k")).to_be_visible()
    expect(tab.locator(".numbers .mine.differs")).to_have_text(["yours ≠ 4", "yours ≠ 2048"])
    tab.evaluate("anatomy.panels.get('shapes').set({ step: 5 })")
    expect(tab.locator(".picture")).to_contain_text("Yours is (2, 2, 16, 16) too.")


def test_a_guess_is_told_how_far_off_it_was(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("shapes")
    tab.get_by_label("A guess first").fill("8.4")
    tab.get_by_role("button", name="Guess and look").click()
    expect(tab.locator(".guess-told")).to_have_text("You guessed 8.4; it is 134.2: 125.8 too low.")
