"""The panel of shapes: what it says about the tensors of a block is so."""

from __future__ import annotations

from typing import Any

import pytest

from grader.course.load import load_course
from grader.run.functions import Reference
from grader.site.export import golden
from grader.site.panels.shapes import AXES, PANEL, STEPS, configurations
from grader.site.panels.values import learner_parts
from reference.block import trace_block


def numbers(config: dict[str, int]) -> dict[str, int]:
    """How many numbers each tensor holds."""
    found = {}
    for name, sizes in trace_block(config):
        found[name] = 1
        for size in sizes:
            found[name] *= size
    return found


def test_the_steps_are_those_of_trace_block_in_its_order() -> None:
    assert list(STEPS) == list(AXES) == [name for name, _ in trace_block(configurations()["course"])]


def test_every_tensor_is_made_from_earlier_ones() -> None:
    names = list(STEPS)
    for place, (sources, _) in enumerate(STEPS.values()):
        assert set(sources) <= set(names[:place])


@pytest.mark.parametrize("config", configurations().values(), ids=configurations())
def test_the_axes_give_the_shapes(config: dict[str, int]) -> None:
    values = {"B": config["batch"], "T": config["seq"], "D": config["d_model"], "F": config["d_hidden"]}
    values |= {"H": config["n_heads"], "Hkv": config["n_kv_heads"], "K": config["d_model"] // config["n_heads"]}
    named = [(name, tuple(values[axis] for axis in axes.split())) for name, axes in AXES.items()]
    assert named == trace_block(config)


@pytest.mark.parametrize("config", configurations().values(), ids=configurations())
def test_what_is_to_be_noticed_is_so(config: dict[str, int]) -> None:
    shapes = dict(trace_block(config))
    assert shapes["input"] == shapes["attn_out"] == shapes["residual1"] == shapes["mlp_out"] == shapes["residual2"]
    once, twice = numbers(config), numbers({**config, "seq": 2 * config["seq"]})
    assert {name for name in once if twice[name] == 4 * once[name]} == {"scores", "weights"}
    assert {name for name in once if twice[name] == 2 * once[name]} == set(once) - {"scores", "weights"}


class WithTrace(Reference):
    """The reference, but for a trace_block of one's own."""

    def __init__(self, trace: Any) -> None:
        super().__init__(load_course())
        self.trace = trace

    def call(self, exercise: str, *arguments: Any) -> Any:
        return self.trace(*arguments) if exercise == "block.trace_block" else super().call(exercise, *arguments)


def shown(trace: Any) -> dict[str, Any]:
    """What the panel makes of a learner's function."""
    found: dict[str, Any] = learner_parts(PANEL, load_course(), WithTrace(trace), golden("shapes"))["trace"]
    return found


def test_a_wrong_shape_is_shown_beside_the_right_one() -> None:
    def heads_last(config: dict[str, int]) -> list[Any]:
        return [(name, sizes[::-1] if name == "q" else sizes) for name, sizes in trace_block(config)]

    assert shown(heads_last)["data"]["course"][2] == {"name": "q", "shape": "16 x 16 x 4 x 2", "numbers": 2048}


@pytest.mark.parametrize(
    "trace", [lambda config: trace_block(config)[:5], lambda config: None, lambda config: [("q", 3)] * 16]
)
def test_what_is_no_list_of_sixteen_shapes_is_told_in_a_sentence(trace: Any) -> None:
    assert shown(trace)["trouble"].startswith(("It returned", "What it returned could not be used"))
    assert shown(trace)["exercise"] == "block.trace_block"
