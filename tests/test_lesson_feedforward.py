"""The lesson on the feed-forward network: its page prints and states what is so, its reference agrees with others."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from lesson_page import run, said_to_print
from torch import Tensor

from grader.places import lessons_folder
from reference.feedforward import feed_forward, gelu, gelu_tanh, silu, swiglu, swiglu_hidden_width

PAGE = (lessons_folder() / "feedforward" / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
Weights = dict[str, Tensor]

DTYPES = [(torch.float64, 1e-14), (torch.float32, 1e-6), (torch.bfloat16, 1e-2), (torch.float16, 2e-3)]
IN_EACH_DTYPE = pytest.mark.parametrize(
    ("dtype", "tolerance"), DTYPES, ids=["float64", "float32", "bfloat16", "float16"]
)
ACTIVATIONS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[float], float], Callable[[Tensor], Tensor]]] = {
    "gelu": (gelu, lambda x: x * math.erfc(-x / math.sqrt(2)) / 2, F.gelu),
    "gelu_tanh": (
        gelu_tanh,
        lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        lambda x: F.gelu(x, approximate="tanh"),
    ),
    "silu": (silu, lambda x: x / (1 + math.exp(-x)) if x > -700 else 0.0, F.silu),
}
EACH = pytest.mark.parametrize("name", ACTIVATIONS)
PUBLISHED = {4096: 11008, 5120: 13824, 6656: 17920, 8192: 22016}

GATED, PLAIN = 3 * 4096 * 11008, 8 * 4096**2
GPT2_BLOCK = 2 * 768 * 3072 + 3072 + 768
STATED = (
    f"{100 * 32 * GATED / 6_738_415_616:.1f} % of LLaMA-7B, {100 * 12 * GPT2_BLOCK / 124_439_808:.1f} % of GPT-2 small",
    f"{GATED:,} against $8 \\cdot 4096^2$ = {PLAIN:,}, {100 * (GATED / PLAIN - 1):.2f} % more",
    f"For $D = 4096$: {2 * 4 * 4096 / 3:.2f}, then {2 * 4 * 4096 // 3}, then {PUBLISHED[4096]}.",
    f"$D = 49$ and multiple 10: {8 * 49 / 3:.2f} is cut to {8 * 49 // 3}, which is a multiple already",
    "have $F$ = " + "{1}, {2} and {3}.".format(*PUBLISHED.values()),
    f"in 16 bits is {4096 * 11008 * 2:,} bytes, about {4096 * 11008 * 2 / 1e6:.0f} MB",
    f"$e^x$ overflows above {math.log(torch.finfo(torch.float32).max):.1f}",
    f"a third of $D$ before multiplying by 8 loses up to {max(8 * d // 3 - 8 * (d // 3) for d in range(1, 2000))}",
)
"""What the page states, with the numbers computed here."""


def normal(*shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0, seed: int = 0) -> Tensor:
    """Reproducible normal numbers, rounded to the dtype."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=generator, dtype=torch.float64) * scale).to(dtype)


def plain(width: int, hidden: int, dtype: torch.dtype = torch.float64) -> Weights:
    """Random weights of the two-layer network."""
    shapes = {"w_in": (hidden, width), "b_in": (hidden,), "w_out": (width, hidden), "b_out": (width,)}
    return {name: normal(*s, scale=s[-1] ** -0.5, dtype=dtype, seed=n) for n, (name, s) in enumerate(shapes.items(), 1)}


def gated(width: int, hidden: int, dtype: torch.dtype = torch.float64) -> Weights:
    """Random weights of the gated network."""
    shapes = {"w_gate": (hidden, width), "w_up": (hidden, width), "w_down": (width, hidden)}
    return {name: normal(*s, scale=s[-1] ** -0.5, dtype=dtype, seed=n) for n, (name, s) in enumerate(shapes.items(), 1)}


def each(f: Callable[[float], float], values: Any) -> Any:
    """A function of one number, applied to every one of an array, in float64."""
    return np.vectorize(f, otypes=[np.float64])(values)


def close(found: Tensor, expected: Any, tolerance: float) -> None:
    """Near enough for the largest value."""
    truth = torch.as_tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(found.double(), truth, rtol=0, atol=tolerance * float(truth.abs().max()))


class TestPage:
    def test_every_block_runs_in_order_and_prints_what_it_says(self) -> None:
        names: dict[str, Any] = {}
        for block in BLOCKS:
            printed = run(block, names)
            if said := said_to_print(block):
                assert printed == said
        assert len(BLOCKS) == 5

    @pytest.mark.parametrize("sentence", STATED)
    def test_the_numbers_in_the_prose_are_computed(self, sentence: str) -> None:
        assert sentence in PROSE

    def test_the_forms_of_gelu_part_where_it_is_said(self) -> None:
        x = torch.linspace(-6, 6, 240001, dtype=torch.float64)
        gaps = [(f - gelu(x)).abs() for f in (gelu_tanh(x), x * torch.sigmoid(1.702 * x))]
        largest = [(gap.max().item(), x[gap.argmax()].abs().item()) for gap in gaps]
        assert f"${1e4 * largest[0][0]:.1f} \\cdot 10^{{-4}}$, near $|x| = {largest[0][1]:.2f}$" in PROSE
        assert f"whose largest error is {largest[1][0]:.3f}, near $|x| = {largest[1][1]:.2f}$" in PROSE

    def test_minima_and_largest_slopes(self) -> None:
        x = torch.linspace(-6, 6, 240001, dtype=torch.float64, requires_grad=True)
        rows = {"minimum": "0", "largest slope": "1"}
        for f in (gelu, silu):
            y = f(x)
            (slope,) = torch.autograd.grad(y.sum(), x)
            rows["minimum"] += f" | {y.min().item():.3f} at {x[y.argmin()].item():.3f}"
            rows["largest slope"] += f" | {slope.max().item():.3f} at {x[slope.argmax()].item():.3f}"
        for name, cells in rows.items():
            assert f"| {name} | {cells} |" in PAGE

    def test_what_wrong_constants_cost(self) -> None:
        x = torch.linspace(-8, 8, 160001, dtype=torch.float64)
        root = math.sqrt(2 / math.pi)
        inners = (2 / math.pi * (x + 0.044715 * x**3), root * x + 0.044715 * x**3, root * (x + 0.0447 * x**3))
        costs = [float((x / 2 * (1 + inner.tanh()) - gelu_tanh(x)).abs().max()) for inner in inners]
        assert f"without the root the curve is off by up to {costs[0]:.3f}" in PROSE
        assert f"with the constant on $x$ only by up to {costs[1]:.3f}" in PROSE
        assert f"rounding it to 0.0447 costs ${1e6 * costs[2]:.0f} \\cdot 10^{{-6}}$" in PROSE

    def test_where_the_formats_give_out(self) -> None:
        tail = torch.linspace(-30, -5.5, 10001)
        assert (1 + torch.erf(tail / math.sqrt(2)) == 0).all()
        assert 0.9e-7 < gelu(tail.double()).abs().max() < 1.1e-7
        assert (gelu(tail[tail > -10]) != 0).all()
        cubes = torch.tensor([40.3, 40.4], dtype=torch.float16) ** 3
        assert cubes.isinf().tolist() == [False, True]
        assert "is infinite from $|x| = 40.4$ on, which tanh forgives" in PROSE
        assert "becomes $0 \\cdot \\infty$ once $3x^2$ overflows too, from 148" in PROSE
        large = torch.tensor([41, 100, 147, 148, 149], dtype=torch.float16, requires_grad=True)
        value = large / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (large + 0.044715 * large**3)))
        (slope,) = torch.autograd.grad(value.sum(), large)
        assert torch.equal(value, large)
        assert slope.isnan().tolist() == [False, False, False, True, True]
        assert (slope[:3] == 1).all()
        assert (torch.tensor(256.0, dtype=torch.float16) ** 2).isinf()

    def test_the_network_is_half_as_large_again_at_the_old_width(self) -> None:
        assert "the network would have half as many parameters again" in PROSE
        assert 1.5 * PLAIN == 3 * 4096 * 16384


class TestActivations:
    @EACH
    @IN_EACH_DTYPE
    def test_agree_with_the_mathematical_library(self, name: str, dtype: torch.dtype, tolerance: float) -> None:
        function, truth, _ = ACTIVATIONS[name]
        x = normal(4, 50, scale=2, dtype=dtype)
        found = function(x)
        assert found.dtype == dtype
        close(found, each(truth, x.double().numpy()), tolerance)

    @EACH
    def test_agree_with_torch_in_value_and_gradients(self, name: str) -> None:
        function, _, torchs = ACTIVATIONS[name]
        x = normal(4, 50, scale=3).requires_grad_()
        weigh = normal(4, 50, seed=2)
        close(function(x).detach(), torchs(x).detach(), 1e-14)
        slopes = [torch.autograd.grad((f(x) * weigh).sum(), x)[0] for f in (function, torchs)]
        close(slopes[0], slopes[1], 1e-14)

    @EACH
    def test_large_float32_numbers(self, name: str) -> None:
        function, truth, _ = ACTIVATIONS[name]
        x = torch.tensor([-1e4, -300, -89, -10, 10, 89, 300, 1e4], requires_grad=True)
        close(function(x).detach(), each(truth, x.detach().double().numpy()), 1e-7)
        (slope,) = torch.autograd.grad(function(x).sum(), x)
        close(slope, [0, 0, 0, slope[3].item(), slope[4].item(), 1, 1, 1], 1e-6)

    @EACH
    def test_gates_at_x_and_minus_x_add_up_to_one(self, name: str) -> None:
        function = ACTIVATIONS[name][0]
        x = normal(100, scale=3)
        close(function(x) - function(-x), x, 1e-14)

    @EACH
    def test_take_one_number_and_none(self, name: str) -> None:
        function = ACTIVATIONS[name][0]
        assert function(torch.tensor(0.0)).shape == ()
        assert function(normal(0, 3)).shape == (0, 3)

    def test_the_tail_of_gelu_keeps_its_digits(self) -> None:
        x = torch.linspace(-12, -6, 50)
        truth = torch.tensor([math.erfc(-v / math.sqrt(2)) * v / 2 for v in x.double().tolist()], dtype=torch.float64)
        torch.testing.assert_close(gelu(x).double(), truth, rtol=1e-4, atol=0)


class TestNetworks:
    @IN_EACH_DTYPE
    def test_feed_forward_agrees_with_numpy(self, dtype: torch.dtype, tolerance: float) -> None:
        x, weights = normal(2, 3, 6, scale=2, dtype=dtype), plain(6, 11, dtype)
        a, w = x.double().numpy(), {name: weight.double().numpy() for name, weight in weights.items()}
        hidden = each(ACTIVATIONS["gelu_tanh"][1], np.tensordot(a, w["w_in"], axes=([2], [1])) + w["b_in"])
        found = feed_forward(x, weights)
        assert found.dtype == dtype
        close(found, np.tensordot(hidden, w["w_out"], axes=([2], [1])) + w["b_out"], 3 * tolerance)

    @IN_EACH_DTYPE
    def test_swiglu_agrees_with_numpy(self, dtype: torch.dtype, tolerance: float) -> None:
        x, weights = normal(2, 3, 6, scale=2, dtype=dtype), gated(6, 11, dtype)
        a, w = x.double().numpy(), {name: weight.double().numpy() for name, weight in weights.items()}
        gate, up = (np.tensordot(a, w[name], axes=([2], [1])) for name in ("w_gate", "w_up"))
        found = swiglu(x, weights)
        assert found.dtype == dtype
        close(found, np.tensordot(each(ACTIVATIONS["silu"][1], gate) * up, w["w_down"], axes=([2], [1])), 3 * tolerance)

    def test_value_and_gradients_agree_with_torchs_modules(self) -> None:
        x, weights = normal(2, 3, 6), {name: w.requires_grad_() for name, w in plain(6, 11).items()}
        module = torch.nn.Sequential(torch.nn.Linear(6, 11), torch.nn.GELU("tanh"), torch.nn.Linear(11, 6)).double()
        keys = dict(zip(module.state_dict(), weights.values(), strict=True))
        module.load_state_dict({key: weight.detach() for key, weight in keys.items()})
        weigh = normal(2, 3, 6, seed=8)
        mine = torch.autograd.grad((feed_forward(x, weights) * weigh).sum(), list(weights.values()))
        theirs = torch.autograd.grad((module(x) * weigh).sum(), list(module.parameters()))
        for a, b in zip(mine, theirs, strict=True):
            close(a, b, 1e-13)

    def test_the_up_path_is_linear_and_the_gate_is_not(self) -> None:
        x, weights = normal(4, 6), gated(6, 11)
        doubled = [swiglu(x, weights | {name: 2 * weights[name]}) for name in ("w_up", "w_down", "w_gate")]
        for linear in doubled[:2]:
            close(linear, 2 * swiglu(x, weights), 1e-14)
        assert (doubled[2] - 2 * swiglu(x, weights)).abs().max() > 0.1

    def test_the_gated_network_is_quadratic_near_zero(self) -> None:
        x, weights = 1e-5 * normal(4, 6), gated(6, 11)
        quadratic = ((x @ weights["w_gate"].T) / 2 * (x @ weights["w_up"].T)) @ weights["w_down"].T
        close(swiglu(x, weights), quadratic, 1e-4)

    def test_any_leading_axes_and_none(self) -> None:
        x = normal(2, 3, 4, 6)
        for network, weights in ((feed_forward, plain(6, 11)), (swiglu, gated(6, 11))):
            whole = network(x, weights | {"of.another.layer": normal(3)})
            close(network(x[1, 2, 3], weights), whole[1, 2, 3], 1e-14)
            assert network(normal(0, 5, 6), weights).shape == (0, 5, 6)

    def test_no_argument_is_changed(self) -> None:
        x = normal(2, 3, 6)
        for network, weights in ((feed_forward, plain(6, 11)), (swiglu, gated(6, 11))):
            kept = [x.clone(), *(weight.clone() for weight in weights.values())]
            network(x, weights)
            gelu(x), gelu_tanh(x), silu(x)
            assert all(torch.equal(a, b) for a, b in zip(kept, [x, *weights.values()], strict=True))


class TestHiddenWidth:
    @pytest.mark.parametrize(("d_model", "expected"), PUBLISHED.items())
    def test_published_widths(self, d_model: int, expected: int) -> None:
        assert swiglu_hidden_width(d_model) == expected

    def test_agrees_with_the_published_lines(self) -> None:
        for d_model in [*range(1, 700), 4096, 12288]:
            for multiple in (1, 2, 3, 7, 10, 64, 256):
                width = int(2 * (4 * d_model) / 3)
                expected = multiple * ((width + multiple - 1) // multiple)
                assert swiglu_hidden_width(d_model, multiple_of=multiple) == expected
        assert type(swiglu_hidden_width(500)) is int

    def test_nearest_agrees_for_4096_and_not_for_5120(self) -> None:
        assert "rounding to the nearest multiple agrees for 4096 and not for 5120" in PROSE
        nearest = {d: round(8 * d // 3 / 256) * 256 == PUBLISHED[d] for d in (4096, 5120)}
        assert nearest == {4096: True, 5120: False}
