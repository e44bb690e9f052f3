"""A reference function lent to code that is not trusted: bounded, and its failures are the caller's."""

import pytest
import torch

from grader.standin import LARGEST_TENSOR, stand_in


def table(n: int, m: int) -> torch.Tensor:
    return torch.zeros(n, m)


def test_it_answers_as_the_function_does():
    assert stand_in(table)(2, 3).shape == (2, 3)
    assert stand_in(table).__name__ == "table"


def test_sizes_that_would_fill_the_graders_memory_are_refused():
    with pytest.raises(RuntimeError, match="larger than any input"):
        stand_in(table)(10**6, 10**6)
    with pytest.raises(RuntimeError, match="larger than any input"):
        stand_in(torch.exp)(torch.zeros(LARGEST_TENSOR + 1))


def test_a_refusal_stays_a_value_error():
    def picky(x):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        stand_in(picky)(1)


def test_whatever_odd_arguments_provoke_is_an_ordinary_error_of_the_caller():
    with pytest.raises(RuntimeError, match="cannot take these arguments"):
        stand_in(lambda x: x.shape)("text")


def test_time_is_bounded_over_all_calls(monkeypatch):
    clock = iter([0.0, 60.0, 61.0, 62.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    lent = stand_in(table)
    lent(1, 1)
    with pytest.raises(RuntimeError, match="more than"):
        lent(1, 1)
