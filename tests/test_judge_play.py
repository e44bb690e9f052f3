"""Questions of several calls: training steps with a state that only the function under test looks into."""

import pytest
import torch

from grader.candidate import Candidate
from grader.judge.answer import ReferenceFailed, answer
from grader.judge.check import Check, Examination, Failed
from grader.judge.evidence import evidence
from grader.judge.probe import Probe, run_here
from grader.sandbox import Died, Limits, NotAValue, Raised, Returned, Zygote


def momentum(x, gradient, state, lr=0.5):
    """A reference: the state is a dict that holds the running sum."""
    total = state.get("sum", torch.zeros_like(x)) + gradient
    return x - lr * total, {"sum": total}


def three_steps(function, x, gradients):
    """Three steps, each with the state of the one before."""
    state, path = {}, []
    for gradient in gradients:
        x, state = function(x, gradient, state)
        path.append(x)
    return path


X = torch.tensor([1.0, 2.0], dtype=torch.float64)
GRADIENTS = [torch.tensor([k, -k], dtype=torch.float64) for k in (0.5, 1.0, 2.0)]
PROBE = Probe((X, GRADIENTS), names=("x", "gradient", "state"), play=three_steps, opaque=(1,))

LEARNER = """
import torch
from dataclasses import dataclass

@dataclass
class State:
    total: torch.Tensor

def momentum(x, gradient, state, lr=0.5):
    total = gradient if isinstance(state, dict) else state.total + gradient
    return x - lr * total, State(total)
"""


@pytest.fixture(scope="module")
def zygote():
    with Zygote() as made:
        yield made


def asked(zygote, source, probe=PROBE):
    with Candidate(zygote, {"lesson": source}, "lesson", Limits(seconds=2)) as candidate:
        return candidate.ask("momentum", probe, None)


def test_a_state_of_the_learners_own_kind_stays_in_the_worker(zygote):
    outcome = asked(zygote, LEARNER)
    right = run_here(momentum, PROBE)
    assert (
        [x.tolist() for x in outcome.value]
        == [x.tolist() for x in right.value]
        == [[0.75, 2.25], [0, 3], [-1.75, 4.75]]
    )


def test_the_same_in_this_process():
    class State:
        def __init__(self, total):
            self.total = total

    def other(x, gradient, state, lr=0.5):
        total = state.total + gradient if isinstance(state, State) else gradient
        return x - lr * total, State(total)

    assert isinstance(run_here(other, PROBE), Returned)
    assert run_here(other, PROBE).value[2].tolist() == [-1.75, 4.75]


def test_a_call_that_raises_ends_the_play(zygote):
    outcome = asked(zygote, LEARNER.replace("return x -", "assert not hasattr(state, 'total'), 'no'; return x -"))
    assert isinstance(outcome, Raised)
    assert outcome.type_name == "AssertionError"


def test_a_call_that_ends_the_worker_ends_the_play(zygote):
    assert isinstance(asked(zygote, LEARNER.replace("return x -", "import os; os._exit(0); return x -")), Died)


UNUSABLE = {"(x,)": lambda x: (x,), "(x, None, None)": lambda x: (x, None, None), "None": lambda x: None}


@pytest.mark.parametrize("result", UNUSABLE)
def test_a_result_that_cannot_be_used_is_the_learners_doing(zygote, result):
    source = f"import torch\ndef momentum(x, gradient, state, lr=0.5):\n    return {result}\n"
    outcome = asked(zygote, source)
    assert outcome == run_here(lambda x, *_, **__: UNUSABLE[result](x), PROBE)
    assert isinstance(outcome, NotAValue)
    assert "could not be used as the course describes it" in outcome.description


def test_a_changed_argument_is_told_by_its_name(zygote):
    source = LEARNER.replace("    return x -", "    x.mul_(1)\n    gradient.add_(1)\n    return x -")
    assert asked(zygote, source).changed_inputs == ("gradient",)


def test_a_play_that_the_reference_cannot_perform_is_the_graders_fault():
    with pytest.raises(ReferenceFailed):
        answer(lambda x, gradient, state: x, PROBE)

    def broken(function, x):
        raise KeyError("mine")

    with pytest.raises(KeyError):
        answer(momentum, Probe((X,), play=broken))


def test_suites_ask_through_a_play():
    def forgets(x, gradient, state, lr=0.5):
        return x - lr * gradient, state

    examination = Examination(momentum, lambda probe, answer: run_here(forgets, probe))
    check = Check(examination, "test_steps", 1).through(three_steps, opaque=(1,))
    with pytest.raises(Failed) as failed:
        check(X, GRADIENTS)
    assert failed.value.observation.probe.dtype == torch.float64
    text = evidence(failed.value.observation)
    assert text.startswith("with (Three steps, each with the state of the one before)\n  x = [1, 2]")
    assert "gradients = " in text
