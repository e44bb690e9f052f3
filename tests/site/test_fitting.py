"""What a learner's function returns for a picture: of the reference's form, or refused before it is computed with."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
import torch

from grader.course.load import load_course
from grader.run.functions import Reference
from grader.site.export import golden
from grader.site.panels import panel_named
from grader.site.panels.fitting import Fitting, Unfit, fits
from grader.site.panels.values import learner_parts, plain

PAIR = torch.zeros(2, 3)


class With:
    """The reference with one function replaced by what it returns."""

    def __init__(self, exercise, function):
        self._reference, self._exercise, self._function = Reference(load_course()), exercise, function

    def call(self, exercise, *args, **kwargs):
        if exercise == self._exercise:
            return self._function(*args, **kwargs)
        return self._reference.call(exercise, *args, **kwargs)


def drawn(panel, exercise, function, *names):
    """Some parts of a panel with one function replaced."""
    found = panel_named(panel)
    some = replace(found, parts=tuple(part for part in found.parts if part.name in names))
    return learner_parts(some, load_course(), With(exercise, function), golden(panel))


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (PAIR, PAIR),
        (PAIR.float(), PAIR.double()),
        (PAIR.long(), PAIR),
        (torch.zeros(1, 3), PAIR),
        (torch.zeros(9), torch.zeros(4)),
        (PAIR, PAIR.bool()),
        (2, 1.5),
        (torch.tensor(2.0), 1.5),
        ((PAIR, PAIR), [PAIR, PAIR]),
        ([("norm", (2, 3))], [("input", (2, 4)), ("norm", (2, 4))]),
        ({"a": 1}, {"a": 2.0}),
        (None, None),
    ],
)
def test_what_has_the_expected_form_is_drawn_even_if_it_is_shorter(found, wanted):
    assert fits(found, wanted)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (torch.zeros(60000, 1, 1), torch.zeros(1, 4, 25, 25)),
        (torch.zeros(2, 4), PAIR),
        (torch.zeros(5000), torch.zeros(4)),
        (PAIR.bool(), PAIR),
        (PAIR.to(torch.complex64), PAIR),
        (None, 1.0),
        (True, 1.0),
        ("inf", 1.0),
        (torch.zeros(1), 1.0),
        ([PAIR], PAIR),
        ([("input", (torch.ones(20000, 1), torch.ones(1, 20000)))], [("input", (2, 4))]),
        ([("input", (2**62,) * 300)], [("input", (2, 4))]),
        ("x" * 1000, "input"),
        ({"__proto__": 1}, {"a": 1}),
    ],
)
def test_what_could_grow_or_is_no_such_thing_is_refused(found, wanted):
    assert not fits(found, wanted)


@pytest.mark.parametrize(
    ("panel", "part", "other", "exercise", "returned", "says"),
    [
        (
            "attention",
            "weights",
            "mask",
            "attention.attention_weights",
            torch.ones(60000, 1, 1),
            "(60000, 1, 1)",
        ),
        ("stepping", "bytes", "flops", "lab.kv_cache_bytes", None, "It returned None, where a number was expected."),
        ("temperature", "entropy", "softmax", "objective.entropy_bits", torch.ones(31, 8) > 0, "of truth values"),
    ],
)
def test_a_function_of_another_form_is_told_and_other_parts_are_drawn(panel, part, other, exercise, returned, says):
    parts = drawn(panel, exercise, lambda *_, **__: returned, part, other)
    assert says in parts[part]["trouble"]
    assert parts[part]["exercise"] == exercise
    assert "data" in parts[other]


def test_the_function_that_was_asked_is_named():
    asked = Fitting(With("objective.softmax", lambda x: x[None]), Reference(load_course()))
    with pytest.raises(
        Unfit, match=r"It returned a tensor of shape \(1, 3\), where a tensor of shape \(3,\) was"
    ) as met:
        asked.call("objective.softmax", torch.zeros(3))
    assert met.value.exercise == "objective.softmax"


@pytest.mark.parametrize("tokens", [torch.zeros(1, 81, dtype=torch.int64), torch.zeros(80), "the cat"])
def test_the_model_that_a_loop_is_given_reads_no_more_than_it_was_trained_on(tokens):
    def loop(model, *_, **__):
        return model(tokens)

    parts = drawn("stepping", "decoding.generate", loop, "loop")
    assert "the model reads tokens of shape (1, T), where T is 80 at most" in parts["loop"]["trouble"]


@pytest.mark.parametrize("value", [torch.finfo(torch.float64).min, torch.finfo(torch.float64).max])
def test_the_largest_numbers_stay_numbers(value):
    kept = plain(torch.tensor([value], dtype=torch.float64))
    assert math.isfinite(kept[0])
    assert json.loads(json.dumps(kept, allow_nan=False)) == [value]
