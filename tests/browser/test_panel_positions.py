"""The panel of positions, in a real browser."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from panel_texts import SVG_FAULTS, same_without_script
from playwright.sync_api import Page

from grader.site.keep_record import kept
from grader.site.panels.positions import ARMS, HEADS, LENGTH, QUERIES, WIDTH, content, query_and_key
from reference.positions import alibi_bias, alibi_slopes, apply_rope_half, rope_angles, sinusoidal_positions

SETTINGS = [{"query": query, "head": str(head)} for query in QUERIES for head in range(HEADS)]


def scores() -> torch.Tensor:
    """Sinusoidal, its encodings alone, RoPE and ALiBi for each head, query and key: `(4, H, T, T)`."""
    query, key = (vectors[:, None].expand(HEADS, LENGTH, WIDTH) for vectors in query_and_key())
    table = sinusoidal_positions(LENGTH, WIDTH).double()
    turned, turned_key = (apply_rope_half(x, rope_angles(torch.arange(LENGTH), WIDTH)) for x in (query, key))
    return torch.stack(
        [
            (query + table) @ (key + table).mT / math.sqrt(WIDTH),
            (table @ table.T / math.sqrt(WIDTH)).expand(HEADS, -1, -1),
            turned @ turned_key.mT / math.sqrt(WIDTH),
            content()[:, None, None] + alibi_bias(HEADS, LENGTH, LENGTH),
        ]
    )


def expected(query: int, head: int, every: torch.Tensor) -> list[float]:
    """All numbers of the table, row by row."""
    shown = every[:, head, query, : query + 1].flip(-1)  # (4, query + 1)
    mark = every[:, head, 79, :80].flip(-1)
    both = min(query + 1, 80)
    changes = (shown[:, :both] - mark[:, :both]).abs().amax(-1)
    lab = [row["loss"] for step in range(1, 9) for arm in ARMS for row in _summary() if _is(row, arm, step)]
    by_distance = torch.cat([content()[head].expand(1, query + 1), shown]).T.flatten()
    slope, angles = alibi_slopes(HEADS)[head], rope_angles(torch.tensor([query]), WIDTH)[0]
    return [*changes.tolist(), float(slope), *angles.tolist(), *lab, *by_distance.tolist()]


def _summary() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = kept("length")["measured"]["summary"]
    return rows


def _is(row: dict[str, Any], arm: str, step: int) -> bool:
    return (row["arm"], row["multiple"]) == (arm, step)


def test_every_number_is_the_references_and_the_records(
    panel_page: Callable[..., Page], sweep: Callable[..., list[dict[str, Any]]]
) -> None:
    tab, every = panel_page("positions"), scores()
    for state, shown in zip(SETTINGS, sweep(tab, "positions", SETTINGS), strict=True):
        found = [float(cell) for row in shown["rows"] for cell in row if cell]
        right = expected(state["query"], int(state["head"]), every)
        torch.testing.assert_close(torch.tensor(found), torch.tensor(right), rtol=0, atol=1e-6, msg=str(state))


def test_it_says_the_same_before_a_script_has_run_and_draws_no_broken_number(panel_page: Callable[..., Page]) -> None:
    tab = same_without_script(panel_page, "positions")
    assert tab.evaluate(SVG_FAULTS, ["positions", SETTINGS]) == []


def test_the_keyboard_moves_the_query_and_the_moved_scores_are_told(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("positions")
    said = tab.locator(".said")
    assert (
        "differs by up to 1.3729 with the sinusoidal table, 0.0000 with RoPE and 0.0000 with ALiBi" in said.inner_text()
    )
    query = tab.get_by_label("Position of the query")
    query.press("Home")
    assert said.inner_text().startswith("Query at position 19, head 0.")
    for _ in range(3):
        query.press("ArrowRight")
    assert "the last trained position" in said.inner_text()
    tab.get_by_label("Head").select_option("2")
    assert said.inner_text().startswith("Query at position 79, head 2.")
    tab.get_by_label("A guess first").fill("0")
    tab.get_by_role("button", name="Guess and look").click()
    assert "just that" in tab.locator(".guess-told").inner_text()


def test_a_learners_other_layout_and_slopes_stand_beside_the_references(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("positions")
    tab.evaluate("""() => {
      const panel = anatomy.panels.get("positions");
      panel.showOwn({ slopes: panel.data.slopes.map((slope) => 2 * slope), rope: panel.data.rope });
    }""")
    assert "Your alibi_slopes gives this head 0.5000, not 0.2500." in tab.locator(".picture").inner_text()
    assert tab.locator(".picture path.line.own").count() == 2  # in the chart and in its legend
    assert tab.locator(".numbers .mine.differs").all_text_contents() == ["yours \u2260 0.5000"]
