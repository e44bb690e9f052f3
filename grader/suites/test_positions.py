"""Hidden suite of the lesson on positions: the sinusoidal table, rotary angles and rotations, slopes and biases.

Formulas are tested at small positions and another base than the default; the pass line of sines grows with the
position, as the rounding of a float32 angle does. Rotations get float32 angles, as the contract says, and float64
features.
"""

from typing import Any

import pytest
import torch
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, raises, shape, value

LAW = 1e-6
"""What cosines in float32 may cost a law on features of size 1."""


def up_to(last_position: int) -> float:
    """The condition factor of a sine whose float32 angle may be as large as this position."""
    return 1 + last_position / 2


def some_angles(draw: Draw, n_positions: int, n_pairs: int) -> Tensor:
    """float32 `(T, K/2)` between -3 and 3: no position in them repeats, no pair stands still."""
    return draw.uniform(n_positions, n_pairs, low=-3.0, high=3.0, dtype=torch.float32)


def exact_angles(positions: list[int]) -> Tensor:
    """float32 `(T, 3)`: frequencies 1, 1/4, 1/16, so that angles of any position here add up without rounding."""
    frequencies = torch.tensor([1.0, 0.25, 0.0625])
    return torch.tensor(positions, dtype=torch.float32)[:, None] * frequencies


def far_angles(n_positions: int, n_pairs: int) -> Tensor:
    """float32 `(T, K/2)` of positions up to 2047, where 16-bit numbers are whole units apart."""
    positions = torch.arange(2048 - n_positions, 2048, dtype=torch.float64)
    return (positions[:, None] * 0.83 ** torch.arange(n_pairs)).float()


def is_like(y: Any, x: Tensor) -> bool:
    """Whether a result can be compared with `x` element by element."""
    return isinstance(y, Tensor) and y.shape == x.shape


def scores(check: Check, q: Tensor, k: Tensor, q_position: int, k_position: int) -> Tensor:
    """Dot products `(n,)` of the turned rows of `q` and `k`, each row alone at its position."""
    turned_q = check.call(q[:, None], exact_angles([q_position]))
    turned_k = check.call(k[:, None], exact_angles([k_position]))
    shaped = is_like(turned_q, q[:, None]) and is_like(turned_k, k[:, None])
    check.expect(shaped, "The result must have the shape of x.")
    return torch.einsum("nto,nto->n", turned_q.double(), turned_k.double())


def expect_norms_kept(check: Check, draw: Draw) -> None:
    """The law that a rotation changes no length."""
    x = draw.uniform(4, 5, 6, low=-1.0)
    turned = check.call(x, some_angles(draw, 5, 3))
    check.expect(is_like(turned, x), "The result must have the shape of x.")
    check.close(turned.norm(dim=-1), x.norm(dim=-1), LAW, "A rotation must not change the length of a query or key.")


def expect_differences_only(check: Check, draw: Draw) -> None:
    """The law that a score depends on how far apart query and key are, and that it does depend on it."""
    q, k = draw.uniform(3, 6, low=-0.5, high=0.5), draw.uniform(3, 6, low=-0.5, high=0.5)
    near = scores(check, q, k, 5, 2)
    sentence = "Query and key were moved by the same number of positions, and their score changed."
    check.close(near, scores(check, q, k, 3, 0), LAW, sentence)
    check.close(near, scores(check, q, k, 40, 37), LAW, sentence)
    moved = bool((near - scores(check, q, k, 9, 2)).abs().max() > 1e-3)
    check.expect(moved, "The key was moved away from the query, and no score changed.")


def expect_angles_add(check: Check, draw: Draw) -> None:
    """The law that two turns are one turn by the sum, and that the opposite turn undoes it."""
    x, far, near = draw.uniform(2, 3, 6, low=-1.0), exact_angles([7, 2, 9]), exact_angles([1, 12, 3])
    once = check.call(x, far)
    check.expect(is_like(once, x), "The result must have the shape of x.")
    sentence = "Turning twice must equal turning once by the sum of the angles."
    check.close(check.call(once.double(), near), check.call(x, far + near), LAW, sentence)
    check.close(check.call(once.double(), -far), x, LAW, "Turning by the opposite angles must undo the rotation.")
    check.close(check.call(x, 0 * far), x, LAW, "Angles of 0 must change nothing.")


@exercise("sinusoidal_positions")
class TestSinusoidalPositions:
    @public
    @value(3)
    def test_three_positions(self, check: Check) -> None:
        """Sine and cosine of p / base^(2i/D) stand side by side, pair after pair."""
        check(3, 6, base=500.0)

    @value(2)
    def test_default_base(self, check: Check) -> None:
        """Without an argument the base is 10,000."""
        check(7, 10)

    @value(1)
    def test_other_sizes(self, check: Check, draw: Draw) -> None:
        """Other lengths, widths and bases."""
        check.within(up_to(9))(int(draw.integers(4, 10, 1)), 2 * int(draw.integers(2, 9, 1)), base=20.0)
        check.within(up_to(11))(12, 8, base=3.0)

    @value(1)
    def test_smallest_tables(self, check: Check) -> None:
        """One pair of columns turns by 1 radian a position, and one position is a row of 0, 1, 0, 1."""
        check(5, 2)
        check(1, 8, base=500.0)

    @value(1)
    def test_long_table(self, check: Check) -> None:
        """Positions up to 2047 are told apart: angles have float32 precision or better."""
        check.within(up_to(2047))(2048, 4, base=30.0)

    @public
    @dtype(1)
    def test_is_float32(self, check: Check) -> None:
        """The table is float32."""
        table = check.call(4, 6)
        check.expect(isinstance(table, Tensor) and table.dtype == torch.float32, "The table must be float32.")

    @public
    @law(1)
    def test_shifts_are_rotations(self, check: Check) -> None:
        """The dot product of two rows depends on their distance only."""
        table = check.call(12, 6, base=500.0)
        check.expect(isinstance(table, Tensor) and table.shape == (12, 6), "The table must have shape (T, D).")
        products = table.double() @ table.double().T
        sentence = "Rows that are equally far apart must have equal dot products, wherever they stand."
        check.close(products[:-5, :-5], products[5:, 5:], 2e-5, sentence)

    @public
    @raises(1)
    def test_odd_width(self, check: Check) -> None:
        """An odd width is refused."""
        check.raises(4, 7)
        check.raises(3, 1, base=500.0)


@exercise("rope_angles")
class TestRopeAngles:
    @public
    @value(3)
    def test_scattered_positions(self, check: Check) -> None:
        """The angle of pair i at position p is p * base^(-2i/K), whatever the order of the positions."""
        check(torch.tensor([7, 2, 9]), 6, base=500.0)

    @value(2)
    def test_default_base(self, check: Check) -> None:
        """Without an argument the base is 10,000."""
        check(torch.tensor([0, 1, 2, 3, 4]), 8)

    @value(1)
    def test_behind_a_cache(self, check: Check) -> None:
        """Positions need not start at 0, may repeat, and may be one alone."""
        check(torch.tensor([5, 6, 7, 8]), 10, base=500.0)
        check(torch.tensor([3, 3, 1, 0, 0]), 4, base=50.0)
        check(torch.tensor([6]), 12, base=500.0)

    @value(1)
    def test_other_sizes(self, check: Check, draw: Draw) -> None:
        """Other positions, widths and bases."""
        check(draw.integers(1, 30, 5), 2 * int(draw.integers(2, 9, 1)), base=20.0)
        check(draw.integers(1, 30, 3), 14, base=3.0)

    @value(1)
    def test_one_pair(self, check: Check) -> None:
        """A head of width 2 has one pair, whose angle is the position itself."""
        check(torch.tensor([4, 0, 11]), 2)

    @value(1)
    def test_far_positions(self, check: Check) -> None:
        """Positions up to 2047 are told apart: angles have float32 precision or better."""
        # The scale of the pass line is the largest angle, so it grows with the position by itself.
        check(torch.tensor([2047, 2046, 1283, 1025, 515, 257]), 6, base=500.0)

    @public
    @dtype(1)
    def test_is_float32(self, check: Check) -> None:
        """Angles are float32, though positions are integers."""
        angles = check.call(torch.tensor([1, 4]), 6)
        check.expect(isinstance(angles, Tensor) and angles.dtype == torch.float32, "Angles must be float32.")

    @public
    @law(1)
    def test_each_position_by_itself(self, check: Check) -> None:
        """The angles of a position do not depend on which others are asked for."""
        together, alone = check.call(torch.tensor([4, 11, 6]), 8), check.call(torch.tensor([11]), 8)
        shaped = isinstance(together, Tensor) and together.shape == (3, 4)
        check.expect(shaped, "Angles must have shape (T, K/2).")
        check.close(together[1:2], alone, 1e-5, "Position 11 has other angles when it is asked for alone.")

    @public
    @raises(1)
    def test_odd_width(self, check: Check) -> None:
        """An odd head width is refused."""
        check.raises(torch.tensor([0, 1, 2]), 7)
        check.raises(torch.tensor([3]), 1, base=500.0)

    @law(1)
    def test_leaves_positions_alone(self, check: Check) -> None:
        """Positions are the same after the call."""
        check.unchanged(torch.tensor([7, 2, 9]), 4)


class Rotation:
    """What both layouts must do; the two exercises differ in the expected numbers only."""

    @public
    @value(3)
    def test_two_positions(self, check: Check, draw: Draw) -> None:
        """Each pair of features is turned counter-clockwise by its angle and stays where it was."""
        check(draw.tidy(2, 4), torch.tensor([[0.5, 1.2], [2.0, 0.3]]))

    @value(2)
    def test_batch_and_heads(self, check: Check, draw: Draw) -> None:
        """All heads of all samples are turned alike, position by position."""
        check(draw.normal(2, 3, 5, 8), some_angles(draw, 5, 4))

    @public
    @value(1)
    def test_other_leading_axes(self, check: Check, draw: Draw) -> None:
        """Sizes that happen to be equal; no leading axis, one, three; one position alone; a single pair."""
        check(draw.normal(4, 4, 4, 4), some_angles(draw, 4, 2))
        check(draw.normal(5, 6), some_angles(draw, 5, 3))
        check(draw.normal(3, 4, 10), some_angles(draw, 4, 5))
        check(draw.normal(2, 3, 2, 4, 6), some_angles(draw, 4, 3))
        check(draw.normal(2, 3, 1, 6), some_angles(draw, 1, 3))
        check(draw.normal(3, 5, 2), some_angles(draw, 5, 1))

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """The gradient of x is turned back by the same angles."""
        check.gradient(draw.normal(2, 3, 4, 6), some_angles(draw, 4, 3), wrt=(0,))

    @value(1)
    def test_gradient_of_the_angles(self, check: Check, draw: Draw) -> None:
        """Gradients reach the angles too."""
        check.gradient(draw.normal(2, 3, 6), some_angles(draw, 3, 3), wrt=(1,))

    @dtype(1)
    def test_float32(self, check: Check, draw: Draw) -> None:
        """float32 features at positions up to 2047."""
        check(draw.normal(2, 4, 6, dtype=torch.float32), far_angles(4, 3))

    @dtype(2)
    @pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16], ids=["bfloat16", "float16"])
    def test_sixteen_bits(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """16-bit features at positions up to 2047: angles keep float32, and the result has the dtype of x."""
        check(draw.normal(2, 3, 24, 8, dtype=precision), far_angles(24, 4))

    @public
    @law(1)
    def test_norm_is_kept(self, check: Check, draw: Draw) -> None:
        """Queries and keys keep their length."""
        expect_norms_kept(check, draw)

    @law(1)
    def test_only_differences_count(self, check: Check, draw: Draw) -> None:
        """A score depends on how far apart query and key are, not on where they stand."""
        expect_differences_only(check, draw)

    @law(1)
    def test_angles_add(self, check: Check, draw: Draw) -> None:
        """Two turns are one by the sum of the angles, the opposite turn undoes it, angles of 0 change nothing."""
        expect_angles_add(check, draw)

    @public
    @raises(1)
    def test_other_width(self, check: Check, draw: Draw) -> None:
        """Angles for another head width are refused, also where they would broadcast."""
        check.raises(draw.normal(2, 3, 8), some_angles(draw, 3, 3))
        check.raises(draw.normal(2, 3, 8), some_angles(draw, 3, 1))
        check.raises(draw.normal(2, 3, 4), some_angles(draw, 3, 4))

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """A batch of no sequences stays one."""
        check(draw.normal(0, 3, 5, 6), some_angles(draw, 5, 3))
        check(draw.normal(2, 0, 5, 6), some_angles(draw, 5, 3))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x and the angles are the same after the call."""
        check.unchanged(draw.normal(2, 3, 4), some_angles(draw, 3, 2))
        check.unchanged(draw.normal(2, 3, 4, dtype=torch.float32), some_angles(draw, 3, 2))


@exercise("apply_rope")
class TestApplyRope(Rotation):
    """Neighbouring features are pairs."""


@exercise("apply_rope_half")
class TestApplyRopeHalf(Rotation):
    """Features half a head apart are pairs."""


@exercise("interleaved_to_half")
class TestInterleavedToHalf:
    @public
    @value(3)
    def test_two_heads_of_six(self, check: Check) -> None:
        """In each head the even rows come first, then the odd ones."""
        check.exact(torch.arange(24, dtype=torch.float64).reshape(12, 2), 2)

    @value(2)
    def test_random_weights(self, check: Check, draw: Draw) -> None:
        """Three heads of width 8, and two of width 10."""
        check.exact(draw.normal(24, 5), 3)
        check.exact(draw.normal(20, 7), 2)

    @value(1)
    def test_one_head(self, check: Check, draw: Draw) -> None:
        """A single head, as multi-query attention has for its keys."""
        check.exact(draw.normal(8, 3), 1)

    @value(1)
    def test_square_weight(self, check: Check, draw: Draw) -> None:
        """Rows are moved and columns are not, also where there are as many of each."""
        check.exact(draw.normal(24, 24), 4)

    @value(1)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients go back to the rows that they belong to."""
        check.gradient(draw.normal(12, 5), 2)

    @dtype(1)
    @pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """Weights keep their dtype and every bit."""
        check.exact(draw.normal(16, 3, dtype=precision), 2)

    @public
    @shape(1)
    def test_head_of_one_pair(self, check: Check, draw: Draw) -> None:
        """Heads of width 2 stay as they are: the two layouts are the same there."""
        check.exact(draw.normal(6, 4), 3)

    @public
    @law(1)
    def test_nothing_is_lost(self, check: Check) -> None:
        """Every row is still there, in the head that it came from."""
        weight = torch.arange(48, dtype=torch.float64).reshape(24, 2)
        moved = check.call(weight, 3)
        check.expect(is_like(moved, weight), "The result must have the shape of the weight.")
        for head in range(3):
            rows = slice(8 * head, 8 * head + 8)
            kept = torch.equal(moved[rows].double().sort(dim=0).values, weight[rows])
            check.expect(kept, "A head must keep its own rows, each of them once.")

    @public
    @raises(1)
    def test_indivisible_rows(self, check: Check, draw: Draw) -> None:
        """Rows that cannot be divided among the heads are refused."""
        check.raises(draw.normal(12, 5), 5)
        check.raises(draw.normal(8, 3), 3)

    @raises(1)
    def test_odd_head_width(self, check: Check, draw: Draw) -> None:
        """An odd head width is refused."""
        check.raises(draw.normal(12, 5), 4)
        check.raises(draw.normal(5, 3), 1)

    @law(1)
    def test_leaves_weight_alone(self, check: Check, draw: Draw) -> None:
        """The old weight is the same after the call."""
        check.unchanged(draw.normal(12, 4), 2)


@exercise("alibi_slopes")
class TestAlibiSlopes:
    @public
    @value(3)
    def test_six_heads(self, check: Check) -> None:
        """Four slopes as for four heads, then the 1st and the 3rd of those for eight."""
        check(6)

    @value(2)
    @pytest.mark.parametrize("n_heads", [2, 4, 8, 16])
    def test_powers_of_two(self, check: Check, n_heads: int) -> None:
        """Powers of two: a geometric sequence that starts at 2^(-8/H) and ends at 2^-8."""
        check(n_heads)

    @value(2)
    @pytest.mark.parametrize("n_heads", [3, 5, 7, 12])
    def test_other_numbers(self, check: Check, n_heads: int) -> None:
        """Other numbers of heads just above, between and just below powers of two."""
        check(n_heads)

    @value(1)
    def test_many_heads(self, check: Check) -> None:
        """Head counts of published models: 32, 40, 71, 112."""
        for n_heads in (32, 40, 71, 112):
            check(n_heads)

    @value(1)
    def test_one_head(self, check: Check) -> None:
        """A single head has the slope 2^-8."""
        check(1)

    @public
    @dtype(1)
    def test_is_float32(self, check: Check) -> None:
        """Slopes are a float32 tensor."""
        slopes = check.call(3)
        check.expect(isinstance(slopes, Tensor) and slopes.dtype == torch.float32, "Slopes must be a float32 tensor.")

    @public
    @law(1)
    def test_slopes_are_distinct_and_positive(self, check: Check) -> None:
        """No two heads share a slope; all lie between 2^-8 and 1."""
        for n_heads in (6, 12, 20):
            slopes = check.call(n_heads)
            check.expect(isinstance(slopes, Tensor) and slopes.shape == (n_heads,), "There must be one slope a head.")
            check.expect(len(set(slopes.tolist())) == n_heads, "Two heads have the same slope.")
            within = bool(((slopes > 0.999 * 2**-8) & (slopes < 1)).all())
            check.expect(within, "Slopes must be at least 2^-8 and below 1.")

    @public
    @raises(1)
    def test_no_heads(self, check: Check) -> None:
        """Less than one head is refused."""
        check.raises(0)
        check.raises(-4)


@exercise("alibi_bias")
class TestAlibiBias:
    @public
    @value(3)
    def test_two_heads_behind_a_cache(self, check: Check) -> None:
        """Two queries stand at the last two of four keys: minus slope times distance, and no look ahead."""
        check(2, 2, 4)

    @value(2)
    def test_square(self, check: Check) -> None:
        """Without a cache the diagonal is 0 and all above it is -inf."""
        check(4, 5, 5)

    @value(1)
    def test_six_heads(self, check: Check) -> None:
        """Six heads take the slopes of the rule for other numbers."""
        check(6, 3, 7)

    @value(1)
    def test_one_query(self, check: Check) -> None:
        """A single new query is biased by its distance to every cached key."""
        check(8, 1, 6)
        check(3, 1, 9)

    @value(1)
    def test_other_sizes(self, check: Check, draw: Draw) -> None:
        """Other numbers of heads, queries and keys."""
        n_queries = int(draw.integers(2, 7, 1))
        check(int(draw.integers(1, 9, 1)), n_queries, n_queries + int(draw.integers(1, 9, 1)))

    @value(1)
    def test_long_sequence(self, check: Check) -> None:
        """Distances up to 2047 are told apart."""
        check(2, 3, 2048)

    @public
    @dtype(1)
    def test_is_float32(self, check: Check) -> None:
        """The bias is float32."""
        bias = check.call(2, 3, 5)
        check.expect(isinstance(bias, Tensor) and bias.dtype == torch.float32, "The bias must be float32.")

    @public
    @law(1)
    def test_chunk_is_the_end_of_the_square(self, check: Check) -> None:
        """The rows of a chunk are the last rows of the bias of the whole sequence."""
        whole, chunk = check.call(3, 9, 9), check.call(3, 4, 9)
        shaped = isinstance(whole, Tensor) and whole.shape == (3, 9, 9) and is_like(chunk, whole[:, -4:])
        check.expect(shaped, "The bias must have shape (H, Tq, Tk).")
        sentence = "Your bias for 4 queries and 9 keys must be the last four rows of your bias for 9 queries and keys."
        check.close(whole[:, -4:].exp(), chunk.exp(), LAW, sentence)

    @public
    @raises(2)
    def test_more_queries_than_keys(self, check: Check) -> None:
        """More queries than keys are refused."""
        check.raises(4, 7, 3)
        check.raises(1, 2, 1)
