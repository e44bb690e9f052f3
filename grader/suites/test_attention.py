"""Hidden suite of the lesson on attention: masks, scores, weights, the weighted mean, entropy."""

import math

import pytest
import torch
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, raises, shape, value


def aligned(n_queries: int, n_keys: int) -> Tensor:
    """The causal mask of the last `n_queries` of `n_keys` positions."""
    return torch.ones(n_queries, n_keys, dtype=torch.bool).tril(n_keys - n_queries)


def some_visible(draw: Draw, *sizes: int) -> Tensor:
    """A random mask in which every query sees two keys or more and misses one or more. The key axis has 3 or more."""
    mask, n_keys = draw.bool(*sizes), sizes[-1]
    first = draw.integers(0, n_keys, *sizes[:-1])[..., None]
    for step, seen in enumerate((True, False, True)):
        mask.scatter_(-1, (first + step) % n_keys, seen)
    return mask


def tidy_rows(draw: Draw) -> Tensor:
    """Three small distributions over four keys, in random order: full, with one zero, with two."""
    rows = ([0.1, 0.2, 0.3, 0.4], [0.0, 0.2, 0.3, 0.5], [0.0, 0.1, 0.0, 0.9])
    return torch.tensor([[row[i] for i in draw.permutation(4)] for row in rows], dtype=torch.float64)


@exercise("causal_mask")
class TestCausalMask:
    @public
    @value(3)
    def test_chunk_behind_a_cache(self, check: Check) -> None:
        """Three queries stand at the last three of seven keys and see everything up to their own."""
        check.exact(3, 7)

    @value(2)
    def test_square(self, check: Check) -> None:
        """Without a cache, query i sees the keys 0 to i."""
        check.exact(5, 5)

    @value(1)
    def test_other_chunks(self, check: Check, draw: Draw) -> None:
        """The same holds for chunks and caches of other sizes."""
        new = int(draw.integers(2, 7, 1))
        check.exact(new, new + int(draw.integers(1, 9, 1)))
        check.exact(8, 9)
        check.exact(2, 11)

    @value(1)
    def test_long_sequences(self, check: Check) -> None:
        """Positions beyond 256 and up to 2048 are told apart."""
        check.exact(6, 603)
        check.exact(5, 2048)

    @public
    @law(1)
    def test_one_query_sees_the_whole_cache(self, check: Check) -> None:
        """A single new query may attend to every key."""
        check.exact(1, 7)
        check.exact(1, 1)

    @law(1)
    def test_chunk_is_the_end_of_the_square(self, check: Check) -> None:
        """The rows of a chunk are the last rows of the mask of the whole sequence."""
        whole, chunk = check.call(9, 9), check.call(4, 9)
        check.expect(
            isinstance(whole, Tensor) and isinstance(chunk, Tensor) and torch.equal(whole[-4:], chunk),
            "The last four rows of your mask for 9 queries and 9 keys are not your mask for 4 queries and 9 keys.",
        )

    @public
    @dtype(1)
    def test_is_boolean(self, check: Check) -> None:
        """The mask is boolean, so that it can be negated with `~`."""
        mask = check.call(2, 5)
        check.expect(isinstance(mask, Tensor) and mask.dtype == torch.bool, "Your mask is not a boolean tensor.")

    @public
    @raises(2)
    def test_more_queries_than_keys(self, check: Check) -> None:
        """More queries than keys are refused."""
        check.raises(7, 3)
        check.raises(2, 1)


@exercise("sliding_window_mask")
class TestSlidingWindowMask:
    @public
    @value(3)
    def test_chunk_behind_a_cache(self, check: Check) -> None:
        """Four queries at the end of nine keys each see their own key and the two before it."""
        check.exact(4, 9, 3)

    @value(2)
    def test_square(self, check: Check) -> None:
        """Without a cache, the first queries see fewer keys than the window holds."""
        check.exact(6, 6, 4)
        check.exact(7, 7, 2)

    @value(1)
    def test_window_of_one(self, check: Check) -> None:
        """A window of one key is the query's own."""
        check.exact(3, 5, 1)

    @value(1)
    def test_window_wider_than_the_sequence(self, check: Check) -> None:
        """A window as wide as the sequence, or wider, hides nothing but the future."""
        check.exact(3, 5, 5)
        check.exact(4, 6, 9)

    @value(1)
    def test_other_sizes(self, check: Check, draw: Draw) -> None:
        """The same holds for chunks, caches and windows of other sizes."""
        new = int(draw.integers(2, 7, 1))
        check.exact(new, new + int(draw.integers(1, 9, 1)), int(draw.integers(2, 6, 1)))
        check.exact(5, 6, 5)

    @value(1)
    def test_long_sequences(self, check: Check) -> None:
        """Positions beyond 256 and up to 2048 are told apart."""
        check.exact(4, 610, 301)
        check.exact(3, 2048, 2)

    @public
    @law(1)
    def test_one_query_with_a_cache(self, check: Check) -> None:
        """A single new query sees the newest keys, as many as the window holds."""
        check.exact(1, 8, 3)
        check.exact(1, 1, 1)

    @public
    @dtype(1)
    def test_is_boolean(self, check: Check) -> None:
        """The mask is boolean, so that it can be negated with `~`."""
        mask = check.call(2, 5, 2)
        check.expect(isinstance(mask, Tensor) and mask.dtype == torch.bool, "Your mask is not a boolean tensor.")

    @public
    @raises(1)
    def test_empty_window(self, check: Check) -> None:
        """A window below one key is refused."""
        check.raises(3, 5, 0)
        check.raises(3, 5, -2)

    @raises(1)
    def test_more_queries_than_keys(self, check: Check) -> None:
        """More queries than keys are refused."""
        check.raises(6, 4, 3)


@exercise("attention_scores")
class TestAttentionScores:
    @public
    @value(3)
    def test_two_queries_four_keys(self, check: Check, draw: Draw) -> None:
        """Every query meets every key: their dot product over the root of their width."""
        check(draw.tidy(2, 3), draw.tidy(4, 3))

    @value(2)
    def test_batch_and_heads(self, check: Check, draw: Draw) -> None:
        """Leading axes are kept apart and stay in place."""
        check(draw.normal(2, 3, 4, 5), draw.normal(2, 3, 6, 5))

    @value(1)
    def test_one_leading_axis(self, check: Check, draw: Draw) -> None:
        """A batch without heads keeps its one leading axis."""
        check(draw.normal(3, 7, 10), draw.normal(3, 2, 10))

    @value(1)
    def test_equal_sizes(self, check: Check, draw: Draw) -> None:
        """Queries are rows and keys are columns, also where every size is the same."""
        check(draw.normal(5, 5, shift=0.5), draw.normal(5, 5))
        check(draw.normal(4, 4, 4), draw.normal(4, 4, 4))

    @value(1)
    def test_one_query_one_key(self, check: Check, draw: Draw) -> None:
        """One query and one key give one score."""
        check(draw.normal(1, 11, shift=1.0), draw.normal(1, 11, shift=1.0))

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach queries and keys."""
        check.gradient(draw.normal(2, 3, 7), draw.normal(2, 4, 7))

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch of scores."""
        check(draw.normal(0, 3, 5), draw.normal(0, 4, 5))
        check(draw.normal(2, 0, 3, 5), draw.normal(2, 0, 4, 5))

    @dtype(1)
    @pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """Scores have the dtype of queries and keys."""
        check(draw.normal(2, 3, 16, dtype=precision), draw.normal(2, 5, 16, dtype=precision))

    @public
    @law(1)
    def test_keys_do_not_compete(self, check: Check, draw: Draw) -> None:
        """A score depends on its query and its key alone."""
        q, k = draw.normal(3, 6), draw.normal(5, 6)
        whole, part = check.call(q, k), check.call(q[1:], k[:3])
        sentence = "The score of a query and a key changes when other queries or keys are taken away."
        check.expect(isinstance(whole, Tensor) and whole.shape == (3, 5), sentence)
        check.close(whole[1:, :3], part, 1e-5, sentence)

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Queries and keys are the same after the call."""
        check.unchanged(draw.normal(4, 3), draw.normal(2, 3))


@exercise("attention_weights")
class TestAttentionWeights:
    @public
    @value(3)
    def test_three_masked_rows(self, check: Check, draw: Draw) -> None:
        """Each query shares a weight of 1 among the keys that it may attend to."""
        mask = torch.tensor([[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 1]]).bool()
        check(draw.tidy(3, 4), mask=mask)

    @public
    @value(1)
    def test_without_a_mask(self, check: Check, draw: Draw) -> None:
        """Without a mask every key is visible, whatever the leading axes."""
        check(draw.normal(2, 3, 4, 6, scale=2.0))
        check(draw.normal(5, 3, scale=2.0))

    @value(2)
    def test_broadcast_masks(self, check: Check, draw: Draw) -> None:
        """A mask may be shared by heads, by queries, or by the whole batch."""
        scores = draw.normal(2, 3, 4, 6, scale=2.0)
        check(scores, mask=some_visible(draw, 2, 1, 4, 6))
        check(scores, mask=some_visible(draw, 4, 6))
        check(scores, mask=some_visible(draw, 2, 1, 1, 6))

    @value(1)
    def test_empty_row(self, check: Check, draw: Draw) -> None:
        """A query that may attend to nothing gets all-zero weights."""
        mask = some_visible(draw, 2, 4, 5)
        mask[0, 2] = mask[1, 0] = False
        check(draw.normal(2, 4, 5), mask=mask)

    @law(1)
    def test_empty_row_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients stay finite when a query may attend to nothing."""
        mask = some_visible(draw, 3, 4)
        mask[1] = False
        check.finite_gradient(draw.normal(3, 4), mask=mask)

    @value(1)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach the visible scores, and only these."""
        check.gradient(draw.normal(2, 4, 4), mask=some_visible(draw, 4, 4))

    @dtype(1)
    def test_scores_of_ten_thousand(self, check: Check, draw: Draw) -> None:
        """Float32 scores up to 1e4 in size neither overflow nor vanish."""
        far = torch.tensor([[1, 1, 1, 1, 1], [-1, -1, -1, -1, -1], [-1, 1, 1, -1, 1]]) * 9999
        mask = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [1, 1, 1, 1, 1]]).bool()
        check.within(kappa=1e3)((draw.uniform(3, 5, low=-1.0) + far).float(), mask=mask)

    @dtype(1)
    def test_rows_far_apart(self, check: Check, draw: Draw) -> None:
        """Each row is shifted by its own maximum: others may lie 200 above it."""
        check.within(kappa=400)((draw.normal(3, 4) + torch.tensor([[340], [140], [-60]])).float())

    @dtype(1)
    def test_all_scores_very_negative(self, check: Check, draw: Draw) -> None:
        """A row whose scores all lie near -200 still sums to 1."""
        check.within(kappa=200)(draw.normal(3, 6, shift=-200.0).float())

    @dtype(1)
    def test_hidden_score_towers(self, check: Check, draw: Draw) -> None:
        """A hidden score has no influence, even if it is 1e4 above the visible ones."""
        mask = some_visible(draw, 3, 5)
        scores = draw.normal(3, 5).masked_fill(~mask, 1e4)
        check.within(kappa=10)(scores.float(), mask=mask)

    @dtype(1)
    def test_bfloat16_many_keys(self, check: Check, draw: Draw) -> None:
        """512 keys in bfloat16: weights keep their dtype and their size."""
        check(draw.normal(2, 512, dtype=torch.bfloat16), mask=some_visible(draw, 2, 512))

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch of weights."""
        check(draw.normal(0, 3, 4), mask=aligned(3, 4))

    @law(1)
    def test_future_has_no_influence(self, check: Check, draw: Draw) -> None:
        """Changing scores that the mask hides changes no weight; rows sum to 1."""
        mask = aligned(4, 6)
        scores = draw.normal(4, 6)
        other = torch.where(mask, scores, draw.normal(4, 6, scale=3.0))
        before, after = check.call(scores, mask=mask), check.call(other, mask=mask)
        check.close(before, after, 1e-6, "Scores that the mask hides change your weights.")
        check.close(before.sum(-1), torch.ones(4), 1e-5, "Your weights do not sum to 1 for each query.")

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Scores and mask are the same after the call."""
        check.unchanged(draw.normal(3, 4), mask=some_visible(draw, 3, 4))


@exercise("attention")
class TestAttention:
    @public
    @value(3)
    def test_two_queries_four_keys(self, check: Check, draw: Draw) -> None:
        """Each query gets the mean of the values, weighted by how well the visible keys match."""
        mask = torch.tensor([[1, 0, 1, 0], [1, 1, 0, 1]]).bool()
        check(draw.tidy(2, 3), draw.tidy(4, 3), draw.tidy(4, 2), mask=mask)

    @public
    @value(1)
    def test_without_a_mask(self, check: Check, draw: Draw) -> None:
        """Without a mask every query sees every key."""
        check(draw.normal(5, 6), draw.normal(7, 6), draw.normal(7, 3))

    @value(1)
    def test_batch_and_heads(self, check: Check, draw: Draw) -> None:
        """Leading axes are kept apart; a mask may be shared by the heads of a sample, or by all."""
        q, k, v = draw.normal(2, 3, 4, 5), draw.normal(2, 3, 6, 5), draw.normal(2, 3, 6, 7)
        check(q, k, v, mask=some_visible(draw, 2, 1, 4, 6))
        check(q[:, 1], k[:, 1], v[:, 1], mask=aligned(4, 6))

    @value(1)
    def test_equal_sizes(self, check: Check, draw: Draw) -> None:
        """Queries, keys and values keep their parts where every size is the same."""
        check(draw.normal(5, 5), draw.normal(5, 5), draw.normal(5, 5), mask=aligned(5, 5))

    @public
    @value(1)
    def test_empty_row(self, check: Check, draw: Draw) -> None:
        """A query that may attend to nothing gets zeros."""
        mask = some_visible(draw, 3, 4)
        mask[1] = False
        check(draw.normal(3, 5), draw.normal(4, 5), draw.normal(4, 2), mask=mask)

    @law(1)
    def test_empty_row_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients stay finite when a query may attend to nothing."""
        mask = some_visible(draw, 3, 4)
        mask[2] = False
        check.finite_gradient(draw.normal(3, 5), draw.normal(4, 5), draw.normal(4, 2), mask=mask)

    @value(1)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach queries, keys and values."""
        check.gradient(draw.normal(2, 3, 5), draw.normal(2, 4, 5), draw.normal(2, 4, 6), mask=some_visible(draw, 3, 4))

    @dtype(1)
    def test_large_scores(self, check: Check, draw: Draw) -> None:
        """Float32 scores in the hundreds neither overflow nor vanish."""
        q, k, v = draw.normal(3, 16, shift=10.0), draw.normal(5, 16, scale=0.3, shift=6.0), draw.normal(5, 4)
        check.within(kappa=300)(q.float(), k.float(), v.float(), mask=aligned(3, 5))

    @dtype(1)
    def test_bfloat16(self, check: Check, draw: Draw) -> None:
        """bfloat16 in, bfloat16 out."""
        q, k, v = (draw.normal(2, rows, 16, dtype=torch.bfloat16) for rows in (3, 9, 9))
        check(q, k, v, mask=aligned(3, 9))

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch of outputs."""
        check(draw.normal(0, 3, 5), draw.normal(0, 4, 5), draw.normal(0, 4, 2))

    @law(1)
    def test_chunk_with_a_cache(self, check: Check, draw: Draw) -> None:
        """Three new queries with four cached keys give the last three rows; the first row is the first value."""
        q, k, v = draw.normal(7, 5), draw.normal(7, 5), draw.normal(7, 3)
        whole, chunk = check.call(q, k, v, mask=aligned(7, 7)), check.call(q[4:], k, v, mask=aligned(3, 7))
        check.expect(isinstance(whole, Tensor) and whole.shape == (7, 3), "There is one output for each query.")
        check.close(whole[4:], chunk, 1e-5, "A chunk with cached keys gives other outputs than the whole sequence.")
        check.close(whole[0], v[0], 1e-5, "A query that sees one key only must return that key's value.")

    @law(1)
    def test_future_has_no_influence(self, check: Check, draw: Draw) -> None:
        """Changing a key and its value changes no output before it."""
        q, k, v = draw.normal(6, 4), draw.normal(6, 4), draw.normal(6, 3)
        k_other, v_other = k.clone(), v.clone()
        k_other[3], v_other[3] = 2.0, -3.0
        before, after = (check.call(q, *kv, mask=aligned(6, 6)) for kv in ((k, v), (k_other, v_other)))
        for outputs in (before, after):
            check.expect(isinstance(outputs, Tensor) and outputs.shape == (6, 3), "There is one output for each query.")
        check.close(before[:3], after[:3], 1e-6, "A changed key and value alter outputs that come before them.")
        check.expect(not torch.equal(before[3], after[3]), "A changed key and value leave their own output as it was.")

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Queries, keys, values and mask are the same after the call."""
        check.unchanged(draw.normal(3, 4), draw.normal(5, 4), draw.normal(5, 2), mask=aligned(3, 5))


@exercise("attention_entropy")
class TestAttentionEntropy:
    @public
    @value(3)
    def test_three_small_rows(self, check: Check, draw: Draw) -> None:
        """One number of bits for each query; a weight of 0 adds nothing."""
        check(tidy_rows(draw))

    @value(1)
    def test_positive_weights(self, check: Check, draw: Draw) -> None:
        """Weights without any zero are summed over all keys."""
        check(draw.probabilities(5, 7))

    @value(1)
    def test_batch_and_heads(self, check: Check, draw: Draw) -> None:
        """Leading axes stay in place, the key axis goes."""
        check(draw.probabilities(2, 3, 4, 6))

    @value(1)
    def test_causal_map(self, check: Check, draw: Draw) -> None:
        """Row i of a causal map spreads over i + 1 keys."""
        check(draw.normal(2, 5, 5, scale=2.0).masked_fill(~aligned(5, 5), -math.inf).softmax(-1))

    @value(1)
    def test_many_keys(self, check: Check, draw: Draw) -> None:
        """Many small weights are counted as they are: no constant is added inside the logarithm."""
        check(draw.probabilities(3, 640))

    @value(1)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach the weights."""
        check.gradient(draw.probabilities(2, 3, 5))

    @law(1)
    def test_gradient_at_zero(self, check: Check, draw: Draw) -> None:
        """Gradients stay finite where a weight is 0."""
        check.finite_gradient(draw.normal(4, 6).masked_fill(~aligned(4, 6), -math.inf).softmax(-1))

    @public
    @law(1)
    def test_sure_rows(self, check: Check) -> None:
        """A row with one weight of 1 has 0 bits, and so has an empty row."""
        check.within(scale=1.0)(torch.tensor([[0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]], dtype=torch.float64))

    @law(1)
    def test_causal_bound(self, check: Check) -> None:
        """In float32, query i of a causal map has at most log2(i + 1) bits, and even weights have just as many."""
        seen = torch.arange(1, 65)
        bits = check.call(aligned(64, 64).float() / seen[:, None])
        check.expect(isinstance(bits, Tensor) and bits.shape == (64,), "There is one entropy for each query.")
        check.close(bits, seen.double().log2(), 1e-5, "Even weights over i + 1 keys do not have log2(i + 1) bits.")

    @dtype(1)
    def test_bfloat16(self, check: Check, draw: Draw) -> None:
        """bfloat16 in, bfloat16 out."""
        check(draw.probabilities(2, 3, 40, dtype=torch.bfloat16))

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch of entropies."""
        check(draw.probabilities(0, 3, 4))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The weights are the same after the call."""
        check.unchanged(tidy_rows(draw))
