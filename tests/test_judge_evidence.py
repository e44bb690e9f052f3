"""What a learner is shown: one small input, theirs beside the expected, in plain text."""

import torch
from torch import Tensor

from grader.judge.answer import answer
from grader.judge.comparison import compare
from grader.judge.draw import Draw, seed_for
from grader.judge.evidence import evidence, show, smallest
from grader.judge.observation import Observation
from grader.judge.probe import Probe, run_here


def double(x: Tensor, shift: float = 0.0) -> Tensor:
    return x * 2 + shift


def observe(function, *args, reference=double, **kwargs) -> Observation:
    aim, wrt = kwargs.pop("aim", "value"), kwargs.pop("wrt", ())
    probe = Probe(args, kwargs, aim=aim, wrt=wrt, names=("x", "shift"))
    expected = answer(reference, probe)
    outcome = run_here(function, probe, expected.cotangent)
    return Observation("t", probe, expected, outcome, compare(outcome, expected, probe))


def test_input_yours_and_expected_stand_below_each_other():
    seen = observe(lambda x, shift: x * 3 + shift, torch.tensor([[1.0, -0.5]], dtype=torch.float64), shift=0.1)
    assert evidence(seen) == ("with\n  x = [[1, -0.5]]\n  shift = 0.1\nyours: [[3.1, -1.4]]\nexpected: [[2.1, -0.9]]")


def test_expected_values_can_be_hidden():
    seen = observe(lambda x: x * 3, torch.tensor([7.0], dtype=torch.float64))
    text = evidence(seen, hide_expected=True)
    assert "14" not in text
    assert "expected: not shown in this run" in text


def test_a_large_tensor_is_shown_by_its_shape_and_first_difference():
    seen = observe(lambda x: x * 2 + (x == x.max()), torch.arange(50, dtype=torch.float64))
    assert evidence(seen).splitlines()[-1] == "first difference at [49]: yours 99, expected 98"


def test_sides_that_read_the_same_are_not_shown_beside_each_other():
    text = evidence(observe(lambda x: x * 2 + (x == x.max()), torch.arange(50, dtype=torch.float64)))
    assert "yours:" not in text
    assert "expected:" not in text
    shapes = evidence(observe(lambda x: x[:-1], torch.arange(50, dtype=torch.float64)))
    assert "yours: float64 of shape (49,)\nexpected: float64 of shape (50,)" in shapes


def test_a_small_difference_gets_the_digits_that_show_it():
    seen = observe(lambda x: x * 2 + 1e-4, torch.tensor([1.0], dtype=torch.float64))
    assert "yours: [2.0001]" in evidence(seen)


def test_a_raised_exception_stands_in_place_of_the_value():
    def fails(x):
        raise TypeError("bad operand")

    seen = observe(fails, torch.tensor([1.0], dtype=torch.float64))
    assert "yours: raised TypeError: bad operand" in evidence(seen)


def test_a_missing_refusal_says_what_was_expected():
    def refuse(x):
        raise ValueError("never")

    seen = observe(double, torch.tensor([1.0], dtype=torch.float64), reference=refuse, aim="raises")
    assert evidence(seen).endswith("yours: [2]\nexpected: a ValueError")


def test_the_smallest_failing_question_is_the_one_shown():
    wrong = lambda x: x * 3  # noqa: E731
    many = [observe(wrong, torch.ones(n, dtype=torch.float64)) for n in (5, 2, 9)]
    right = observe(double, torch.ones(1, dtype=torch.float64))
    assert smallest([*many, right]) is many[1]
    assert smallest([right]) is None


def test_values_read_as_a_person_would_write_them():
    assert show(torch.tensor([[True, False], [True, True]])) == "[[ True, False],\n [ True,  True]]"
    assert show(torch.tensor([1.5], dtype=torch.bfloat16)) == "[1.5]   (bfloat16)"
    assert show(torch.zeros(0, 3)) == "empty, of shape (0, 3)   (float32)"
    assert show(torch.zeros(9, 9)) == "float32 of shape (9, 9)"
    assert show((torch.tensor(2), None, {"k": 1.0})) == "(2, None, {'k': 1})"
    assert show(torch.tensor([float("nan"), float("-inf")])) == "[nan, -inf]   (float32)"


def test_what_is_large_or_almost_nothing_keeps_what_tells_it_apart():
    assert show(torch.tensor([8000.53, 8000.75, 25.0], dtype=torch.float64)) == "[8000.53, 8000.75, 25]"
    assert show(torch.tensor([-0.0, 3e20], dtype=torch.float64)) == "[0, 3e+20]"


def test_a_wrong_dtype_is_shown_as_such():
    seen = observe(lambda x: (x * 2).float(), torch.tensor([0.1, 0.2], dtype=torch.float64))
    assert evidence(seen).endswith("yours: float32 of shape (2,)\nexpected: float64 of shape (2,)")


def test_a_wrong_type_is_named_beside_the_value():
    seen = observe(lambda x: float(x * 2), torch.tensor(1.0, dtype=torch.float64))
    assert evidence(seen).endswith("yours: 2   (a float)\nexpected: 2   (a tensor)")


def test_a_result_without_a_graph_is_not_shown_as_the_same_numbers_twice():
    seen = observe(lambda x: x.detach() * 2, torch.tensor([1.0], dtype=torch.float64), aim="gradient", wrt=(0,))
    assert evidence(seen).endswith("yours: right values, but no gradient of x\nexpected: a gradient of x")


def test_a_gradient_comes_with_the_one_it_was_made_from():
    seen = observe(lambda x: x * 2 + x.detach() - x, torch.tensor([1.0], dtype=torch.float64), aim="gradient", wrt=(0,))
    assert "  gradient of the result = [" in evidence(seen)
    assert "yours (gradient of x): [" in evidence(seen)


def test_the_part_that_is_wrong_is_named():
    pair = lambda x: (x, x + 1)  # noqa: E731
    seen = observe(lambda x: (x, x), torch.tensor([1.0], dtype=torch.float64), reference=pair)
    assert "yours (second part): [1]\nexpected (second part): [2]" in evidence(seen)


def test_inputs_depend_on_the_seed_and_the_test_alone():
    first, again = Draw(seed_for(1, "a")), Draw(seed_for(1, "a"))
    assert torch.equal(first.normal(3), again.normal(3))
    assert seed_for(1, "a") != seed_for(1, "b") != seed_for(2, "b")


def test_tidy_numbers_are_distinct_short_and_never_zero():
    values = Draw(3).tidy(6, 6)
    assert values.unique().numel() == 36
    assert not (values == 0).any()
    assert torch.equal(values, (values * 10).round() / 10)
