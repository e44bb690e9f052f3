"""How an answer is compared with the reference's: the order of checks, and the tolerance rule."""

import math
import warnings

import pytest
import torch
from torch import Tensor

from grader.judge.answer import answer
from grader.judge.check import Check, Examination, Failed
from grader.judge.comparison import compare
from grader.judge.probe import Closeness, Probe, run_here
from grader.judge.tolerance import line, unit_roundoff
from grader.sandbox.reply import Died, NotAValue, Raised, Returned


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    return x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps) * weight


X = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.1, -0.7]], dtype=torch.float64)
W = torch.tensor([0.5, 2.0, -1.0], dtype=torch.float64)


def verdict(function, *args, **options):
    probe = Probe(args or (X, W), {}, **options)
    expected = answer(rms_norm, probe)
    return compare(run_here(function, probe, expected.cotangent), expected, probe)


def kind(function, *args, **options):
    difference = verdict(function, *args, **options).difference
    return difference.kind if difference else None


def test_a_law_of_complex_numbers_fails_in_silence():
    check = Check(Examination(rms_norm, ask=lambda probe, answer: Returned(X)), "t", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Failed, match="Your result is complex; real numbers were expected"):
            check.close(X.to(torch.complex128), X, 1e-6, "They differ.")
        check.close(X, X, 1e-6, "They differ.")
        assert kind(lambda x, w: rms_norm(x, w).to(torch.complex128)) == "dtype"


def test_the_reference_agrees_with_itself_in_every_dtype():
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        assert kind(rms_norm, X.to(dtype), W.to(dtype)) is None


def test_a_float_inside_passes_in_float64_but_is_noticed():
    result = verdict(lambda x, w: rms_norm(x.float(), w.float()).double())
    assert result.difference is None
    assert result.fine > 1e4


def test_a_misplaced_eps_of_the_default_size_is_seen_in_float64_at_small_inputs():
    outside = lambda x, w, eps=1e-6: x / (x.square().mean(-1, keepdim=True).sqrt() + eps) * w  # noqa: E731
    assert kind(outside, X * 1e-3, W) == "value"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, w: 1 / 0, "raised"),
        (lambda x, w: None, "type"),
        (lambda x, w: [1.0], "type"),
        (lambda x, w: rms_norm(x, w)[0], "shape"),
        (lambda x, w: rms_norm(x, w).float(), "dtype"),
        (lambda x, w: rms_norm(x, w) / 0, "finiteness"),
        (lambda x, w: rms_norm(x, w) * 1.001, "value"),
    ],
)
def test_the_first_thing_that_differs_is_reported(function, expected):
    assert kind(function) == expected


def test_gradients_are_compared_only_when_the_value_is_right():
    detached = lambda x, w: rms_norm(x.detach(), w)  # noqa: E731
    cut_off = lambda x, w: rms_norm(x, w).detach()  # noqa: E731
    wrong = lambda x, w: x / x.detach().square().mean(-1, keepdim=True).add(1e-6).sqrt() * w  # noqa: E731
    options = {"aim": "gradient", "wrt": (0, 1)}
    assert kind(rms_norm, **options) is None
    assert kind(detached, **options) == "detached"
    assert kind(cut_off, **options) == "detached"
    assert kind(wrong, **options) == "gradient"
    assert kind(lambda x, w: wrong(x, w) * 2, **options) == "value"


def test_a_refusal_must_be_a_value_error():
    def picky(x, w):
        raise ValueError("no")

    probe = Probe((X, W), aim="raises")
    expected = answer(picky, probe)
    assert compare(run_here(picky, probe), expected, probe).difference is None
    assert compare(run_here(rms_norm, probe), expected, probe).difference.kind == "accepted"
    other = compare(run_here(lambda x, w: {}["k"], probe), expected, probe).difference
    assert other.kind == "wrong-exception"


def test_nan_is_right_only_where_the_answer_is_nan():
    def holey(x, w):
        return torch.where(x > 2, torch.nan, x)

    probe = Probe((X, W))
    expected = answer(holey, probe)
    assert compare(run_here(holey, probe), expected, probe).difference is None
    assert compare(run_here(lambda x, w: x * math.nan, probe), expected, probe).difference.kind == "finiteness"


def test_what_cannot_cross_and_what_died_are_told_apart_from_wrong_values():
    probe = Probe((X, W))
    expected = answer(rms_norm, probe)
    odd = compare(NotAValue("a numpy.ndarray"), expected, probe).difference
    assert odd.sentence == "Your function returned a numpy.ndarray; a tensor was expected."
    assert compare(Died("timeout", "It took longer than 2 s."), expected, probe).difference.kind == "died"
    assert compare(Raised("TypeError", "no"), expected, probe).difference.kind == "raised"


def test_a_list_may_stand_for_a_tuple_and_int32_for_int64_but_not_a_float_for_a_tensor():
    pair = lambda x, w: (x, torch.arange(3))  # noqa: E731
    probe = Probe((X, W))
    expected = answer(pair, probe)
    assert compare(Returned([X, torch.arange(3, dtype=torch.int32)]), expected, probe).difference is None
    assert compare(Returned((X,)), expected, probe).difference.kind == "type"
    scalar = answer(lambda x, w: x.sum(), probe)
    assert compare(Returned(float(X.sum())), scalar, probe).difference.kind == "type"


def test_exact_probes_allow_no_rounding():
    probe = Probe((X, W), closeness=Closeness(exact=True))
    expected = answer(lambda x, w: x.clone(), probe)
    assert compare(Returned(X.clone()), expected, probe).difference is None
    assert compare(Returned(X * (1 + 1e-15)), expected, probe).difference.kind == "value"


def test_the_pass_line_follows_the_rule():
    truth = torch.tensor([4.0, -2.0], dtype=torch.float64)
    single, double = unit_roundoff(torch.float32), unit_roundoff(torch.float64)
    plain = line(truth, None, torch.float64, Closeness())
    assert plain.passes == pytest.approx(32 * single * 4)
    assert plain.fine == pytest.approx(32 * double * 4)
    assert line(truth, None, torch.float32, Closeness(kappa=10)).passes == pytest.approx(320 * single * 4)
    assert line(truth, None, torch.bfloat16, Closeness()).passes == pytest.approx(0.03 * 4)
    assert line(truth, truth + 0.01, torch.float64, Closeness()).passes == pytest.approx(0.08)
    assert line(truth * 0, None, torch.float64, Closeness(scale=1.0)).passes == pytest.approx(32 * single)
    assert line(truth, None, torch.float64, Closeness(rtol=1e-5)).passes == pytest.approx(4e-5)


def test_an_infinite_answer_does_not_widen_the_line():
    truth = torch.tensor([1.0, math.inf, -math.inf], dtype=torch.float64)
    assert line(truth, truth, torch.float64, Closeness()).passes < 1e-5


def test_the_first_floating_argument_sets_the_dtype_of_a_question():
    angles = torch.ones(2, dtype=torch.float32)
    assert Probe((torch.arange(3), X, angles)).dtype == torch.float64
    assert Probe((X.bfloat16(), angles)).dtype == torch.bfloat16
    assert Probe((torch.arange(3),)).dtype is None
