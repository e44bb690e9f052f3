"""The diagram: its symbols add up to the reference's numbers, and its cards lead to what the course has."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from grader.capstone import model as capstone
from grader.course.headings import headings
from grader.course.load import load_course
from grader.site.diagram.configurations import GPT2_SMALL, LLAMA_7B, course_model, presets, symbols
from grader.site.diagram.figures import BYTES, COUNTS, about, shape
from grader.site.diagram.page import decoder_page, held_by, totals
from grader.site.diagram.sizes import evaluate, polynomial, sizes, tex
from grader.site.diagram.stages import FAMILIES, STAGES
from reference.block import trace_block
from reference.lab import forward_flops, kv_cache_bytes
from reference.model import count_parameters, gpt2, init_gpt2

COURSE = load_course()
TINY_GPT2 = {**GPT2_SMALL, "vocab": 11, "d_model": 12, "n_blocks": 2, "n_heads": 3, "d_hidden": 20, "max_positions": 7}


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """A possible configuration: heads divide the width, key-value heads the heads, and a head is of even width."""
    sharing, kv_heads = draw(st.integers(1, 8)), draw(st.integers(1, 16))
    heads = sharing * kv_heads
    return {
        "family": draw(st.sampled_from(FAMILIES)),
        "vocab": draw(st.integers(1, 300_000)),
        "d_model": heads * 2 * draw(st.integers(1, 128)),
        "n_blocks": draw(st.integers(1, 200)),
        "n_heads": heads,
        "n_kv_heads": kv_heads,
        "d_hidden": draw(st.integers(1, 100_000)),
        "max_positions": draw(st.integers(1, 100_000)),
        "tied": draw(st.booleans()),
    }


def summed(config: dict[str, Any], quantity: str, tokens: int = 1, bytes_per_value: int = 2) -> int:
    """A quantity of all stages, those of a block N times."""
    values = symbols(config, tokens, bytes_per_value=bytes_per_value)
    each = sizes(config["family"], config["tied"])
    once = {stage: evaluate(getattr(each[stage.id], quantity), values) for stage in STAGES}
    return sum(value * (config["n_blocks"] if stage.of_block else 1) for stage, value in once.items())


@given(configurations())
def test_the_parameters_of_all_stages_are_the_references_count(config: dict[str, Any]) -> None:
    assert summed(config, "parameters") == count_parameters(config)


@given(configurations(), st.integers(1, 10**6))
def test_the_operations_of_all_stages_are_the_references_for_a_llama(config: dict[str, Any], tokens: int) -> None:
    llama = {**config, "family": "llama"}
    assert summed(llama, "flops", tokens) == forward_flops(llama, tokens)


@given(configurations(), st.integers(1, 10**6), st.sampled_from([1, 2, 4]))
def test_the_cache_of_all_stages_is_the_references(config: dict[str, Any], tokens: int, width: int) -> None:
    kept = config["n_kv_heads"] if config["family"] == "llama" else config["n_heads"]
    expected = kv_cache_bytes(config["n_blocks"], kept, config["d_model"] // config["n_heads"], tokens, 1, width)
    assert summed(config, "cache", tokens, width) == expected


@given(configurations(), st.integers(1, 10**4), st.integers(0, 9))
def test_the_tensors_of_a_llama_block_are_those_that_trace_block_gives(
    config: dict[str, Any], tokens: int, batch: int
) -> None:
    stages = sizes("llama", config["tied"])
    values = symbols({**config, "family": "llama"}, tokens, batch=batch)
    made = [stages["embedding"].tensors[-1]]
    made += [tensor for stage in STAGES if stage.of_block for tensor in stages[stage.id].tensors]
    assert [(tensor.name, tensor.sizes(values)) for tensor in made] == trace_block(
        {
            **{key: config[key] for key in ("d_model", "n_heads", "n_kv_heads", "d_hidden")},
            "batch": batch,
            "seq": tokens,
        }
    )


def listed_weights(config: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Every weight of the model as the cards name it, and its shape."""
    values = symbols(config, 1)
    found: dict[str, tuple[int, ...]] = {}
    for stage in STAGES:
        prefixes = [f"blocks.{n}." for n in range(config["n_blocks"])] if stage.of_block else [""]
        for weight in sizes(config["family"], config["tied"])[stage.id].weights:
            found |= {prefix + weight.name: weight.sizes(values) for prefix in prefixes}
    return found


def test_the_weights_of_a_gpt2_are_those_that_its_training_begins_with() -> None:
    drawn = init_gpt2(TINY_GPT2, seed=0)
    assert listed_weights(TINY_GPT2) == {name: tuple(weight.shape) for name, weight in drawn.items()}


def test_the_weights_of_the_courses_model_are_those_of_its_file() -> None:
    assert listed_weights(dict(course_model())) == capstone.shapes(capstone.CONFIG)


def test_the_operations_of_a_gpt2_are_those_that_torch_counts_while_the_reference_runs() -> None:
    with FlopCounterMode(display=False) as counted:
        gpt2(torch.zeros(1, 5, dtype=torch.int64), init_gpt2(TINY_GPT2, seed=0), TINY_GPT2["n_heads"])
    assert summed(TINY_GPT2, "flops", 5) == counted.get_total_flops()


def test_known_models_have_their_known_sizes() -> None:
    assert summed(dict(GPT2_SMALL), "parameters") == 124_439_808
    assert summed(dict(LLAMA_7B), "parameters") == 6_738_415_616
    assert summed(dict(LLAMA_7B), "flops", 1024) == 14_081_050_279_936
    assert summed(dict(LLAMA_7B), "cache", 4096) == 2_147_483_648


def test_the_courses_preset_is_the_model_that_is_shipped() -> None:
    assert course_model() == capstone.CONFIG
    assert [preset.config["n_blocks"] for preset in presets()] == [5, 12, 32]


def test_the_totals_of_a_preset_read_in_large_units() -> None:
    assert totals(presets()[2])["parameters"] == (6_738_415_616, "6.74 billion")
    assert totals(presets()[2])["weights"] == (13_476_831_232, "13.48 GB")


@pytest.mark.parametrize(
    ("written", "read"),
    [("8 T D D + 4 T T D", r"8 \, T \, D^2 + 4 \, T^2 \, D"), ("V D", r"V \, D"), ("D + D", r"2 \, D"), ("", "0")],
)
def test_a_sum_is_written_with_powers_and_like_terms_collected(written: str, read: str) -> None:
    assert tex(polynomial(written)) == read


@pytest.mark.parametrize(
    ("number", "names", "read"),
    [
        (0, BYTES, "0 bytes"),
        (999, COUNTS, ""),
        (1000, COUNTS, "1.00 thousand"),
        (1_234_500, COUNTS, "1.23 million"),
        (1_235_000, BYTES, "1.24 MB"),
        (999_999, BYTES, "1,000.00 kB"),
        (5 * 10**22, COUNTS, "50,000.00 quintillion"),
    ],
)
def test_a_large_number_is_told_in_words(number: int, names: tuple[str, ...], read: str) -> None:
    assert about(number, names) == read


def test_a_shape_reads_as_python_prints_it() -> None:
    assert [shape(sizes) for sizes in ((1, 2, 3), (4,))] == [str((1, 2, 3)), str((4,))]


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.id)
def test_every_card_leads_to_sections_and_exercises_that_exist(stage: Any) -> None:
    anchors = {heading.anchor for heading in headings(COURSE.lesson(stage.lesson).page.read_text("utf-8"))}
    assert set(stage.sections) <= anchors
    assert all(COURSE.has(exercise) for exercises in stage.exercises for exercise in exercises)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_card_lists_tensors_and_weights_in_the_order_in_which_the_design_has_them(family: str) -> None:
    for stage in STAGES:
        for which in ("tensors", "weights"):
            listed = [shape for shape, _, designs, _ in held_by(stage, which) if f"{family}-untied" in designs.split()]
            assert listed == list(getattr(sizes(family, tied=False)[stage.id], which))


def test_grades_stand_beside_their_exercises() -> None:
    written = decoder_page(COURSE, live=True, grades={"normalization.rms_norm": "1 of 12 points, <partly> right"})
    assert '<p data-grade="normalization.rms_norm">1 of 12 points, &lt;partly&gt; right</p>' in written
    assert '<p data-grade="objective.embed"></p>' in written


def test_the_page_is_small() -> None:
    assert len(decoder_page(COURSE).encode()) < 200_000
