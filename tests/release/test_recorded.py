"""Answers as bytes: what is read is what was written, and the recorded questions are put in place of those drawn."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.errors import GraderFault
from grader.judge.answer import ReferenceFailed, answer
from grader.judge.check import Check, Failed
from grader.judge.probe import Closeness, Probe
from grader.judge.recorded import DRAWN, RecordedExamination, read_answers, write_answers
from grader.judge.values import identical
from grader.sandbox.reply import Outcome, Raised, Returned


def applied(x: Tensor, weights: dict[str, Tensor], norm: Callable[[Tensor], Tensor], n: int = 2) -> Any:
    """Something of everything: a tensor, a dict, a function, a number; a tuple comes back."""
    if n < 1:
        raise ValueError("n is below 1")
    return norm(x) @ weights["w"] * n, [n, True, "name", 0.5, None]


def halved(x: Tensor) -> Tensor:
    return x / 2


X, W = torch.tensor([[1.0, -2.0], [0.5, 4.0]]).double(), torch.tensor([[3.0, 1.0], [0.25, -1.0]]).double()
PROBES = [
    Probe((X, {"w": W}, halved), {"n": 3}),
    Probe((X, {"w": W}, halved), {}, aim="gradient", wrt=(0, (1, "w")), cotangent_seed=5),
    Probe((X.float(), {"w": W.float()}, halved), {}, closeness=Closeness(kappa=3.0)),
    Probe((X.bfloat16().T, {"w": W.bfloat16()}, halved), {}),
    Probe((X, {"w": W}, halved), {"n": 0}, aim="raises"),
    Probe((X, {"w": W}, halved), {}, aim="call"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    asked = [(probe, answer(applied, probe)) for probe in PROBES]
    (tmp_path / "made.bin").write_bytes(write_answers({"applied": {"test_it[a]": asked, "test_none": []}}))
    return tmp_path / "made.bin"


def test_everything_comes_back(path: Path) -> None:
    entries = read_answers(path)["applied"]["test_it[a]"]
    for probe, entry in zip(PROBES[:4], entries[:4], strict=True):
        given = answer(applied, probe)
        assert entry.args[2] is DRAWN
        assert identical(entry.args[:2], probe.args[:2])
        assert isinstance(entry.answer.given, Returned)
        assert isinstance(entry.answer.truth, Returned)
        assert isinstance(given.given, Returned)
        assert isinstance(given.truth, Returned)
        assert identical(entry.answer.given.value, given.given.value)
        assert identical(entry.answer.truth.value, given.truth.value)
        assert identical(entry.answer.cotangent, given.cotangent)
        assert (entry.answer.lines, entry.answer.gradient_lines) == (given.lines, given.gradient_lines)
        assert (entry.answer.truth.gradients or {}).keys() == (given.truth.gradients or {}).keys()
    assert isinstance(entries[4].answer.given, Raised)
    assert entries[4].answer.given.message == ""  # how the reference puts it is its own affair
    assert (entries[5].answer.known, entries[5].answer.size) == (False, answer(applied, PROBES[5]).size)


def examination(path: Path, seen: list[Probe], function: Callable[..., Any] = applied) -> RecordedExamination:
    def ask(probe: Probe, expected: Any) -> Outcome:
        seen.append(probe)
        return Returned(function(*probe.args, **probe.kwargs))

    return RecordedExamination(applied, ask, recorded=read_answers(path)["applied"])


def test_the_recorded_inputs_are_put(path: Path) -> None:
    """Another processor draws the last digit otherwise; the function is the test's own."""
    seen: list[Probe] = []
    Check(examination(path, seen), "test_it[a]", 1)(X * (1 + 1e-15), {"w": W}, halved, n=3)
    assert torch.equal(seen[0].args[0], X)
    assert seen[0].args[2] is halved


def test_a_wrong_value_fails(path: Path) -> None:
    check = Check(examination(path, [], lambda *a, **k: (X, [3, True, "name", 0.5, None])), "test_it[a]", 1)
    with pytest.raises(Failed, match="values differ from the expected"):
        check(X, {"w": W}, halved, n=3)


@pytest.mark.parametrize(
    "ask",
    [
        lambda check: check.raises(X, {"w": W}, halved),  # the first question wants a value
        lambda check: check(X, {"v": W}, halved, n=3),
        lambda check: check(X, W, halved, n=3),
    ],
)
def test_another_question_is_the_courses_fault(path: Path, ask: Callable[[Check], Any]) -> None:
    with pytest.raises(ReferenceFailed):
        ask(Check(examination(path, []), "test_it[a]", 1))


def test_a_law_may_call_as_often_as_it_likes(path: Path) -> None:
    check = Check(examination(path, []), "test_none", 1)
    for _ in range(3):
        value, _ = check.call(X, {"w": W}, halved)
        assert torch.equal(value, X / 2 @ W * 2)


@pytest.mark.parametrize("size", [0, 1, 40, -1])
def test_a_damaged_file_is_a_fault_of_the_installation(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(GraderFault, match="Install this again"):
        read_answers(path)


def test_a_missing_file_is_one_too(tmp_path: Path) -> None:
    with pytest.raises(GraderFault, match=r"made\.bin cannot be read"):
        read_answers(tmp_path / "made.bin")
