"""The panel of blocks: what it claims is so, on its own texts and on others."""

from typing import Any

import pytest
import torch

from grader.capstone import grammar
from grader.capstone.corpus import VOCABULARY, windows
from grader.course.load import load_course
from grader.run.functions import Reference
from grader.site.export import golden
from grader.site.panels.blocks import AFTER_CLAUSE, AFTER_SENTENCE, LAST, PANEL, states, through_lens, tokens
from grader.site.panels.reach import LENGTH, SPANS, held_out, loss_with, mean_distance
from grader.site.panels.storyteller import decoder
from grader.site.panels.values import plain
from reference.attention import causal_mask, sliding_window_mask
from reference.model import llama
from reference.objective import cross_entropy, shift_targets, softmax

NEAR, FAR = (0, 2, 3), (1, 4)
"""Blocks that do without what lies more than 16 words back, and blocks that do not."""


class Uniform:
    """Attention that looks at all it may see alike."""

    def call(self, _: str, scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The weights."""
        return (mask / mask.sum(-1, keepdim=True, dtype=torch.float64)).expand_as(scores)


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return golden("blocks")


def test_the_text_is_one_that_the_grammar_can_say() -> None:
    words = [VOCABULARY[token] for token in tokens()[0]]
    assert all(words[place] in grammar.next_words(words[:place]) for place in range(1, len(words)))
    assert len(words) - 2 == LAST


def test_it_begins_where_a_verb_agrees_with_a_noun_across_a_clause() -> None:
    words = [VOCABULARY[token] for token in tokens()[0]]
    assert words[AFTER_CLAUSE - 4 : AFTER_CLAUSE + 2] == ["rabbits", "that", "the", "mouse", "chases", "run"]
    assert words[AFTER_SENTENCE + 1] == words[5] == "mia"


def test_number_and_name_come_with_later_blocks(data: dict[str, Any]) -> None:
    rank = [stage[AFTER_CLAUSE] for stage in data["lens"]["rank"]]
    assert min(rank[:3]) >= 10
    assert rank[-1] == 1
    name = [stage[AFTER_SENTENCE] for stage in data["lens"]["of_next"]]
    assert max(name[:-1]) < 0.001
    assert name[-1] > 0.5


def test_the_last_stage_is_what_the_model_says(data: dict[str, Any]) -> None:
    model = decoder()
    logits = llama(tokens(), model.weights, model.n_heads, model.n_kv_heads)
    reference = Reference(load_course())
    torch.testing.assert_close(through_lens(reference, states())[-1:], softmax(logits))
    inputs, targets = shift_targets(tokens())
    loss = float(cross_entropy(logits[:, : inputs.shape[1]], targets))
    assert data["lens"]["mean_loss"][-1] == pytest.approx(loss, abs=1e-8)


def test_a_block_by_itself_says_what_the_stream_said(data: dict[str, Any]) -> None:
    assert torch.tensor(data["blocks"]).allclose(torch.tensor(data["lens"]["loss"][1:]))


def test_what_is_added_makes_up_the_change_of_the_stream(data: dict[str, Any]) -> None:
    attention, network = torch.tensor(data["attention"]).double(), torch.tensor(data["network"]).double()
    given = states()[:, :-1]
    change = (given[1:] - given[:-1]).norm(dim=-1) / given[:-1].norm(dim=-1)
    assert (change <= attention + network + 1e-6).all()
    assert (change >= (attention - network).abs() - 1e-6).all()


def test_notice_the_mean_loss_falls_with_every_block(data: dict[str, Any]) -> None:
    losses = data["lens"]["mean_loss"]
    assert losses == sorted(losses, reverse=True)


def test_notice_attention_looks_about_equally_far_back_in_all_blocks(data: dict[str, Any]) -> None:
    distances = data["distance"]["held_out"]
    assert max(distances) < 1.2 * min(distances)


def test_notice_two_blocks_need_the_distance_and_block_1_most(data: dict[str, Any]) -> None:
    rises = [row[SPANS.index(16)] for row in data["reach"]]
    assert all(abs(rises[block]) < 0.002 for block in NEAR)
    assert all(rises[block] > 0.03 for block in FAR)
    assert rises.index(max(rises)) == 1


def test_other_texts_say_the_same_of_the_distance() -> None:
    texts, seen = windows(11, 8, LENGTH, held_out=True), sliding_window_mask(LENGTH, LENGTH, 16)
    everything = causal_mask(LENGTH, LENGTH)
    usual = loss_with([everything] * 5, texts)
    rises = [
        loss_with([seen if n == block else everything for n in range(5)], texts) - usual for block in (*NEAR, *FAR)
    ]
    assert max(abs(rise) for rise in rises[:3]) < 0.005
    assert min(rises[3:]) > 0.02


def test_masks_that_hide_nothing_leave_the_models_own_loss() -> None:
    texts, model = held_out()[:2], decoder()
    inputs, targets = shift_targets(texts)
    logits = llama(inputs, model.weights, model.n_heads, model.n_kv_heads)
    assert loss_with([causal_mask(LENGTH, LENGTH)] * 5, texts) == pytest.approx(float(cross_entropy(logits, targets)))


def test_who_looks_at_everything_alike_looks_half_way_back() -> None:
    found = mean_distance(Uniform(), tokens())
    torch.testing.assert_close(found[:, 0], (torch.arange(25).double() / 2).expand(5, 25))


FAST = [part for part in PANEL.parts if part.name != "reach"]


@pytest.mark.parametrize("faulty_one", [exercise for part in FAST for exercise in part.exercises])
def test_a_fault_shows_in_the_part_of_its_own_function_and_nowhere_else(faulty_one: str) -> None:
    class Faulty(Reference):
        def call(self, exercise: str, *args: Any, **kwargs: Any) -> Any:
            found = super().call(exercise, *args, **kwargs)
            return 1.5 * found if exercise == faulty_one else found

    course = load_course()
    faulty, reference = Faulty(course), Reference(course)
    for part in FAST:
        same = plain(part.compute(faulty, reference)) == plain(part.compute(reference, reference))
        assert same is (faulty_one not in part.exercises), part.name
