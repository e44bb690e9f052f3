"""Hidden suite of the lesson on heads: splitting, merging, repeating, multi-head and grouped-query attention.

The first three functions only move numbers, so they are compared bit by bit, on counted and shuffled values. Batch,
heads, time and head width differ in every test where a slip of axes could hide behind equal sizes.
"""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, raises, shape, value

PRECISIONS = pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
HEADS = {"wq": 0, "wk": 0, "wv": 0, "wo": 1}
"""The axis of each projection along which the heads lie."""


def counted(*sizes: int) -> Tensor:
    """0, 1, 2, ... in reading order, so that a person sees where each number went."""
    return torch.arange(torch.Size(sizes).numel(), dtype=torch.float64).reshape(sizes)


def shuffled(draw: Draw, *sizes: int) -> Tensor:
    """The same numbers in random order."""
    return draw.permutation(torch.Size(sizes).numel()).double().reshape(sizes)


def projections(
    draw: Draw, width: int, kv_width: int | None = None, biases: str = "", precision: torch.dtype = torch.float64
) -> dict[str, Tensor]:
    """Random `wq, wk, wv, wo` that keep scores in the ones and twos, and the biases that are named by a letter each."""
    outputs = {"q": width, "k": kv_width or width, "v": kv_width or width, "o": width}
    weights = {f"w{n}": draw.normal(size, width, scale=1.4 * width**-0.5) for n, size in outputs.items()}
    weights.update({f"b{n}": draw.normal(outputs[n]) for n in biases})
    return {name: weight.to(precision) for name, weight in weights.items()}


def tidy_projections(draw: Draw, width: int, kv_width: int | None = None) -> dict[str, Tensor]:
    """Small projections with one decimal, without biases."""
    rows = {"wq": width, "wk": kv_width or width, "wv": kv_width or width, "wo": width}
    return {name: draw.tidy(n, width, low=-1.0, high=1.0) for name, n in rows.items()}


def every_row_sees_some(draw: Draw, *sizes: int) -> Tensor:
    """A random mask in which every query sees two keys or more, one after it where there is one, and misses one."""
    mask, n_keys = draw.bool(*sizes), sizes[-1]
    first = draw.integers(0, n_keys, *sizes[:-1])[..., None]
    for step, seen in enumerate((True, False, True)):
        mask.scatter_(-1, (first + step) % n_keys, seen)
    return mask


def paths(names: Sequence[str]) -> tuple[int | tuple[int, str], ...]:
    """Gradient paths of x and of these weights. `bk` is never among them: its true gradient is zero up to rounding."""
    return (0, *((1, name) for name in names))


def heads_reordered(weights: dict[str, Tensor], order: Tensor) -> dict[str, Tensor]:
    """The same projections with whole heads in another order."""
    moved = {}
    for name, axis in HEADS.items():
        blocks = weights[name].chunk(len(order), dim=axis)
        moved[name] = torch.cat([blocks[h] for h in order.tolist()], dim=axis)
    return moved


def changed_from(x: Tensor, position: int) -> Tensor:
    """`x` with another hidden state at one position."""
    moved = x.clone()
    moved[:, position] = 1.5 - 2 * moved[:, position]
    return moved


def expect_causal(check: Check, before: object, after: object, x: Tensor, position: int) -> None:
    """The law that a changed position alters itself and nothing before it."""
    for outputs in (before, after):
        check.expect(isinstance(outputs, Tensor) and outputs.shape == x.shape, "The result must have the shape of x.")
    assert isinstance(before, Tensor)
    assert isinstance(after, Tensor)
    sentence = "Without a mask, a changed position alters outputs that come before it."
    check.close(before[:, :position], after[:, :position], 1e-6, sentence)
    same = torch.equal(before[:, position], after[:, position])
    check.expect(not same, "A changed position leaves its own output as it was.")


@exercise("split_heads")
class TestSplitHeads:
    @public
    @value(3)
    def test_two_tokens_three_heads(self, check: Check) -> None:
        """Each head gets its own stretch of neighbouring features of every token."""
        check.exact(counted(1, 2, 6), 3)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Batch, heads, time and width each stay what they are."""
        check.exact(shuffled(draw, 2, 5, 12), 4)
        check.exact(shuffled(draw, 3, 4, 10), 2)

    @value(1)
    def test_equal_sizes(self, check: Check, draw: Draw) -> None:
        """Axes keep their order also where every size is the same."""
        check.exact(shuffled(draw, 3, 3, 9), 3)

    @value(1)
    def test_one_head_and_one_feature(self, check: Check, draw: Draw) -> None:
        """A single head is as wide as the model; as many heads as features are one wide."""
        check.exact(shuffled(draw, 2, 3, 5), 1)
        check.exact(shuffled(draw, 2, 4, 6), 6)

    @value(1)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Every feature gets the gradient of the place it went to."""
        check.gradient(draw.normal(2, 3, 8), 2)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """Numbers are moved, not converted."""
        check.exact(draw.normal(2, 5, 6, dtype=precision), 3)

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch of heads."""
        check.exact(draw.normal(0, 5, 6), 3)

    @public
    @raises(1)
    def test_width_not_divisible(self, check: Check, draw: Draw) -> None:
        """A width that cannot be cut into equal heads is refused."""
        check.raises(draw.normal(2, 4, 10), 3)
        check.raises(draw.normal(1, 2, 3), 5)

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x is the same after the call."""
        check.unchanged(draw.normal(2, 3, 8), 4)


@exercise("merge_heads")
class TestMergeHeads:
    @public
    @value(3)
    def test_three_heads_two_tokens(self, check: Check) -> None:
        """The heads of each token stand side by side again, head 0 first."""
        check.exact(counted(1, 3, 2, 2))

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Batch, heads, time and width each go back where they came from."""
        check.exact(shuffled(draw, 2, 4, 5, 3))
        check.exact(shuffled(draw, 3, 2, 4, 5))

    @value(1)
    def test_equal_sizes(self, check: Check, draw: Draw) -> None:
        """Axes keep their order also where every size is the same."""
        check.exact(shuffled(draw, 3, 3, 3, 3))

    @value(1)
    def test_one_head_and_one_feature(self, check: Check, draw: Draw) -> None:
        """A single head is the whole width; heads of one feature stand side by side."""
        check.exact(shuffled(draw, 2, 1, 5, 3))
        check.exact(shuffled(draw, 2, 6, 4, 1))

    @value(1)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Every number gets the gradient of the place it went to."""
        check.gradient(draw.normal(2, 3, 4, 5))

    @law(1)
    def test_undoes_the_split(self, check: Check, draw: Draw) -> None:
        """What was cut into four heads comes back as it was."""
        whole = shuffled(draw, 2, 5, 12)
        merged = check.call(torch.stack(whole.chunk(4, dim=-1), dim=1))
        check.expect(isinstance(merged, Tensor), "A tensor was expected.")
        check.expect(torch.equal(merged, whole), "Splitting four heads and merging them does not give x back.")

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """Numbers are moved, not converted."""
        check.exact(draw.normal(2, 3, 5, 4, dtype=precision))

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch of tokens."""
        check.exact(draw.normal(0, 3, 5, 2))

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x is the same after the call."""
        check.unchanged(draw.normal(2, 3, 4, 5))


@exercise("repeat_kv")
class TestRepeatKv:
    @public
    @value(3)
    def test_two_heads_three_times(self, check: Check) -> None:
        """The copies of a head are neighbours: 0, 0, 0, 1, 1, 1."""
        check.exact(counted(1, 2, 2, 2), 3)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Heads are repeated, and neither samples nor positions."""
        check.exact(shuffled(draw, 2, 3, 5, 4), 2)
        check.exact(shuffled(draw, 3, 2, 4, 5), 4)

    @value(1)
    def test_one_head(self, check: Check, draw: Draw) -> None:
        """One head serves all query heads."""
        check.exact(shuffled(draw, 2, 1, 5, 3), 4)

    @value(1)
    def test_once_and_equal_sizes(self, check: Check, draw: Draw) -> None:
        """Repeating once changes nothing; equal sizes confuse no axes."""
        check.exact(shuffled(draw, 2, 3, 4, 5), 1)
        check.exact(shuffled(draw, 3, 3, 3, 3), 3)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """The gradients of all copies of a head add up."""
        check.gradient(draw.normal(2, 2, 3, 4), 3)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """Numbers are copied, not converted."""
        check.exact(draw.normal(2, 3, 5, 4, dtype=precision), 2)

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch of repeated heads."""
        check.exact(draw.normal(0, 2, 5, 3), 3)

    @public
    @raises(1)
    def test_less_than_once(self, check: Check, draw: Draw) -> None:
        """Fewer than one repeat is refused."""
        check.raises(draw.normal(1, 2, 3, 4), 0)
        check.raises(draw.normal(1, 2, 3, 4), -1)

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x is the same after the call."""
        check.unchanged(draw.normal(2, 3, 4, 5), 2)


@exercise("multi_head_attention")
class TestMultiHeadAttention:
    @public
    @value(3)
    def test_three_tokens_two_heads(self, check: Check, draw: Draw) -> None:
        """Project, split, attend causally in each head, merge, project again; no biases."""
        check(draw.tidy(1, 3, 4), tidy_projections(draw, 4), 2)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """More samples, tokens and heads; a single head; heads of one feature."""
        check(draw.normal(3, 5, 12), projections(draw, 12), 4)
        check(draw.normal(2, 7, 5), projections(draw, 5), 1)
        check(draw.normal(2, 4, 6), projections(draw, 6), 6)

    @value(1)
    def test_all_biases(self, check: Check, draw: Draw) -> None:
        """All four biases are added."""
        check(draw.normal(2, 5, 6), projections(draw, 6, biases="qkvo"), 3)

    @value(1)
    def test_some_biases(self, check: Check, draw: Draw) -> None:
        """Each bias may be there while others are absent; keys of other layers may be there too."""
        for biases in ("q", "k", "v", "o", "qkv"):
            weights = projections(draw, 6, biases=biases) | {"ln1.gamma": draw.normal(6)}
            check(draw.normal(2, 4, 6), weights, 2)

    @value(2)
    def test_given_masks(self, check: Check, draw: Draw) -> None:
        """A given mask takes the place of the causal one: for each sample, for all, for each head, for keys."""
        x, weights = draw.normal(2, 5, 12), projections(draw, 12, biases="vo")
        for sizes in ((2, 1, 5, 5), (5, 5), (3, 5, 5), (2, 3, 5, 5), (2, 1, 1, 5)):
            check(x, weights, 3, mask=every_row_sees_some(draw, *sizes))
        check(x, weights, 3, mask=torch.ones(5, 5, dtype=torch.bool))

    @value(1)
    def test_query_that_sees_nothing(self, check: Check, draw: Draw) -> None:
        """A query that may attend to nothing has context 0, and only the output bias is left."""
        mask = every_row_sees_some(draw, 2, 1, 4, 4)
        mask[0, 0, 1] = mask[1, 0, 3] = False
        check(draw.normal(2, 4, 6), projections(draw, 6, biases="qkvo"), 2, mask=mask)

    @law(1)
    def test_empty_row_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients stay finite when a query may attend to nothing."""
        mask = every_row_sees_some(draw, 2, 1, 4, 4)
        mask[0, 0, 2] = False
        weights = projections(draw, 6)
        check.finite_gradient(draw.normal(2, 4, 6), weights, 2, wrt=paths(list(weights)), mask=mask)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach x, every projection and the biases."""
        weights = projections(draw, 6, biases="qvo")
        check.gradient(draw.normal(2, 4, 6), weights, 3, wrt=paths(list(weights)))

    @public
    @law(1)
    def test_causal_without_a_mask(self, check: Check, draw: Draw) -> None:
        """Changing one position changes no output before it."""
        x, weights = draw.normal(2, 6, 8), projections(draw, 8)
        before, after = check.call(x, weights, 4), check.call(changed_from(x, 3), weights, 4)
        expect_causal(check, before, after, x, 3)

    @law(1)
    def test_order_of_heads_is_free(self, check: Check, draw: Draw) -> None:
        """Whole heads in another order, in all four projections, give the same result."""
        x, weights = draw.normal(2, 5, 8), projections(draw, 8)
        reordered = heads_reordered(weights, torch.tensor([2, 0, 3, 1]))
        before, after = check.call(x, weights, 4), check.call(x, reordered, 4)
        check.close(before, after, 1e-5, "The same heads in another order give another result.")

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of x."""
        weights = projections(draw, 24, biases="qkvo", precision=precision)
        check(draw.normal(2, 9, 24, dtype=precision), weights, 3)

    @dtype(1)
    def test_large_scores(self, check: Check, draw: Draw) -> None:
        """Float32 scores in the hundreds."""
        weights = projections(draw, 16, precision=torch.float32)
        check.within(kappa=300)(draw.normal(2, 6, 16, scale=9.0, dtype=torch.float32), weights, 2)

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch; one token attends to itself."""
        check(draw.normal(0, 4, 6), projections(draw, 6), 2)
        check(draw.normal(2, 1, 6), projections(draw, 6), 2)

    @public
    @raises(1)
    def test_width_not_divisible(self, check: Check, draw: Draw) -> None:
        """A width that is not divisible by the heads is refused."""
        check.raises(draw.normal(2, 3, 10), projections(draw, 10), 3)

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x, the weights (no key is added), and the mask are the same after the call."""
        mask = every_row_sees_some(draw, 2, 1, 4, 4)
        check.unchanged(draw.normal(2, 4, 6), projections(draw, 6, biases="qo"), 2, mask=mask)
        check.unchanged(draw.normal(2, 4, 6), projections(draw, 6), 3)


@exercise("grouped_query_attention")
class TestGroupedQueryAttention:
    @public
    @value(3)
    def test_four_heads_share_two(self, check: Check, draw: Draw) -> None:
        """Query heads 0 and 1 read the first key-value head, 2 and 3 the second."""
        check(draw.tidy(1, 3, 4), tidy_projections(draw, 4, 2), 4, 2)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Groups of three, of two and of four query heads."""
        check(draw.normal(2, 5, 18), projections(draw, 18, 6), 6, 2)
        check(draw.normal(3, 4, 12), projections(draw, 12, 6), 6, 3)
        check(draw.normal(2, 7, 24), projections(draw, 24, 6), 8, 2)

    @value(1)
    def test_multi_query(self, check: Check, draw: Draw) -> None:
        """With one key-value head every query head reads the same keys and values."""
        check(draw.normal(2, 5, 12), projections(draw, 12, 3), 4, 1)

    @value(1)
    def test_multi_head(self, check: Check, draw: Draw) -> None:
        """With as many key-value heads as query heads it is multi-head attention."""
        check(draw.normal(2, 5, 15), projections(draw, 15), 3, 3)

    @value(1)
    def test_biases(self, check: Check, draw: Draw) -> None:
        """Each bias may be there or not; those of keys and values are as wide as their projections."""
        for biases in ("qkvo", "q", "k", "v", "o", "qkv"):
            weights = projections(draw, 12, 6, biases) | {"ln1.gamma": draw.normal(12)}
            check(draw.normal(2, 4, 12), weights, 4, 2)

    @value(2)
    def test_given_masks(self, check: Check, draw: Draw) -> None:
        """A given mask takes the place of the causal one: for each sample, for all, for each query head, for keys."""
        x, weights = draw.normal(2, 5, 12), projections(draw, 12, 4, "vo")
        for sizes in ((2, 1, 5, 5), (5, 5), (6, 5, 5), (2, 6, 5, 5), (2, 1, 1, 5)):
            check(x, weights, 6, 2, mask=every_row_sees_some(draw, *sizes))
        check(x, weights, 6, 2, mask=torch.ones(5, 5, dtype=torch.bool))

    @value(1)
    def test_query_that_sees_nothing(self, check: Check, draw: Draw) -> None:
        """A query that may attend to nothing has context 0, and only the output bias is left."""
        mask = every_row_sees_some(draw, 2, 1, 4, 4)
        mask[0, 0, 1] = mask[1, 0, 3] = False
        check(draw.normal(2, 4, 8), projections(draw, 8, 4, "qkvo"), 4, 2, mask=mask)

    @law(1)
    def test_empty_row_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients stay finite when a query may attend to nothing."""
        mask = every_row_sees_some(draw, 2, 1, 4, 4)
        mask[0, 0, 2] = False
        weights = projections(draw, 8, 4)
        check.finite_gradient(draw.normal(2, 4, 8), weights, 4, 2, wrt=paths(list(weights)), mask=mask)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach x and all weights; those of a shared head collect from its whole group."""
        weights = projections(draw, 12, 6, "qvo")
        check.gradient(draw.normal(2, 4, 12), weights, 6, 3, wrt=paths(list(weights)))

    @law(1)
    def test_sharing_is_equal_weights(self, check: Check, draw: Draw) -> None:
        """Sharing a key-value head is the same as giving each query head a copy of it."""
        x, weights = draw.normal(2, 5, 12), projections(draw, 12, 6)
        copied = {
            n: w.view(2, 3, 12).repeat_interleave(2, 0).view(12, 12) for n, w in weights.items() if n in ("wk", "wv")
        }
        shared, separate = check.call(x, weights, 4, 2), check.call(x, weights | copied, 4, 4)
        check.close(
            shared, separate, 1e-5, "Two shared heads give another result than four heads that are equal in pairs."
        )

    @public
    @law(1)
    def test_causal_without_a_mask(self, check: Check, draw: Draw) -> None:
        """Changing one position changes no output before it."""
        x, weights = draw.normal(2, 6, 8), projections(draw, 8, 2)
        before, after = check.call(x, weights, 4, 1), check.call(changed_from(x, 3), weights, 4, 1)
        expect_causal(check, before, after, x, 3)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of x."""
        weights = projections(draw, 24, 8, "qkvo", precision)
        check(draw.normal(2, 9, 24, dtype=precision), weights, 6, 2)

    @dtype(1)
    def test_large_scores(self, check: Check, draw: Draw) -> None:
        """Float32 scores in the hundreds."""
        weights = projections(draw, 16, 8, precision=torch.float32)
        check.within(kappa=300)(draw.normal(2, 6, 16, scale=9.0, dtype=torch.float32), weights, 4, 2)

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch; one token attends to itself."""
        check(draw.normal(0, 3, 8), projections(draw, 8, 4), 4, 2)
        check(draw.normal(2, 1, 8), projections(draw, 8, 4), 4, 2)

    @public
    @raises(1)
    def test_heads_not_divisible(self, check: Check, draw: Draw) -> None:
        """Query heads that cannot be shared out evenly are refused."""
        check.raises(draw.normal(2, 3, 12), projections(draw, 12, 8), 6, 4)
        check.raises(draw.normal(2, 3, 8), projections(draw, 8, 16), 2, 4)

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """x, the weights (no key is added), and the mask are the same after the call."""
        mask = every_row_sees_some(draw, 2, 1, 4, 4)
        check.unchanged(draw.normal(2, 4, 8), projections(draw, 8, 4, "qo"), 4, 2, mask=mask)
        check.unchanged(draw.normal(2, 4, 8), projections(draw, 8, 2), 4, 1)
