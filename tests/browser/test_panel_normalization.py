"""The panel of activation scales, in a real browser."""

from collections.abc import Callable

import pytest
import torch
from playwright.sync_api import Page

from grader.site.panels.normalization import SCALES, scaled
from reference.normalization import layer_norm, rms_norm


def test_every_number_is_the_references(panel_page: Callable[..., Page], sweep: Callable[..., list[dict]]) -> None:
    tab = panel_page("normalization")
    shown = sweep(tab, "normalization", [{"scale": scale} for scale in SCALES])
    ones = torch.ones(7, dtype=torch.float64)
    expected = torch.stack([scaled(), layer_norm(scaled(), ones, 0 * ones), rms_norm(scaled(), ones)], dim=-1)
    for scale, found, right in zip(SCALES, shown, expected, strict=True):
        numbers = torch.tensor([[float(cell) for cell in row] for row in found["rows"]], dtype=torch.float64)
        torch.testing.assert_close(numbers, right, rtol=0, atol=1e-6, msg=f"scale {scale}")


def test_the_default_row_keeps_its_normalised_range_at_every_scale(
    panel_page: Callable[..., Page], sweep: Callable[..., list[dict]]
) -> None:
    tab = panel_page("normalization")
    assert (
        tab.locator(".said")
        .inner_text()
        .startswith(
            "At scale 5.0 the raw values run from -6.0 to 10.5; after LayerNorm from -1.40 to 1.63, after RMSNorm"
        )
    )
    for shown in sweep(tab, "normalization", [{"scale": scale} for scale in SCALES]):
        assert "after LayerNorm from -1.40 to 1.63" in shown["said"]


def test_the_keyboard_moves_it(panel_page: Callable[..., Page]) -> None:
    tab = panel_page("normalization")
    tab.get_by_label("Activation scale").press("ArrowRight")
    assert tab.locator(".said").inner_text().startswith("At scale 5.1")


@pytest.mark.parametrize(("typed", "told"), [("3", "1.37 too high"), ("1,63", "just that"), ("one", "Type a number")])
def test_a_guess_is_told_how_far_off_it_was(panel_page: Callable[..., Page], typed: str, told: str) -> None:
    tab = panel_page("normalization")
    tab.get_by_label("A guess first").fill(typed)
    tab.get_by_role("button", name="Guess and look").click()
    assert told in tab.locator(".guess-told").inner_text()
