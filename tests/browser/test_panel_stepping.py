"""The panel of steps, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from grader.site.export import golden
from grader.site.panels.stepping import STEPS

TEXTS = """
() => [...document.querySelectorAll(".said, .numbers td, .numbers th, caption")].map((each) => each.textContent)
"""


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return golden("stepping")


def test_every_number_is_the_references(
    panel_page: Callable[..., Page], sweep: Callable[..., list[dict[str, Any]]], data: dict[str, Any]
) -> None:
    settings = [{"step": step, "cache": cache} for cache in (False, True) for step in range(1, STEPS + 1)]
    for wanted, found in zip(settings, sweep(panel_page("stepping"), "stepping", settings), strict=True):
        at = wanted["step"] - 1
        pairs = [data["given"]["positions"], data["flops"]]
        pairs.append({"plain": data["flops"]["plain_sum"], "cached": data["flops"]["cached_sum"]})
        ways = [data["plain"], data["cached"]]
        expected = [[way["probability"][at][rank] for way in ways] for rank in range(8)]
        expected += [[way[name][at] for way in ways] for name in ("others", "entropy")]
        expected += [[pair["plain"][at], pair["cached"][at]] for pair in pairs]
        expected += [[data["kept"][at]], [data["bytes"][at]], [data["cached"]["gap"][at]]]
        numbers = [[float(cell) for cell in row if cell not in ("none", "")] for row in found["rows"]]
        for row, right in zip(numbers, expected, strict=True):
            assert row == pytest.approx(right, abs=1e-6), wanted
        word = data["given"]["vocabulary"][data["plain"]["chosen"][at]]
        assert f"\u201c{word}\u201d is chosen" in found["said"]
        assert f"{1 if wanted['cache'] and at else at + 3} position" in found["said"]
        assert len(found["said"]) < 250


def test_it_says_the_same_with_scripts_and_without(panel_page: Callable[..., Page]) -> None:
    with_scripts = panel_page("stepping").evaluate(TEXTS)
    assert with_scripts == panel_page("stepping", java_script_enabled=False).evaluate(TEXTS)
    assert len(with_scripts) > 45


def test_it_plays_steps_and_goes_back_by_the_keyboard_alone(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("stepping")
    said = tab.locator(".said")
    tab.get_by_role("button", name="Step").press("Enter")
    expect(said).to_contain_text("Step 2, without the cache: \u201cben\u201d is chosen")
    assert tab.locator(".story .computed").all_inner_texts() == ["<s>", "the", "cat", "of"]
    tab.get_by_label("With a key-value cache").press("Space")
    assert tab.locator(".story .computed").all_inner_texts() == ["of"]
    assert tab.locator(".story .kept").all_inner_texts() == ["<s>", "the", "cat"]
    tab.get_by_role("button", name="Back").press("Enter")
    expect(said).to_contain_text("Step 1, with the cache")
    tab.get_by_label("Step", exact=True).press("End")
    tab.get_by_role("button", name="Back").press("Enter")
    tab.get_by_label("Speed").select_option("fast")
    play = tab.get_by_role("button", name="Play")
    play.press("Enter")
    expect(said).to_contain_text("Step 50, with the cache: \u201c</s>\u201d is chosen")
    expect(play).to_have_attribute("aria-pressed", "false")  # it stops at the end by itself


def test_a_guess_is_told_how_far_off_it_was(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("stepping")
    tab.get_by_label("A guess first").fill("50")
    tab.get_by_role("button", name="Guess and look").click()
    expect(tab.locator(".guess-told")).to_contain_text("it is 52: 2 too low.")
    assert tab.locator(".story mark").inner_text() == "</s>"


def test_another_story_stands_beside_the_right_one(panel_page: Callable[..., Page], data: dict[str, Any]) -> None:
    tab = panel_page("stepping", width=390)
    plain, at = data["plain"], 2
    words = data["given"]["vocabulary"]
    chosen = [*plain["chosen"][:at], words.index("dog"), *[None] * (STEPS - at - 1)]
    own = {"plain": {**plain, "chosen": chosen}, "loop": data["loop"], "kept": [0] * STEPS}
    tab.evaluate("(parts) => anatomy.panels.get('stepping').showOwn(parts)", own)
    stories = tab.locator(".own-story").all_inner_texts()
    assert (
        stories[0].strip()
        == "With your llama: from step 3 on another story, \u201cdog\u201d for \u201clives\u201d: \u2026 of ben dog"
    )
    assert stories[1] == "With your generate: the same story, token by token."
    assert tab.locator(".picture rect.own").count() == 9
    tab.evaluate("() => anatomy.panels.get('stepping').set({ step: 10, cache: false })")
    expect(tab.locator(".picture")).to_contain_text("Your story is another one since step 3.")
    tab.get_by_label("With a key-value cache").check()
    expect(tab.locator(".step-facts")).to_contain_text("3,840 (yours \u2260 0)")
