"""The panel of causal attention: its example, its text, and what its notice claims, without a browser."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from grader.capstone import grammar
from grader.capstone.corpus import encode
from grader.capstone.model import load
from grader.course.headings import headings
from grader.course.load import load_course
from grader.places import lessons_folder
from grader.run.functions import Reference
from grader.site.export import golden
from grader.site.panels.attention import BLOCKS, EXAMPLE, HEADS, PANEL, TEXT, WISHED, WORDS
from grader.site.panels.values import learner_parts
from reference.attention import causal_mask
from reference.model import llama
from reference.training import sequence_loss


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return golden("attention")


def test_position_3_of_the_example_sees_4_tokens_at_1_98_of_2_bits(data: dict[str, Any]) -> None:
    assert data["weights"]["example"]["causal"][3] == [0.3, 0.27, 0.23, 0.2, 0.0]
    assert round(data["entropy"]["example"]["causal"][3], 2) == 1.98
    assert data["given"]["bounds"][3] == 2.0


def test_every_row_of_the_example_has_the_weights_that_were_wished(data: dict[str, Any]) -> None:
    for row, wished in zip(data["weights"]["example"]["causal"], WISHED, strict=True):
        assert row == pytest.approx([*wished, *[0.0] * (EXAMPLE - len(wished))], abs=1e-8)


def test_a_mask_bounds_the_entropy_by_what_is_seen_and_without_it_all_rows_have_one_bound(data: dict[str, Any]) -> None:
    bounds = torch.tensor(data["given"]["bounds"])
    for source, size in data["given"]["positions"].items():
        entropy = data["entropy"][source]
        assert (torch.tensor(entropy["causal"]) <= bounds[:size] + 1e-6).all()
        assert (torch.tensor(entropy["open"]) <= bounds[size - 1] + 1e-6).all()


def test_without_a_mask_the_tokens_ahead_take_a_share_of_every_row_but_the_last(data: dict[str, Any]) -> None:
    for source in data["weights"].values():
        ahead = torch.tensor(source["ahead"])
        assert (ahead[..., :-1] > 0).all()
        assert (ahead[..., -1] == 0).all()


def test_the_heads_are_those_of_the_courses_model() -> None:
    assert (load().config["n_blocks"], load().config["n_heads"]) == (BLOCKS, HEADS)


def test_the_text_is_one_that_the_grammar_can_write() -> None:
    for place in range(1, len(WORDS)):
        assert WORDS[place] in grammar.next_words(list(WORDS[:place]))


@pytest.mark.parametrize(("source", "positions"), [("example", EXAMPLE), ("heads", TEXT)])
def test_one_pass_gives_a_signal_at_each_position_and_their_mean_is_the_loss_of_the_course(
    data: dict[str, Any], source: str, positions: int
) -> None:
    model = load()
    tokens = torch.tensor([encode(" ".join(WORDS[: positions + 1]))])  # (1, T + 1)
    weights = {name: weight.double() for name, weight in model.weights.items()}
    loss = sequence_loss(llama(tokens, weights, model.config["n_heads"], model.config["n_kv_heads"]), tokens)
    assert data["loss"]["mean"][source] == pytest.approx(loss.item(), abs=1e-8)
    assert sum(data["loss"]["each"][:positions]) / positions == pytest.approx(loss.item(), abs=1e-8)


class _LooksAhead(Reference):
    """A learner whose mask shows one token too many."""

    def call(self, exercise: str, *args: Any, **kwargs: Any) -> Any:
        found: Any = super().call(exercise, *args, **kwargs)
        return found | Tensor.bool(causal_mask(*args).float().roll(1, -1)) if exercise.endswith("mask") else found


def test_a_wrong_mask_shows_in_the_mask_and_nowhere_else(data: dict[str, Any]) -> None:
    course = load_course()
    parts = learner_parts(PANEL, course, _LooksAhead(course), data)  # type: ignore[arg-type]  # it calls, as a Learner does
    assert [name for name, part in parts.items() if part["data"] != data[name]] == ["mask"]


def test_it_stands_behind_a_heading_of_its_lesson() -> None:
    page = (lessons_folder() / PANEL.lesson / "lesson.md").read_text("utf-8")
    assert PANEL.after in {heading.anchor for heading in headings(page)}
