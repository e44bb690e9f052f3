"""Hidden suite of the lesson on normalization.

Formulas are tested in float64 at small widths, where a biased and an unbiased variance lie far apart, with random gains
and an eps that cannot be overlooked. 16-bit and float32 inputs test range, precision and dtype only.
"""

from typing import Any

import torch
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, shape, value


def tokens_of_unlike_size(draw: Draw, *leading: int, width: int) -> Tensor:
    """Activations `(*leading, width)` around 3 in which every token has a scale of its own."""
    return draw.normal(*leading, width) * draw.uniform(*leading, 1, low=0.5, high=4.0) + 3


def one_row_constant(draw: Draw, level: float) -> Tensor:
    """`(2, 8)`: an ordinary row and one that is `level` everywhere, a power of two so that any mean of it is exact."""
    return torch.cat([draw.normal(1, 8), torch.full((1, 8), level, dtype=torch.float64)])


def row_far_from_zero(draw: Draw) -> Tensor:
    """float16 `(3, 512)` at 8192 or one step of 8 above: the mean is some 10,000 times the spread, exactly summed."""
    return (8192 + 8 * draw.bool(3, 512, p=0.01).double()).to(torch.float16)


def nudged_at(x: Tensor, token: int) -> Tensor:
    """`x` with one feature of one token moved."""
    moved = x.clone()
    moved[:, token, 0] += 2
    return moved


def expect_others_unmoved(check: Check, before: Any, after: Any, like: Tensor, token: int) -> None:
    """The law that a token's output depends on that token alone."""
    shaped = all(isinstance(y, Tensor) and y.shape == like.shape for y in (before, after))
    check.expect(shaped, "The result must have the shape of x.")
    others = [t for t in range(like.shape[1]) if t != token]
    sentence = "One token of the input was changed and the result of other tokens changed with it."
    check.close(before[:, others], after[:, others], 1e-5, sentence)


@exercise("layer_norm")
class TestLayerNorm:
    @public
    @value(3)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """Each row is centred, divided by the root of its biased variance plus eps, then scaled and shifted."""
        check(draw.tidy(2, 4), draw.tidy(4), draw.tidy(4), eps=0.1)

    @value(2)
    def test_tokens_of_unlike_size(self, check: Check, draw: Draw) -> None:
        """In a batch of sequences every token is normalized by its own statistics."""
        check(tokens_of_unlike_size(draw, 3, 5, width=8), draw.normal(8), draw.normal(8))

    @value(1)
    def test_default_eps(self, check: Check, draw: Draw) -> None:
        """Without an argument eps is 1e-5, which decides how large rows of size 0.001 come out."""
        check(draw.normal(3, 8, scale=1e-3), draw.normal(8), draw.normal(8))

    @public
    @value(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One row alone, sequences of one token, and inputs with four axes work alike."""
        gamma, beta = draw.normal(6), draw.normal(6)
        check(draw.normal(6, shift=3), gamma, beta, eps=0.3)
        check(draw.normal(3, 1, 6, shift=3), gamma, beta, eps=0.3)
        check(tokens_of_unlike_size(draw, 2, 3, 4, width=6), gamma, beta, eps=0.3)

    @value(1)
    def test_constant_row(self, check: Check, draw: Draw) -> None:
        """A row of equal numbers comes out as beta, with finite gradients."""
        check.finite_gradient(one_row_constant(draw, 2.0), draw.normal(8), draw.normal(8))

    @value(2)
    def test_gradients(self, check: Check, draw: Draw) -> None:
        """Gradients for x (through mean and variance), gamma and beta are right."""
        check.gradient(draw.normal(2, 3, 5, shift=1), draw.normal(5), draw.normal(5), eps=0.1)

    @dtype(1)
    def test_float16_range(self, check: Check, draw: Draw) -> None:
        """float16 rows with values up to 10,000 neither overflow nor change dtype."""
        x = draw.uniform(3, 64, low=2e3, high=1e4, dtype=torch.float16)
        check(x, draw.normal(64, dtype=torch.float16), draw.normal(64, dtype=torch.float16))

    @dtype(1)
    def test_bfloat16_statistics(self, check: Check, draw: Draw) -> None:
        """bfloat16 rows are measured more finely than bfloat16 can count, and the result is bfloat16 again."""
        # The mean lies half way between two bfloat16 numbers; the spread is no more than one and a half of their steps.
        x = draw.normal(2, 2048, scale=0.1, shift=10.03, dtype=torch.bfloat16)
        check(x, draw.normal(2048, dtype=torch.bfloat16), draw.normal(2048, dtype=torch.bfloat16))

    @dtype(1)
    def test_mean_far_above_spread(self, check: Check, draw: Draw) -> None:
        """Rows with a mean 10,000 times their spread keep their digits."""
        x = draw.normal(5, 64, shift=1e4, dtype=torch.float32)
        check.within(kappa=1e4)(x, draw.normal(64, dtype=torch.float32), draw.normal(64, dtype=torch.float32))
        check(row_far_from_zero(draw), draw.normal(512, dtype=torch.float16), draw.normal(512, dtype=torch.float16))

    @public
    @law(1)
    def test_tokens_do_not_mix(self, check: Check, draw: Draw) -> None:
        """Changing one token changes the result of that token only."""
        x, gamma, beta = draw.normal(2, 5, 8), draw.normal(8), draw.normal(8)
        moved = check.call(nudged_at(x, 3), gamma, beta)
        expect_others_unmoved(check, check.call(x, gamma, beta), moved, x, 3)

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """A batch of no sequences gives a result of the same empty shape."""
        check(draw.normal(0, 4, 6), draw.normal(6), draw.normal(6))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x, gamma and beta are the same after the call."""
        check.unchanged(draw.normal(2, 3, 5, shift=1), draw.normal(5), draw.normal(5))
        check.unchanged(draw.normal(3, 5, dtype=torch.float32), *draw.normal(2, 5, dtype=torch.float32))


@exercise("rms_norm")
class TestRmsNorm:
    @public
    @value(3)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """Each row is divided by the root of its mean square plus eps, then scaled; no mean is removed."""
        check(draw.tidy(2, 4), draw.tidy(4), eps=0.1)

    @value(2)
    def test_tokens_of_unlike_size(self, check: Check, draw: Draw) -> None:
        """In a batch of sequences every token is divided by its own root mean square."""
        check(tokens_of_unlike_size(draw, 3, 5, width=8), draw.normal(8))

    @value(1)
    def test_default_eps(self, check: Check, draw: Draw) -> None:
        """Without an argument eps is 1e-6, which decides how large rows of size 0.001 come out."""
        check(draw.normal(3, 8, scale=1e-3), draw.normal(8))

    @public
    @value(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One row alone, sequences of one token, and inputs with four axes work alike."""
        weight = draw.normal(6)
        check(draw.normal(6, shift=3), weight, eps=0.3)
        check(draw.normal(3, 1, 6, shift=3), weight, eps=0.3)
        check(tokens_of_unlike_size(draw, 2, 3, 4, width=6), weight, eps=0.3)

    @value(1)
    def test_row_of_zeros(self, check: Check, draw: Draw) -> None:
        """A row of zeros stays zero, with finite gradients."""
        check.finite_gradient(one_row_constant(draw, 0.0), draw.normal(8))

    @value(2)
    def test_gradients(self, check: Check, draw: Draw) -> None:
        """Gradients for x (through the root mean square) and weight are right."""
        check.gradient(draw.normal(2, 3, 5, shift=1), draw.normal(5), eps=0.1)

    @dtype(1)
    def test_float16_range(self, check: Check, draw: Draw) -> None:
        """float16 rows of 300 and up to 10,000 neither overflow when squared nor change dtype, nor do float32 rows."""
        weight = draw.normal(64, dtype=torch.float16)
        check(torch.full((1, 64), 300.0, dtype=torch.float16), weight)
        check(draw.uniform(3, 64, low=-1e4, high=1e4, dtype=torch.float16), weight)
        check(draw.uniform(3, 64, low=-1e4, high=1e4, dtype=torch.float32), weight.float())

    @dtype(1)
    def test_bfloat16_statistics(self, check: Check, draw: Draw) -> None:
        """The squares of long bfloat16 rows are summed more finely than bfloat16 can count; the result is bfloat16."""
        check(draw.normal(2, 2048, scale=40, dtype=torch.bfloat16), draw.normal(2048, dtype=torch.bfloat16))

    @public
    @law(1)
    def test_tokens_do_not_mix(self, check: Check, draw: Draw) -> None:
        """Changing one token changes the result of that token only."""
        x, weight = draw.normal(2, 5, 8), draw.normal(8)
        expect_others_unmoved(check, check.call(x, weight), check.call(nudged_at(x, 3), weight), x, 3)

    @law(1)
    def test_scale_cancels_offset_does_not(self, check: Check, draw: Draw) -> None:
        """A common factor of a row cancels up to eps; a common offset does not."""
        x, weight = draw.normal(4, 16, scale=3), draw.uniform(16, low=0.5, high=1.5)
        plain = check.call(x, weight)
        check.close(check.call(5 * x, weight), plain, 1e-4, "Five times the input must give the same result.")
        shifted = check.call(x + 9, weight)
        alike = isinstance(shifted, Tensor) and shifted.shape == plain.shape
        moved = alike and bool((shifted - plain).abs().max() > 0.1)
        check.expect(moved, "An offset added to every feature must show in the result: RMSNorm removes no mean.")

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """A batch of no sequences gives a result of the same empty shape."""
        check(draw.normal(0, 4, 6), draw.normal(6))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x and weight are the same after the call."""
        check.unchanged(draw.normal(2, 3, 5, shift=1), draw.normal(5))
        check.unchanged(draw.normal(3, 5, dtype=torch.float32), draw.normal(5, dtype=torch.float32))


@exercise("standardize")
class TestStandardize:
    @public
    @value(3)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """Each row is centred and divided by the root of its biased variance plus eps."""
        check(draw.tidy(2, 4), eps=0.1)

    @value(2)
    def test_tokens_of_unlike_size(self, check: Check, draw: Draw) -> None:
        """In a batch of sequences every token is standardised by its own statistics."""
        check(tokens_of_unlike_size(draw, 3, 5, width=8))

    @value(1)
    def test_default_eps(self, check: Check, draw: Draw) -> None:
        """Without an argument eps is 1e-5, which decides how large rows of size 0.001 come out."""
        check(draw.normal(3, 8, scale=1e-3))

    @public
    @value(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One row alone, sequences of one token, and inputs with four axes work alike."""
        check(draw.normal(6, shift=3), eps=0.3)
        check(draw.normal(3, 1, 6, shift=3), eps=0.3)
        check(tokens_of_unlike_size(draw, 2, 3, 4, width=6), eps=0.3)

    @value(1)
    def test_constant_row(self, check: Check, draw: Draw) -> None:
        """A row of equal numbers comes out as zeros, with finite gradients."""
        check.finite_gradient(one_row_constant(draw, 2.0))

    @value(2)
    def test_gradients(self, check: Check, draw: Draw) -> None:
        """Gradients for x go through mean and variance."""
        check.gradient(draw.normal(2, 3, 5, shift=1), eps=0.1)

    @dtype(1)
    def test_float16_range(self, check: Check, draw: Draw) -> None:
        """float16 rows with values up to 10,000 neither overflow nor change dtype."""
        check(draw.uniform(3, 64, low=2e3, high=1e4, dtype=torch.float16))

    @dtype(1)
    def test_bfloat16_statistics(self, check: Check, draw: Draw) -> None:
        """bfloat16 rows are measured more finely than bfloat16 can count, and the result is bfloat16 again."""
        check(draw.normal(2, 2048, scale=0.1, shift=10.03, dtype=torch.bfloat16))

    @dtype(1)
    def test_mean_far_above_spread(self, check: Check, draw: Draw) -> None:
        """Rows with a mean 10,000 times their spread keep their digits."""
        check.within(kappa=1e4)(draw.normal(5, 64, shift=1e4, dtype=torch.float32))
        check(row_far_from_zero(draw))

    @public
    @law(1)
    def test_scale_cancels(self, check: Check, draw: Draw) -> None:
        """standardize(5 * x) equals standardize(x) up to eps."""
        x = draw.normal(4, 16, scale=4, shift=2)
        check.close(check.call(5 * x), check.call(x), 1e-4, "Five times the input must give the same result.")

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """A batch of no sequences gives a result of the same empty shape."""
        check(draw.normal(0, 4, 6))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x is the same after the call."""
        check.unchanged(draw.normal(2, 3, 5, shift=1))
        check.unchanged(draw.normal(3, 5, dtype=torch.float32))
