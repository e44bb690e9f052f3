"""Hidden suite of the lesson on the feed-forward half of a block: activations, two networks, a rule for their width.

Neighbouring activations differ by less than a thousandth, so formulas are tested in float64 where they lie furthest
apart (the two GELUs near 2.7) and where the function itself is small (below 0, where a rounded constant shows).
"""

import pytest
import torch
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, shape, value

PRECISIONS = pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
FAR_OUT = (-1e4, -5e3, -300.0, -89.0, -20.0, -1.5, 0.5, 20.0, 89.0, 300.0, 5e3, 1e4)


class Activation:
    """What holds for each of the three activations."""

    @public
    @value(3)
    def test_small_numbers(self, check: Check, draw: Draw) -> None:
        """Each number is mapped on its own, those below zero too."""
        check(draw.tidy(2, 5, low=-3.0, high=3.0))

    @public
    @value(1)
    def test_any_axes(self, check: Check, draw: Draw) -> None:
        """One number, a row, a batch of sequences."""
        check(draw.uniform(low=1.0, high=2.0))
        check(draw.normal(7, scale=2.0))
        check(draw.normal(2, 3, 4, scale=2.0))

    @value(2)
    def test_below_zero(self, check: Check, draw: Draw) -> None:
        """Where the result is small, a rounded constant shows."""
        check.within(kappa=2)(draw.uniform(6, 20, low=-3.2, high=-0.4))

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """The gradient takes the gate into account as well as its factor x."""
        check.gradient(draw.normal(4, 6, scale=2.0))

    @dtype(1)
    def test_up_to_ten_thousand(self, check: Check, draw: Draw) -> None:
        """Float32 numbers up to 1e4 in size, of either sign, give neither NaN nor infinity."""
        check((torch.tensor(FAR_OUT, dtype=torch.float64) * draw.uniform(3, 1, low=0.9)).float())

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of x."""
        check(draw.normal(3, 50, scale=2.0, dtype=precision))

    @public
    @law(1)
    def test_mirrored_halves_add_up(self, check: Check, draw: Draw) -> None:
        """f(x) - f(-x) = x, since the gates at x and -x add up to 1."""
        x = draw.normal(3, 9, scale=2.0)
        there, back = check.call(x), check.call(-x)
        sentence = "f(x) - f(-x) is not x; the gates at x and -x should add up to 1."
        check.expect(isinstance(there, Tensor) and isinstance(back, Tensor) and there.shape == back.shape, sentence)
        check.close(there - back, x, 1e-5, sentence)

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """No numbers in, no numbers out."""
        check(draw.normal(0, 3, 5))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x is the same after the call."""
        check.unchanged(draw.normal(3, 4))
        check.unchanged(draw.normal(3, 4, dtype=torch.float32))


@exercise("gelu")
class TestGelu(Activation):
    @value(2)
    def test_where_the_forms_part(self, check: Check, draw: Draw) -> None:
        """Near 2.7 and -2.7 the exact form and its tanh approximation lie furthest apart."""
        x = draw.uniform(8, low=2.4, high=3.0)
        check(torch.cat([x, -x]))


@exercise("gelu_tanh")
class TestGeluTanh(Activation):
    @value(2)
    def test_where_the_forms_part(self, check: Check, draw: Draw) -> None:
        """Near 2.7 and -2.7 the tanh form and the exact one lie furthest apart."""
        x = draw.uniform(8, low=2.4, high=3.0)
        check(torch.cat([x, -x]))


@exercise("silu")
class TestSilu(Activation):
    @value(1)
    def test_far_below_zero(self, check: Check, draw: Draw) -> None:
        """The tail below zero keeps its digits."""
        check(draw.uniform(3, 8, low=-12.0, high=-4.0))


def network(draw: Draw, width: int, hidden: int, precision: torch.dtype = torch.float64) -> dict[str, Tensor]:
    """Random weights of the two-layer network, with biases that matter, and a key of another layer."""
    weights = {
        "w_in": draw.normal(hidden, width, scale=width**-0.5),
        "b_in": draw.normal(hidden),
        "w_out": draw.normal(width, hidden, scale=hidden**-0.5),
        "b_out": draw.normal(width),
        "ln2.gamma": draw.normal(width),
    }
    return {name: weight.to(precision) for name, weight in weights.items()}


def gated(draw: Draw, width: int, hidden: int, precision: torch.dtype = torch.float64) -> dict[str, Tensor]:
    """Random weights of the gated network, and a key of another layer."""
    weights = {
        "w_gate": draw.normal(hidden, width, scale=width**-0.5),
        "w_up": draw.normal(hidden, width, scale=width**-0.5),
        "w_down": draw.normal(width, hidden, scale=hidden**-0.5),
        "norm2.weight": draw.normal(width),
    }
    return {name: weight.to(precision) for name, weight in weights.items()}


def expect_others_unmoved(check: Check, x: Tensor, weights: dict[str, Tensor]) -> None:
    """The law that a token's output depends on that token alone."""
    moved = x.clone()
    moved[:, 3] = 1.5 - 2 * moved[:, 3]
    before, after = check.call(x, weights), check.call(moved, weights)
    for outputs in (before, after):
        check.expect(isinstance(outputs, Tensor) and outputs.shape == x.shape, "The result must have the shape of x.")
    others = [t for t in range(x.shape[1]) if t != 3]
    sentence = "One token of the input was changed and the result of other tokens changed with it."
    check.close(before[:, others], after[:, others], 1e-5, sentence)
    check.expect(not torch.equal(before[:, 3], after[:, 3]), "A changed token leaves its own result as it was.")


@exercise("feed_forward")
class TestFeedForward:
    @public
    @value(3)
    def test_two_tokens(self, check: Check, draw: Draw) -> None:
        """Widen with bias, GELU in its tanh form, narrow with bias."""
        weights = {"w_in": draw.tidy(4, 3), "b_in": draw.tidy(4), "w_out": draw.tidy(3, 4), "b_out": draw.tidy(3)}
        check(draw.tidy(2, 3), weights)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Batches of sequences, with hidden values where the two forms of GELU part."""
        check(draw.normal(2, 5, 6, scale=2.5), network(draw, 6, 16))
        check(draw.normal(3, 2, 9), network(draw, 9, 5))

    @value(1)
    def test_equal_widths(self, check: Check, draw: Draw) -> None:
        """Weights are (out, in), also where both sizes are the same."""
        check(draw.normal(2, 3, 7), network(draw, 7, 7))

    @public
    @value(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One token alone, and inputs with four axes."""
        weights = network(draw, 6, 11)
        check(draw.normal(6), weights)
        check(draw.normal(2, 3, 4, 6), weights)

    @value(1)
    def test_token_of_zeros(self, check: Check, draw: Draw) -> None:
        """What is left of a token of zeros: the first bias goes through the activation, the second is added."""
        check(torch.zeros(2, 6, dtype=torch.float64), network(draw, 6, 11))

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach x, both matrices and both biases."""
        weights = network(draw, 6, 9)
        del weights["ln2.gamma"]
        check.gradient(draw.normal(2, 4, 6), weights)

    @public
    @law(1)
    def test_tokens_do_not_mix(self, check: Check, draw: Draw) -> None:
        """Changing one token changes the result of that token only."""
        expect_others_unmoved(check, draw.normal(2, 5, 6), network(draw, 6, 11))

    @law(1)
    def test_is_not_additive(self, check: Check, draw: Draw) -> None:
        """f(a + b) + f(0) differs from f(a) + f(b): there is an activation in between."""
        a, b, weights = draw.normal(3, 6, scale=2.0), draw.normal(3, 6, scale=2.0), network(draw, 6, 11)
        both, none, first, second = (check.call(x, weights) for x in (a + b, torch.zeros_like(a), a, b))
        tensors = all(isinstance(y, Tensor) and y.shape == a.shape for y in (both, none, first, second))
        check.expect(tensors, "The result must have the shape of x.")
        gap = (both + none - first - second).abs().max()
        check.expect(bool(gap > 1e-2), "Your network is additive: without an activation two matrices are one.")

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of x."""
        check(draw.normal(2, 5, 24, dtype=precision), network(draw, 24, 64, precision))

    @dtype(1)
    def test_large_hidden_values(self, check: Check, draw: Draw) -> None:
        """Float32 hidden values in the thousands."""
        check.within(kappa=4)(
            draw.normal(2, 4, 16, scale=2e3, dtype=torch.float32), network(draw, 16, 40, torch.float32)
        )

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch."""
        check(draw.normal(0, 4, 6), network(draw, 6, 11))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x and the weights are the same after the call."""
        check.unchanged(draw.normal(2, 4, 6), network(draw, 6, 11))


@exercise("swiglu")
class TestSwiglu:
    @public
    @value(3)
    def test_two_tokens(self, check: Check, draw: Draw) -> None:
        """The gate is activated, multiplied with the up projection, and the product projected down."""
        weights = {"w_gate": draw.tidy(4, 3), "w_up": draw.tidy(4, 3), "w_down": draw.tidy(3, 4)}
        check(draw.tidy(2, 3), weights)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Batches of sequences; wider and narrower hidden layers."""
        check(draw.normal(2, 5, 6, scale=2.0), gated(draw, 6, 16))
        check(draw.normal(3, 2, 9), gated(draw, 9, 5))

    @value(1)
    def test_equal_widths(self, check: Check, draw: Draw) -> None:
        """Weights are (out, in), also where both sizes are the same."""
        check(draw.normal(2, 3, 7), gated(draw, 7, 7))

    @public
    @value(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One token alone, and inputs with four axes."""
        weights = gated(draw, 6, 11)
        check(draw.normal(6), weights)
        check(draw.normal(2, 3, 4, 6), weights)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach x and all three matrices."""
        weights = gated(draw, 6, 9)
        del weights["norm2.weight"]
        check.gradient(draw.normal(2, 4, 6), weights)

    @public
    @law(1)
    def test_tokens_do_not_mix(self, check: Check, draw: Draw) -> None:
        """Changing one token changes the result of that token only."""
        expect_others_unmoved(check, draw.normal(2, 5, 6), gated(draw, 6, 11))

    @law(1)
    def test_up_path_is_linear(self, check: Check, draw: Draw) -> None:
        """Twice the up projection gives twice the result; twice the gate does not."""
        x, weights = draw.normal(3, 6), gated(draw, 6, 11)
        plain, up, gate = (
            check.call(x, weights | {name: factor * weights[name]})
            for name, factor in (("w_up", 1), ("w_up", 2), ("w_gate", 2))
        )
        tensors = all(isinstance(y, Tensor) and y.shape == x.shape for y in (plain, up, gate))
        check.expect(tensors, "The result must have the shape of x.")
        check.close(up, 2 * plain, 1e-4, "Twice the up projection does not give twice the result.")
        linear = bool((gate - 2 * plain).abs().max() < 1e-2)
        check.expect(not linear, "Twice the gate gives twice the result: the gate is not activated.")

    @law(1)
    def test_token_of_zeros(self, check: Check, draw: Draw) -> None:
        """Without biases a token of zeros stays one."""
        check.within(scale=1.0)(torch.zeros(2, 6, dtype=torch.float64), gated(draw, 6, 11))

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of x."""
        check(draw.normal(2, 5, 24, dtype=precision), gated(draw, 24, 64, precision))

    @dtype(1)
    def test_large_hidden_values(self, check: Check, draw: Draw) -> None:
        """Float32 hidden values in the thousands."""
        check.within(kappa=4)(draw.normal(2, 4, 16, scale=2e3, dtype=torch.float32), gated(draw, 16, 40, torch.float32))

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch."""
        check(draw.normal(0, 4, 6), gated(draw, 6, 11))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x and the weights are the same after the call."""
        check.unchanged(draw.normal(2, 4, 6), gated(draw, 6, 11))


@exercise("swiglu_hidden_width")
class TestSwigluHiddenWidth:
    @public
    @value(3)
    def test_four_thousand(self, check: Check) -> None:
        """LLaMA-7B: a model width of 4096 gives 11008."""
        check(4096)

    @value(2)
    def test_published_widths(self, check: Check) -> None:
        """The other published widths, and smaller ones, with the usual multiple of 256."""
        for d_model in (5120, 6656, 8192, 512, 768, 1600):
            check(d_model)

    @value(2)
    def test_other_multiples(self, check: Check, draw: Draw) -> None:
        """Other multiples, down to 1."""
        for d_model, multiple in ((500, 32), (500, 1), (100, 8), (13, 4), (770, 3)):
            check(d_model, multiple_of=multiple)
        check(int(draw.integers(20, 900, 1)), multiple_of=int(draw.integers(2, 40, 1)))

    @value(2)
    def test_two_thirds_are_truncated(self, check: Check) -> None:
        """A fraction just above a multiple is cut off before rounding up."""
        for d_model, multiple in ((49, 10), (25, 11), (97, 2), (385, 1), (289, 7)):
            check(d_model, multiple_of=multiple)

    @public
    @value(1)
    def test_already_a_multiple(self, check: Check) -> None:
        """Nothing is added to a width that is a multiple already."""
        check(96)
        check(384, multiple_of=1024)
        check(12, multiple_of=8)

    @value(1)
    def test_multiple_wider_than_the_model(self, check: Check) -> None:
        """The result is never 0."""
        check(3, multiple_of=256)
        check(1, multiple_of=1)
        check(5, multiple_of=64)
