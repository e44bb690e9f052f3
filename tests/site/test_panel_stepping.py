"""The panel of steps: two ways to one story, what each costs, and how a learner's other story is put beside it."""

from typing import Any

import pytest
import torch

from grader.capstone.corpus import STOP_TOKEN, decode
from grader.course.load import load_course
from grader.run.functions import Reference
from grader.site.export import golden
from grader.site.panels.stepping import MOST, PANEL, STEPS, lengths, prompt, reference_story, written
from grader.site.panels.storyteller import config
from grader.site.panels.values import form, plain
from reference.attention import attention, causal_mask
from reference.heads import repeat_kv

PARTS = {part.name: part for part in PANEL.parts}


class With(Reference):
    """The course's functions but for one."""

    def __init__(self, exercise: str, other: Any) -> None:
        super().__init__(load_course())
        self._exercise, self._other = exercise, other

    def call(self, exercise: str, *args: Any, **kwargs: Any) -> Any:
        """What the function returns."""
        return (self._other if exercise == self._exercise else super().call)(
            *(args if exercise == self._exercise else (exercise, *args)), **kwargs
        )


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return golden("stepping")


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference(load_course())


def test_the_story_ends_at_the_last_step(data: dict[str, Any]) -> None:
    chosen = data["plain"]["chosen"]
    assert decode(data["given"]["prompt"]) == "<s> the cat"
    assert len(chosen) == STEPS
    assert chosen.index(STOP_TOKEN) == STEPS - 1
    assert reference_story()[0].tolist() == [*data["given"]["prompt"], *chosen[:-1]]


def test_notice_both_ways_give_the_same_distributions_and_tokens(data: dict[str, Any]) -> None:
    plain_way, cached = data["plain"], data["cached"]
    assert cached["chosen"] == plain_way["chosen"] == data["loop"]["chosen"]
    assert torch.tensor(cached["probability"]).allclose(torch.tensor(plain_way["probability"]))
    assert set(cached["gap"]) == {0.0}


def test_what_is_shown_of_a_distribution_is_all_of_it(data: dict[str, Any]) -> None:
    for probabilities, others in zip(data["plain"]["probability"], data["plain"]["others"], strict=True):
        assert sum(probabilities) + others == pytest.approx(1.0)


def test_a_step_with_a_cache_costs_the_products_of_one_row(data: dict[str, Any]) -> None:
    c = config()
    width, kv_width, hidden = c["d_model"], c["n_kv_heads"] * c["d_model"] // c["n_heads"], c["d_hidden"]
    for length, counted in list(zip(lengths(), data["flops"]["cached"], strict=True))[1:]:
        projections = 2 * width * width + 2 * width * kv_width
        scores_and_means = 2 * length * width
        block = projections + scores_and_means + 3 * width * hidden
        assert counted == 2 * (c["n_blocks"] * block + width * c["vocab"])


def test_notice_a_pass_costs_its_tokens_times_what_one_row_costs(data: dict[str, Any]) -> None:
    assert data["flops"]["ratio"][0] == 1
    assert data["flops"]["ratio"][1:] == pytest.approx(lengths()[1:])
    assert data["flops"]["plain_sum"][-1] == sum(data["flops"]["plain"])
    assert data["flops"]["cached_sum"][-1] == sum(data["flops"]["cached"])


def test_notice_the_cache_grows_by_the_same_with_every_token(data: dict[str, Any]) -> None:
    c = config()
    numbers = 2 * c["n_blocks"] * c["n_kv_heads"] * c["d_model"] // c["n_heads"]
    assert data["kept"] == [numbers * length for length in lengths()]
    assert data["bytes"] == [4 * kept for kept in data["kept"]]


def test_positions_computed_are_all_or_the_newest(data: dict[str, Any]) -> None:
    assert data["given"]["positions"]["plain"] == list(range(3, 3 + STEPS))
    assert data["given"]["positions"]["cached"] == [3] + [1] * (STEPS - 1)


def test_a_story_that_ends_early_keeps_the_form(data: dict[str, Any]) -> None:
    ends = torch.zeros(150, dtype=torch.float64)
    ends[STOP_TOKEN] = 5.0
    found = written(lambda _: ends)
    assert found["chosen"] == [STOP_TOKEN] + [None] * (STEPS - 1)
    assert found["probability"][-1] == [None] * MOST
    assert form(plain(found)) == form(data["plain"])


def test_a_cache_that_forgets_tells_another_story_beside_the_right_one(
    data: dict[str, Any], reference: Reference
) -> None:
    def forgetful(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, _: Any) -> Any:
        seen = causal_mask(q.shape[2], k.shape[2])
        return attention(q, repeat_kv(k, 2), repeat_kv(v, 2), seen), (k, v)

    found = plain(PARTS["cached"].compute(With("decoding.attend_cached", forgetful), reference))
    assert found["chosen"][0] == data["plain"]["chosen"][0]  # the prompt is one chunk
    assert found["chosen"] != data["plain"]["chosen"]
    assert found["gap"][1] > 0.1
    assert form(found) == form(data["cached"])


def test_a_loop_that_forgets_the_stop_token_goes_on_to_the_last_step(
    data: dict[str, Any], reference: Reference
) -> None:
    def silent(_: Any, given: torch.Tensor, most: int, *__: Any, stop_token: int) -> torch.Tensor:
        return torch.cat([given, torch.full((1, most + 9), stop_token)], dim=1)

    found = plain(PARTS["loop"].compute(With("decoding.generate", silent), reference))
    assert form(found) == form(data["loop"])


def test_a_loop_that_returns_no_tokens_is_told(reference: Reference) -> None:
    with pytest.raises(ValueError, match="begins with the prompt"):
        PARTS["loop"].compute(With("decoding.generate", lambda *_, **__: prompt().double()), reference)
