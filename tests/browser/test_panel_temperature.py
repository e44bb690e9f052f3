"""The panel of temperature, top-k and top-p, in a real browser."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import torch
from panel_texts import SVG_FAULTS, same_without_script, tables
from playwright.sync_api import Page

from grader.site.panels.temperature import KS, PS, TEMPERATURES, WORDS, logits
from reference.decoding import apply_temperature, top_k, top_p
from reference.objective import cross_entropy, entropy_bits, perplexity, softmax

Sweep = Callable[[Page, str, list[dict[str, Any]]], list[dict[str, Any]]]


def setting(t: float, k: int, p: float, correct: str) -> dict[str, Any]:
    return {"temperature": t, "top_k": k, "top_p": p, "correct": correct}


def filtered(k: int, p: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """After the temperature, after top-k and after top-p, at every temperature: `(31, 8)` each."""
    now = torch.stack([apply_temperature(logits(), t) for t in TEMPERATURES])
    after_k = top_k(now, k)
    return now, after_k, top_p(after_k, p)


@cache
def outcome(left: tuple[float, ...], word: int) -> list[float]:
    """Loss, perplexity and entropy of these logits."""
    row = torch.tensor(left, dtype=torch.float64)
    loss = cross_entropy(row[None], torch.tensor([word]))
    return [float(loss), float(perplexity(loss)), float(entropy_bits(softmax(row)))]


def expected(k: int, p: float) -> list[list[float]]:
    """All numbers of the table but the last three, row by row, at every temperature."""
    now, after_k, after_p = filtered(k, p)
    rows = torch.stack([logits().expand_as(now), now, after_k, after_p, softmax(after_p)], dim=-1)  # (31, 8, 5)
    return rows.flatten(1).tolist()


def near(mine: list[float], right: list[float]) -> bool:
    return len(mine) == len(right) and all(
        a == b or math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-6) for a, b in zip(mine, right, strict=True)
    )


def test_every_number_is_the_references_at_every_setting(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("temperature")
    for k in KS:
        states = [setting(t, k, p, WORDS[(k + place) % 8]) for place, p in enumerate(PS) for t in TEMPERATURES]
        rights = [(filtered(k, p)[2].tolist(), expected(k, p)) for p in PS]
        for number, (state, found) in enumerate(zip(states, tables(tab, "temperature", states), strict=True)):
            place, t = divmod(number, len(TEMPERATURES))
            left, rows = rights[place]
            word = WORDS.index(state["correct"])
            assert near(found, rows[t] + outcome(tuple(left[t]), word)), state


def test_every_words_loss_is_the_references_for_every_number_of_words_kept(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("temperature")
    for k in KS:
        states = [setting(t, k, 1.0, word) for t in TEMPERATURES for word in WORDS]
        left = filtered(k, 1.0)[2].tolist()
        for number, (state, found) in enumerate(zip(states, tables(tab, "temperature", states), strict=True)):
            t, word = divmod(number, 8)
            assert near(found[-3:], outcome(tuple(left[t]), word)), state


def test_what_stands_in_the_page_is_that_and_never_nan(panel_page: Callable[..., Page], sweep: Sweep) -> None:
    tab = panel_page("temperature")
    states = [setting(t, 8, 0.9, "knows") for t in TEMPERATURES] + [setting(1.0, k, 0.9, "mia") for k in KS]
    states += [setting(0.7, 8, p, "the") for p in PS] + [setting(0.2, 4, 0.95, word) for word in WORDS]
    for state, shown in zip(states, sweep(tab, "temperature", states), strict=True):
        found = [float(cell) for row in shown["rows"] for cell in row if cell]
        t = TEMPERATURES.index(state["temperature"])
        left = tuple(filtered(state["top_k"], state["top_p"])[2][t].tolist())
        right = expected(state["top_k"], state["top_p"])[t] + outcome(left, WORDS.index(state["correct"]))
        assert near(found, right), state
        assert ("has probability 0: the loss is infinite" in shown["said"]) == math.isinf(right[-3]), state
        assert "no number" not in shown["said"]


def test_it_says_the_same_before_a_script_has_run_and_draws_no_broken_number(panel_page: Callable[..., Page]) -> None:
    tab = same_without_script(panel_page, "temperature")
    assert "leave 6 of 8 words" in tab.locator(".said").inner_text()
    corners = [setting(t, k, p, word) for t in (0, 0.1, 3) for k in (1, 8) for p in (0.05, 1) for word in WORDS[:2]]
    assert tab.evaluate(SVG_FAULTS, ["temperature", corners]) == []


def test_greedy_and_cut_words_are_said_in_words(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("temperature")
    tab.get_by_label("Temperature", exact=True).press("Home")
    assert tab.locator('[data-control="temperature"] output').inner_text() == "0 (greedy)"
    said = tab.locator(".said").inner_text()
    assert "The correct token “knows” has probability 0: the loss is infinite, and so is the perplexity." in said
    assert "not the highest" in tab.locator(".picture").inner_html()
    tab.get_by_label("The correct token").select_option("chases")
    assert "a loss of 0.00 nats, perplexity 1.00. Entropy: 0.00 bits." in tab.locator(".said").inner_text()


@pytest.mark.parametrize(("typed", "told"), [("7", "just that"), ("5", "2 too low")])
def test_a_guess_of_how_many_words_stay(panel_page: Callable[..., Page], typed: str, told: str) -> None:
    tab = panel_page("temperature")
    tab.get_by_label("A guess first").fill(typed)
    tab.get_by_role("button", name="Guess and look").click()
    assert told in tab.locator(".guess-told").inner_text()


def test_another_kept_set_and_another_loss_stand_beside_the_references(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("temperature")
    tab.evaluate("""() => {
      const panel = anatomy.panels.get("temperature");
      const { top_p, loss } = panel.data;
      const swapped = (marks) => marks.replaceAll("0", "-").replaceAll("1", "0").replaceAll("-", "1");
      panel.showOwn({ top_p: top_p.map((by_p) => by_p.map(swapped)), loss });
    }""")
    assert "yours keeps it" in tab.locator(".picture").inner_html()
    assert tab.locator(".numbers td .mine.differs").count() == 8
    assert tab.locator(".numbers tr:nth-child(9) .mine").inner_text() == ""  # closed: not on the screen
    assert tab.locator(".numbers tr:nth-child(9) .mine").text_content() == "yours 2.205"
