"""The panel of the information budget, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from panel_texts import SVG_FAULTS, same_without_script, tables
from playwright.sync_api import Page

from grader.site.export import golden
from grader.site.panels.budget import BUDGETS, RECENT, SINKS, TILES, Setting, losses, read, tokens

Sweep = Callable[[Page, str, list[dict[str, Any]]], list[dict[str, Any]]]
SETTINGS = [
    {"budget": budget, "sinks": sinks, "recent": recent} for budget in BUDGETS for sinks in SINKS for recent in RECENT
]


def expected(settings: list[Setting]) -> list[list[float]]:
    """All numbers of the table, row by row; those of the other texts are taken as they were exported."""
    text = tokens()
    tiles = read(text)
    sets = list(dict.fromkeys([tuple(range(TILES)), *(each.kept(tiles.received) for each in settings)]))
    by_word = dict(zip(sets, losses(text, tiles, sets), strict=True))
    before, everywhere = by_word[sets[0]], golden("budget")["given"]["elsewhere"]
    found = []
    for each in settings:
        kept = each.kept(tiles.received)
        now, more = by_word[kept], everywhere[each.budget // 2][each.sinks][each.recent // 2]
        stays = torch.tensor([float(tile in kept) for tile in range(TILES)], dtype=torch.float64)
        by_tile = torch.stack([tiles.received, stays], dim=-1).flatten()
        after = torch.stack([before, now], dim=-1).flatten()
        found.append([float(before.mean()), float(now.mean()), more, *by_tile.tolist(), *after.tolist()])
    return found


def test_every_number_is_the_references(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("budget")
    states = [state for state in SETTINGS if not Setting(**state).refused]
    rights = expected([Setting(**state) for state in states])
    for state, found, right in zip(states, tables(tab, "budget", states), rights, strict=True):
        torch.testing.assert_close(torch.tensor(found), torch.tensor(right), rtol=0, atol=1e-6, msg=str(state))


def test_what_stands_in_the_page_is_that_and_a_refusal_is_said(panel_page: Callable[..., Page], sweep: Sweep) -> None:
    tab = panel_page("budget")
    states = [state for state in SETTINGS if state["budget"] in (0, 8)]
    states += [{"budget": budget, "sinks": 1, "recent": 2} for budget in BUDGETS]
    shown = dict(zip(map(str, states), sweep(tab, "budget", states), strict=True))
    allowed = [state for state in states if not Setting(**state).refused]
    for state, right in zip(allowed, expected([Setting(**state) for state in allowed]), strict=True):
        found = [float(cell) for row in shown[str(state)]["rows"] for cell in row if cell]
        torch.testing.assert_close(torch.tensor(found), torch.tensor(right), rtol=0, atol=1e-6, msg=str(state))
    refused = [shown[str(state)] for state in states if state not in allowed]
    assert len(refused) > 30
    for each in refused:
        assert each["said"].startswith("retain refuses this:")
        assert each["rows"][2][1] == "refused"


def test_it_says_the_same_before_a_script_has_run_and_draws_no_broken_number(panel_page: Callable[..., Page]) -> None:
    tab = same_without_script(panel_page, "budget")
    assert tab.locator(".said").inner_text().startswith("8 of 24 tiles stay: 0 as sinks, 0 as recent, 8 by score.")
    assert tab.evaluate(SVG_FAULTS, ["budget", SETTINGS[::3]]) == []


def test_the_keyboard_reserves_tiles_and_each_says_why_it_stays(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("budget")
    tab.get_by_label("Sinks", exact=True).press("ArrowRight")
    tab.get_by_label("Recent", exact=True).press("ArrowRight")
    assert tab.locator(".said").inner_text().startswith("8 of 24 tiles stay: 1 as sinks, 2 as recent, 5 by score.")
    tiles = tab.locator("ol.tiles").first.locator("li").all_inner_texts()
    assert ["sink" in tiles[0], "score" in tiles[1], "dropped" in tiles[10], "recent" in tiles[23]] == [True] * 4
    tab.get_by_label("Budget", exact=True).press("Home")
    assert "1 sinks and 2 recent tiles are more than the budget of 0" in tab.locator(".said").inner_text()
    assert "Nothing is chosen" in tab.locator(".picture").inner_text()


def test_a_guess_of_what_the_newest_tiles_cost(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("budget")
    tab.get_by_label("A guess first").fill("1")
    tab.get_by_role("button", name="Guess and look").click()
    assert "it is 0.26: 0.74 too high" in tab.locator(".guess-told").inner_text()


def test_a_learners_other_tiles_are_marked(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("budget")
    tab.evaluate("""() => {
      const panel = anatomy.panels.get("budget");
      const shifted = (kept) => kept && kept.split(" ").map((tile) => (tile === "0" ? "23" : tile)).join(" ");
      const all = panel.data.retain.map((by_sinks) => by_sinks.map((by_recent) => by_recent.map(shifted)));
      panel.showOwn({ retain: all });
    }""")
    differing = tab.locator(".tile.differs").all_inner_texts()
    assert [text.split("\n")[-1] for text in differing] == ["yours drops it", "yours keeps it"]
    assert "Your retain returns: 23 1 2 3 4 5 6 14." in tab.locator(".picture").inner_text()
