"""The facts that the panel of the information budget tells."""

from typing import Any

import pytest
import torch

from grader.course.load import load_course
from grader.lab.llama import logits
from grader.run.decoder import Decoder
from grader.run.functions import Reference
from grader.site.export import golden
from grader.site.panels.budget import (
    BUDGETS,
    FOLLOWING,
    PANEL,
    RECENT,
    SETTINGS,
    SINKS,
    TILES,
    Setting,
    losses,
    read,
    tokens,
)
from reference.attention import attention_scores, attention_weights, causal_mask
from reference.heads import repeat_kv
from reference.model import llama

DATA = golden("budget")
GIVEN = DATA["given"]


def find(tree: Any, budget: int, sinks: int, recent: int) -> Any:
    return tree[BUDGETS.index(budget)][SINKS.index(sinks)][RECENT.index(recent)]


def more(budget: int, sinks: int, recent: int) -> float:
    """How much the loss grows on the text that is shown."""
    return float(GIVEN["more"][find(GIVEN["set"], budget, sinks, recent)])


def elsewhere(budget: int, sinks: int, recent: int) -> float:
    return float(find(GIVEN["elsewhere"], budget, sinks, recent))


@pytest.mark.parametrize("grown", [more, elsewhere], ids=["this text", "other texts"])
def test_with_eight_tiles_the_highest_scores_alone_cost_the_most(grown: Any) -> None:
    alone = grown(8, 0, 0)
    assert alone > 0.7
    assert all(grown(8, 0, recent) < alone - 0.05 for recent in RECENT[1:])


@pytest.mark.parametrize("grown", [more, elsewhere], ids=["this text", "other texts"])
def test_with_eight_tiles_sinks_change_little(grown: Any) -> None:
    for recent in RECENT:
        for sinks in SINKS:
            if sinks + recent <= 8:
                assert abs(grown(8, sinks, recent) - grown(8, 0, recent)) < 0.03


def test_the_first_words_have_the_highest_scores_and_the_newest_the_lowest() -> None:
    scores = GIVEN["scores"]
    assert scores.index(max(scores)) == 0
    assert min(scores[:6]) > max(scores[15:])
    assert sum(scores) == pytest.approx(TILES)  # each query gives 1


def test_a_budget_of_all_tiles_costs_nothing_and_no_tiles_cost_more_than_a_nat() -> None:
    assert more(24, 0, 0) == 0 == elsewhere(24, 4, 8)
    assert more(0, 0, 0) > 1 < elsewhere(0, 0, 0)


def test_the_loss_with_all_tiles_is_that_of_the_whole_model() -> None:
    model, config = _model()
    text = tokens()
    scores = llama(text[:, :-1], model.weights, config["n_heads"], config["n_kv_heads"])[0, TILES:]
    expected = -scores.log_softmax(-1).gather(-1, text[0, TILES + 1 :, None])[:, 0]
    torch.testing.assert_close(torch.tensor(GIVEN["losses"][0], dtype=torch.float64), expected, rtol=0, atol=1e-6)


def test_dropping_keys_from_the_cache_is_hiding_them_from_all_later_queries() -> None:
    model, config = _model()
    text, kept = tokens(), (0, 4, 12, 20, 21)
    seen = causal_mask(TILES + FOLLOWING, TILES + FOLLOWING)
    seen[TILES:, [tile for tile in range(TILES) if tile not in kept]] = False

    def attend(_: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return attention_weights(attention_scores(q, repeat_kv(k, 2)), seen) @ repeat_kv(v, 2)

    scores = logits(text[:, :-1], model.weights, config, attend)[0, TILES:]
    expected = -scores.log_softmax(-1).gather(-1, text[0, TILES + 1 :, None])[:, 0]
    torch.testing.assert_close(losses(text, read(text), [kept])[0], expected, rtol=0, atol=1e-9)


def test_every_kept_tile_has_its_reason() -> None:
    scores = torch.tensor(GIVEN["scores"], dtype=torch.float64)
    for by_sinks in SETTINGS:
        for by_recent in by_sinks:
            for each in by_recent:
                kept = find(DATA["retain"], each.budget, each.sinks, each.recent)
                reasons = find(GIVEN["reasons"], each.budget, each.sinks, each.recent)
                if each.refused:
                    assert kept is reasons is None
                    continue
                assert [tile for tile, reason in enumerate(reasons) if reason != "."] == [int(t) for t in kept.split()]
                assert len(kept.split()) == each.budget
                assert reasons[: each.sinks] == "s" * each.sinks
                assert reasons.endswith("r" * each.recent)
    assert Setting(24, 4, 8).reasons(scores) == "s" * 4 + "x" * 12 + "r" * 8


def test_the_reference_refuses_what_the_panel_says_it_refuses() -> None:
    refused = [each for by_sinks in SETTINGS for by_recent in by_sinks for each in by_recent if each.refused]
    assert len(refused) > 50
    for each in refused:
        with pytest.raises(ValueError, match="more than the budget"):
            each.kept(torch.zeros(TILES))


def test_a_learners_mask_in_place_of_indices_cannot_be_drawn() -> None:
    class Masks:
        def call(self, _: str, scores: torch.Tensor, *__: int) -> torch.Tensor:
            return scores > 1

    with pytest.raises(TypeError, match="row of whole numbers"):
        PANEL.parts[0].compute(Masks(), Reference(load_course()))


def _model() -> tuple[Decoder, Any]:
    from grader.capstone.model import load

    shipped = load()
    return Decoder.of(shipped.config, shipped.weights), shipped.config
