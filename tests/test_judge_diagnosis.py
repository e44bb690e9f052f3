"""Naming a mistake from numbers alone: singles, pairs, look-alikes, leftovers, and silence where nothing fits."""

import pytest
import torch
from torch import Tensor

from grader.judge.answer import answer
from grader.judge.comparison import compare
from grader.judge.diagnosis import diagnose
from grader.judge.misconception import Catalogue, Misconception, Wrong
from grader.judge.observation import Observation
from grader.judge.probe import Probe, run_here
from grader.sandbox.reply import Died

catalogue = Catalogue("toy")


@catalogue.flawed(
    "scale",
    Misconception("eps-outside", section="eps", says="eps is outside the root."),
    Misconception("no-root", section="root", says="The root is missing."),
    Misconception("no-gain", section="gain", says="The gain is not applied."),
    Misconception("changes-x", section="inputs", says="x is changed.", fails="test_unchanged"),
    Misconception("detached", section="graph", says="The statistics are cut off.", fails="test_gradient"),
    Misconception("twice", section="gain", says="Squared gain.", same_as=("gain-squared",), alone=True),
    Misconception("gain-squared", section="gain", says="The gain is squared.", same_as=("twice",), alone=True),
)
def scale(wrong: Wrong, x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    if wrong("twice") or wrong("gain-squared"):
        weight = weight * weight
    mean = (x.detach() if wrong("detached") else x).square().mean(-1, keepdim=True)
    if wrong("no-root"):
        size = mean + eps
    else:
        size = mean.sqrt() + eps if wrong("eps-outside") else (mean + eps).sqrt()
    result = x / size if wrong("no-gain") else x / size * weight
    if wrong("changes-x"):
        with torch.no_grad():
            x.mul_(2)
    return result


FLAWED = catalogue.exercises["scale"]
RIGHT = FLAWED.variant(())


def observe(function, *probes: Probe) -> list[Observation]:
    seen = []
    for number, probe in enumerate(probes):
        expected = answer(RIGHT, probe)
        outcome = run_here(function, probe, expected.cotangent)
        seen.append(Observation(f"t{number}", probe, expected, outcome, compare(outcome, expected, probe)))
    return seen


def probes() -> list[Probe]:
    generator = torch.Generator().manual_seed(0)
    draw = lambda *shape: torch.randn(shape, generator=generator, dtype=torch.float64)  # noqa: E731
    small = (draw(2, 3), draw(3))
    return [
        Probe(small, {"eps": 0.1}),
        Probe((draw(4, 5), draw(5))),
        Probe((draw(2, 4), draw(4)), aim="gradient", wrt=(0, 1)),
        Probe((draw(2, 4).bfloat16(), draw(4).bfloat16())),
    ]


def named(function) -> str | None:
    found = diagnose(FLAWED, observe(function, *probes()))
    return found.id if found else None


@pytest.mark.parametrize("name", ["eps-outside", "no-root", "no-gain", "changes-x", "detached"])
def test_each_mistake_is_named_as_itself(name):
    assert named(FLAWED.variant([name])) == f"toy.scale.{name}"


def test_a_right_function_has_no_diagnosis():
    assert named(RIGHT) is None


def test_two_mistakes_made_together_are_named_as_a_pair():
    assert named(FLAWED.variant(["eps-outside", "no-gain"])) == "toy.scale.eps-outside+no-gain"


def test_mistakes_that_no_input_tells_apart_are_named_together():
    found = diagnose(FLAWED, observe(FLAWED.variant(["twice"]), *probes()))
    assert found.either
    assert {m.name for m in found.misconceptions} == {"twice", "gain-squared"}
    assert "Or:" in found.sentence


def test_a_mistake_beside_something_unknown_is_named_with_a_rest():
    def also_refuses_bfloat16(x, weight, eps=1e-6):
        if x.dtype == torch.bfloat16:
            raise TypeError("no bfloat16")
        return FLAWED.variant(["no-gain"])(x, weight, eps)

    found = diagnose(FLAWED, observe(also_refuses_bfloat16, *probes()))
    assert found is None or (found.id == "toy.scale.no-gain" and found.rest)


def test_an_unknown_mistake_is_not_given_a_name():
    assert named(lambda x, weight, eps=1e-6: x * 3 + weight) is None
    assert named(lambda x, weight, eps=1e-6: torch.zeros_like(x)) is None


def test_raising_the_same_exception_is_no_evidence():
    def always(x, weight, eps=1e-6):
        raise RuntimeError("leaf variable")

    assert named(always) is None


def test_a_dead_worker_is_no_evidence():
    seen = observe(FLAWED.variant(["no-root"]), *probes())
    dead = [Observation(o.test, o.probe, o.answer, Died("timeout", "slow"), o.comparison) for o in seen]
    assert diagnose(FLAWED, dead) is None


def test_writing_in_float32_does_not_hide_the_mistake():
    def outside(x, weight, eps=1e-6):
        wide = x.float()
        return (wide / (wide.square().mean(-1, keepdim=True).sqrt() + eps) * weight.float()).to(x.dtype)

    assert named(outside) == "toy.scale.eps-outside"


def test_a_misspelt_switch_or_name_is_the_authors_error():
    with pytest.raises(KeyError, match="no misconception"):
        FLAWED.variant(["eps-inside"])
    with pytest.raises(ValueError, match="declared twice"):
        Catalogue("toy").flawed(
            "f", Misconception("a", section="s", says="."), Misconception("a", section="s", says=".")
        )
