"""Hidden suite of the lesson on the objective: both ends of the model, the loss, and its two readings.

Formulas are tested in float64 with B, T, D and V all different, repeated ids and ignored targets. Range is tested in
float64, where overflow lies at 710 and the outcome can be compared number by number, and once more in float32.
"""

import math

import pytest
import torch
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, raises, shape, value

LOWER_PRECISIONS = (torch.float32, torch.bfloat16)
LARGEST = 1e4
"""The size of logits up to which the course promises right values; also the condition factor of `exp(x - lse)`."""


def with_impossible(logits: Tensor, *places: tuple[int, ...]) -> Tensor:
    """`logits` with -inf at some index tuples; a shorter tuple makes a whole slice impossible."""
    masked = logits.clone()
    for place in places:
        masked[place] = -math.inf
    return masked


def far_apart(draw: Draw) -> Tensor:
    """`(3, 5)` logits from -9000 to 9000 in every row, in random order, with their mean some 600 away from 0."""
    ladder = torch.tensor([-9000.0, -1500.0, 300.0, 330.0, 9000.0], dtype=torch.float64) + 600
    return torch.stack([ladder[draw.permutation(5)] for _ in range(3)]) + draw.normal(3, 5)


def partly_ignored(draw: Draw, vocabulary: int, ignore: int = -100) -> Tensor:
    """int64 `(3, 5)` targets of which 1, 4 and 5 in a row count."""
    targets = draw.integers(0, vocabulary, 3, 5)
    targets[0, [0, 1, 3, 4]] = ignore
    targets[1, 2] = ignore
    return targets


@exercise("embed")
class TestEmbed:
    @public
    @value(2)
    def test_rows_of_a_small_table(self, check: Check, draw: Draw) -> None:
        """Each token gets its own row of the table, the same row each time."""
        check(torch.tensor([3, 0, 4, 3]), draw.tidy(5, 2))

    @value(2)
    def test_a_batch_of_texts(self, check: Check, draw: Draw) -> None:
        """Tokens of shape (B, T) give (B, T, D), copied without any change."""
        check.exact(draw.integers(0, 11, 2, 7), draw.normal(11, 5))

    @value(2)
    def test_gradient_of_repeated_ids(self, check: Check, draw: Draw) -> None:
        """The gradient reaches the table, and a row that was used several times collects all of them."""
        check.gradient(torch.tensor([[2, 5, 2], [0, 2, 6]]), draw.normal(7, 4))

    @public
    @shape(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One token without axes gives one row; four leading axes stay four."""
        table = draw.normal(6, 5)
        check(torch.tensor(4), table)
        check(draw.integers(0, 6, 2, 1, 3, 4), table)

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """A batch of no texts gives a result of no rows."""
        check(torch.zeros(0, 3, dtype=torch.int64), draw.normal(6, 5))

    @value(1)
    def test_first_and_last_id(self, check: Check, draw: Draw) -> None:
        """The ids 0 and V - 1 are ordinary tokens."""
        check(torch.tensor([[0, 8], [8, 0], [0, 0]]), draw.normal(9, 4))

    @public
    @raises(1)
    def test_id_too_large(self, check: Check, draw: Draw) -> None:
        """A token of V or more is refused, wherever it stands."""
        check.raises(torch.tensor([[1, 6, 2], [0, 7, 3]]), draw.normal(7, 4))
        check.raises(torch.tensor(5000), draw.normal(7, 4))

    @raises(1)
    def test_negative_id(self, check: Check, draw: Draw) -> None:
        """A negative token is refused; it does not count from the end."""
        check.raises(torch.tensor([3, -1, 6]), draw.normal(7, 4))
        check.raises(torch.tensor([3, -100, 6]), draw.normal(7, 4))

    @dtype(1)
    def test_dtype_of_the_table(self, check: Check, draw: Draw) -> None:
        """The rows keep the dtype of the table."""
        for kind in LOWER_PRECISIONS:
            check.exact(draw.integers(0, 6, 2, 3), draw.normal(6, 5, dtype=kind))

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Tokens and table are the same after the call."""
        check.unchanged(draw.integers(0, 6, 2, 3), draw.normal(6, 5))


@exercise("unembed")
class TestUnembed:
    @public
    @value(2)
    def test_small_table(self, check: Check, draw: Draw) -> None:
        """A logit is the dot product of a hidden state and a row of the table."""
        check(draw.tidy(2, 3), draw.tidy(4, 3))

    @value(1)
    def test_a_batch_of_states(self, check: Check, draw: Draw) -> None:
        """Every position of every text is scored against the whole vocabulary."""
        check(draw.normal(2, 5, 3, shift=0.5), draw.normal(7, 3))

    @value(1)
    def test_square_table(self, check: Check, draw: Draw) -> None:
        """With V equal to D the rows of the table are still the tokens."""
        check(draw.normal(3, 4), draw.normal(4, 4))

    @value(1)
    def test_gradients(self, check: Check, draw: Draw) -> None:
        """Gradients reach the hidden states and every row of the table."""
        check.gradient(draw.normal(2, 3, 5), draw.normal(6, 5))

    @public
    @shape(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One state alone gives one row of logits; more leading axes stay as they are."""
        check(draw.normal(5), draw.normal(7, 5))
        check(draw.normal(2, 1, 3, 4, 5), draw.normal(7, 5))

    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """A batch of no texts gives logits of shape (0, T, V)."""
        check(draw.normal(0, 3, 5), draw.normal(7, 5))

    @dtype(1)
    def test_dtype_of_the_states(self, check: Check, draw: Draw) -> None:
        """Logits have the dtype of the arguments."""
        for kind in LOWER_PRECISIONS:
            check(draw.normal(2, 3, 5, dtype=kind), draw.normal(7, 5, dtype=kind))

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Hidden states and table are the same after the call."""
        check.unchanged(draw.normal(2, 3, 5), draw.normal(7, 5))


@exercise("softmax")
class TestSoftmax:
    @public
    @value(2)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """Each row of logits becomes positive numbers that sum to 1."""
        check(draw.tidy(2, 3))

    @value(1)
    def test_other_axes(self, check: Check, draw: Draw) -> None:
        """The distribution lies along dim, whichever axis that is."""
        for dim in (0, 1, -2):
            check(draw.normal(2, 3, 4, scale=2), dim=dim)

    @value(1)
    def test_square_slices(self, check: Check, draw: Draw) -> None:
        """In a square input, too, each slice along dim is divided by its own sum."""
        check(draw.normal(4, 4, scale=2))
        check(draw.normal(3, 3, scale=2), dim=0)

    @value(1)
    def test_impossible_entries(self, check: Check, draw: Draw) -> None:
        """An entry of -inf gets exactly 0 and the others share the whole."""
        logits = with_impossible(draw.normal(3, 5), (0, 1), (0, 4), (1, 0), (2, 1), (2, 2), (2, 3))
        impossible = check(logits)[logits.isinf()]
        check.expect((impossible == 0).all(), "An entry of -inf must get a probability of exactly 0.")

    @public
    @law(1)
    def test_slice_without_a_possible_entry(self, check: Check, draw: Draw) -> None:
        """A slice of nothing but -inf comes out as zeros, and its neighbours are not disturbed."""
        check(with_impossible(draw.normal(3, 4), (1,), (0, 2)))
        check(with_impossible(draw.normal(3, 4), (0,), (2, 1)).T, dim=0)

    @value(1)
    def test_large_logits(self, check: Check, draw: Draw) -> None:
        """Logits of many thousands give the same probabilities as logits near 0."""
        check.within(kappa=LARGEST)(draw.normal(2, 5, shift=8000))
        check.within(kappa=LARGEST)(draw.normal(2, 5, shift=9000, dtype=torch.float32))

    @value(1)
    def test_logits_far_apart(self, check: Check, draw: Draw) -> None:
        """A row whose logits lie thousands apart, on both sides of 0, is a distribution too."""
        check.within(kappa=LARGEST)(far_apart(draw))
        check.within(kappa=LARGEST)(draw.normal(3, 6, scale=60, dtype=torch.float32))

    @value(1)
    def test_very_negative_logits(self, check: Check, draw: Draw) -> None:
        """A row of logits that are all far below 0 is a distribution too."""
        check.within(kappa=LARGEST)(draw.normal(2, 5, shift=-9000))
        check.within(kappa=LARGEST)(draw.normal(2, 5, shift=-150, dtype=torch.float32))

    @value(1)
    def test_rows_far_apart(self, check: Check, draw: Draw) -> None:
        """A row far below its neighbour keeps its own distribution."""
        levels = torch.tensor([[300.0], [-600.0], [0.0]], dtype=torch.float64)
        check.within(kappa=LARGEST)(draw.normal(3, 4) + levels)
        check.within(kappa=LARGEST)((draw.normal(3, 4) + levels / 4).float())

    @value(1)
    def test_gradients(self, check: Check, draw: Draw) -> None:
        """The gradient of the logits is right along any axis."""
        check.gradient(draw.normal(2, 3, 4))
        check.gradient(draw.normal(2, 3, 4), dim=1)

    @law(1)
    def test_gradients_at_impossible_entries(self, check: Check, draw: Draw) -> None:
        """Gradients are finite where entries, or all entries of a row, are -inf."""
        check.finite_gradient(with_impossible(draw.normal(3, 4), (0, 1), (0, 3)))
        check.finite_gradient(with_impossible(draw.normal(3, 4), (1,), (2, 0)))

    @public
    @shape(1)
    def test_one_axis_and_empty_batches(self, check: Check, draw: Draw) -> None:
        """A single row, and a batch of no rows, work alike."""
        check(draw.normal(5))
        check(draw.normal(0, 3, 5))

    @dtype(1)
    def test_bfloat16(self, check: Check, draw: Draw) -> None:
        """A thousand bfloat16 logits keep their dtype, and their sum does not stall."""
        # Around -6 the sum of the exponentials is near 1, so that its logarithm has digits enough for exp(x - lse).
        check(draw.normal(2, 1024, scale=0.2, shift=-6.2, dtype=torch.bfloat16))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The logits are the same after the call, those of -inf too."""
        check.unchanged(with_impossible(draw.normal(3, 4), (1,), (0, 2)))


@exercise("shift_targets")
class TestShiftTargets:
    @public
    @value(2)
    def test_two_small_rows(self, check: Check, draw: Draw) -> None:
        """The inputs lack the last token of each row, the targets the first."""
        check.exact(draw.permutation(8).reshape(2, 4))

    @value(2)
    def test_a_batch_of_texts(self, check: Check, draw: Draw) -> None:
        """Every row is shifted by itself."""
        check.exact(draw.integers(0, 50, 3, 7))

    @public
    @law(1)
    def test_one_pass_gives_one_signal_less(self, check: Check, draw: Draw) -> None:
        """A text of six tokens gives five inputs, five targets, and each target is the next input."""
        parts = check.call(draw.permutation(6).reshape(1, 6))
        pair = isinstance(parts, list | tuple) and len(parts) == 2 and all(isinstance(part, Tensor) for part in parts)
        check.expect(pair, "Two tensors were expected: the inputs and the targets.")
        inputs, targets = parts
        check.expect(inputs.shape == targets.shape == (1, 5), "Six tokens must give five inputs and five targets.")
        check.expect(torch.equal(targets[:, :-1], inputs[:, 1:]), "Each target must be the input one step later.")

    @public
    @shape(1)
    def test_shortest_row(self, check: Check, draw: Draw) -> None:
        """Two tokens give one signal."""
        check.exact(draw.permutation(6).reshape(3, 2))

    @shape(1)
    def test_one_row_and_empty_batch(self, check: Check, draw: Draw) -> None:
        """A batch of one row and a batch of none are shifted as any other."""
        check.exact(draw.permutation(5).reshape(1, 5))
        check.exact(torch.zeros(0, 5, dtype=torch.int64))

    @public
    @raises(1)
    def test_rows_without_a_next_token(self, check: Check, draw: Draw) -> None:
        """Rows of a single token are refused."""
        check.raises(draw.integers(0, 9, 3, 1))
        check.raises(draw.integers(0, 9, 1, 1))

    @dtype(1)
    def test_large_ids(self, check: Check, draw: Draw) -> None:
        """Ids stay exact whole numbers, also those that no float32 can hold."""
        check.exact(draw.integers(2**40, 2**41, 2, 5))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The tokens are the same after the call, also when they are a transposed view."""
        check.unchanged(draw.integers(0, 9, 5, 3).T)


@exercise("cross_entropy")
class TestCrossEntropy:
    @public
    @value(2)
    def test_small_batch(self, check: Check, draw: Draw) -> None:
        """The loss is the mean of -log p(target) over the targets that count, in nats."""
        check(draw.tidy(3, 4), torch.tensor([2, -100, 0]))

    @value(2)
    def test_rows_of_unlike_length(self, check: Check, draw: Draw) -> None:
        """Every counted token weighs the same, whichever row it is in and however many are ignored."""
        check(draw.normal(3, 5, 7, scale=2), partly_ignored(draw, 7))

    @value(2)
    def test_ignored_id_of_the_vocabulary(self, check: Check, draw: Draw) -> None:
        """ignore_index may be an id of the vocabulary, or any other number; only it is ignored."""
        check(draw.normal(3, 5, 7, scale=2), partly_ignored(draw, 7, ignore=4), ignore_index=4)
        check(draw.normal(3, 5, 7, scale=2), partly_ignored(draw, 7, ignore=0), ignore_index=0)
        check(draw.normal(3, 5, 7, scale=2), partly_ignored(draw, 7, ignore=7), ignore_index=7)

    @value(1)
    def test_improbable_targets(self, check: Check, draw: Draw) -> None:
        """A model that is sure of another token is charged in full."""
        logits = draw.normal(4, 6)
        logits[:, 5] += draw.uniform(4, low=40, high=60)
        check(logits, draw.integers(0, 5, 4))

    @value(1)
    def test_large_logits(self, check: Check, draw: Draw) -> None:
        """Logits of many thousands neither overflow nor make a probability vanish."""
        check.within(kappa=LARGEST)(draw.normal(2, 5, shift=8000), draw.integers(0, 5, 2))
        check.within(kappa=LARGEST)(far_apart(draw), draw.integers(0, 5, 3))
        check.within(kappa=LARGEST)(draw.normal(2, 5, shift=-9000, dtype=torch.float32), draw.integers(0, 5, 2))
        check.within(kappa=10)(far_apart(draw).float(), draw.integers(0, 5, 3))

    @value(1)
    def test_impossible_tokens(self, check: Check, draw: Draw) -> None:
        """Logits of -inf at other tokens than the target leave the loss finite."""
        check.finite_gradient(with_impossible(draw.normal(3, 5), (0, 1), (0, 4), (2, 0)), torch.tensor([2, 4, 3]))

    @public
    @law(1)
    def test_target_of_probability_zero(self, check: Check, draw: Draw) -> None:
        """A target that the model calls impossible costs +inf, not NaN."""
        check(with_impossible(draw.normal(3, 5), (1, 2), (1, 3)), torch.tensor([2, 3, 4]))

    @value(1)
    def test_ignored_rows_are_left_out(self, check: Check, draw: Draw) -> None:
        """What stands in an ignored row, even nothing but -inf, changes neither the loss nor a gradient."""
        logits = with_impossible(draw.normal(2, 3, 5), (0, 1), (1, 2, 0), (1, 2, 3))
        targets = torch.tensor([[2, -100, 0], [4, 1, -100]])
        check(logits, targets)
        check.finite_gradient(logits, targets)

    @value(1)
    def test_gradients(self, check: Check, draw: Draw) -> None:
        """The gradient of the logits is right, and 0 at ignored positions."""
        check.gradient(draw.normal(3, 5, 7), partly_ignored(draw, 7))

    @public
    @shape(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One row with one target, and four leading axes, give a scalar as well."""
        check(draw.normal(6), torch.tensor(4))
        check(draw.normal(2, 1, 3, 4, 6), draw.integers(0, 6, 2, 1, 3, 4))

    @public
    @raises(1)
    @pytest.mark.parametrize("rows", [3, 0], ids=["all-ignored", "empty-batch"])
    def test_nothing_counts(self, check: Check, draw: Draw, rows: int) -> None:
        """Where no target counts there is no mean, and the call is refused."""
        check.raises(draw.normal(rows, 2, 5), torch.full((rows, 2), -100))

    @raises(1)
    @pytest.mark.parametrize("bad", [5, -1, -100], ids=["V", "minus-1", "not-the-ignored"])
    def test_target_outside_the_vocabulary(self, check: Check, draw: Draw, bad: int) -> None:
        """A target that is neither an id nor the ignored one is refused."""
        check.raises(draw.normal(4, 5), torch.tensor([1, bad, 4, 2]), ignore_index=-100 if bad != -100 else 2)

    @dtype(1)
    def test_bfloat16(self, check: Check, draw: Draw) -> None:
        """With a thousand bfloat16 logits the sum does not stall, and the loss is bfloat16."""
        check(draw.normal(3, 1024, scale=0.5, dtype=torch.bfloat16), draw.integers(0, 1024, 3))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Logits and targets, the ignored ones too, are the same after the call."""
        check.unchanged(draw.normal(3, 5, 7), partly_ignored(draw, 7))


@exercise("perplexity")
class TestPerplexity:
    @public
    @value(2)
    def test_small_loss(self, check: Check, draw: Draw) -> None:
        """The perplexity is e to the power of the loss in nats, as a scalar tensor."""
        check(draw.tidy(1, low=0.6, high=2.9).reshape(()))

    @value(1)
    def test_large_loss(self, check: Check, draw: Draw) -> None:
        """A terrible model has a huge perplexity; nothing is capped."""
        check.within(kappa=61)(draw.uniform(low=45, high=60))

    @value(1)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """The gradient flows through to the loss."""
        check.gradient(draw.uniform(low=0.5, high=3))

    @public
    @law(1)
    def test_perfect_model(self, check: Check) -> None:
        """A loss of 0 is a perplexity of 1."""
        check(torch.tensor(0.0, dtype=torch.float64))

    @public
    @raises(1)
    def test_nan(self, check: Check) -> None:
        """A loss that is NaN is refused."""
        for kind in (torch.float64, *LOWER_PRECISIONS):
            check.raises(torch.tensor(math.nan, dtype=kind))

    @public
    @dtype(1)
    def test_dtype_of_the_loss(self, check: Check, draw: Draw) -> None:
        """The perplexity has the dtype of the loss."""
        for kind in LOWER_PRECISIONS:
            check.within(kappa=4)(draw.uniform(low=1, high=3, dtype=kind))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The loss is the same after the call."""
        check.unchanged(draw.uniform(low=1, high=3))


@exercise("entropy_bits")
class TestEntropyBits:
    @public
    @value(2)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """Each row gives the sum of -p log2 p; a probability of 0 contributes nothing."""
        rows = torch.tensor([[0.5, 0.3, 0.2, 0.0], [0.6, 0.2, 0.1, 0.1]], dtype=torch.float64)
        check(torch.stack([row[draw.permutation(4)] for row in rows]))

    @value(1)
    def test_other_axes(self, check: Check, draw: Draw) -> None:
        """The sum runs along dim, whichever axis that is, and that axis disappears."""
        check(draw.probabilities(4, 4).T, dim=0)
        for dim in (0, 1, -2, 2):
            check(draw.probabilities(2, 3, 4).movedim(-1, dim), dim=dim)

    @public
    @law(1)
    def test_sure_rows(self, check: Check, draw: Draw) -> None:
        """A row that is certain has 0 bits."""
        check.within(scale=1.0)(torch.eye(5, dtype=torch.float64)[draw.permutation(5)[:3]])

    @law(1)
    def test_uniform_rows(self, check: Check) -> None:
        """A row of V equal probabilities has log2 V bits, which nothing exceeds."""
        check(torch.full((2, 8), 1 / 8, dtype=torch.float64))
        check(torch.full((2, 11), 1 / 11, dtype=torch.float64))

    @value(1)
    def test_many_tiny_probabilities(self, check: Check, draw: Draw) -> None:
        """Thousands of probabilities near 0 and at 0 are counted for what they are."""
        tail = draw.uniform(2000, low=0.5e-6, high=1.5e-6)
        row = torch.cat([(1 - tail.sum()).reshape(1), tail, torch.zeros(2000, dtype=torch.float64)])
        check.within(scale=1.0)(row)

    @value(1)
    def test_gradients(self, check: Check, draw: Draw) -> None:
        """The gradient of positive probabilities is right along any axis."""
        check.gradient(draw.probabilities(2, 3, 4))
        check.gradient(draw.probabilities(2, 3, 4).movedim(-1, 1), dim=1)

    @law(1)
    def test_gradients_at_zero(self, check: Check, draw: Draw) -> None:
        """Where a probability is 0 the gradient is finite."""
        p = draw.probabilities(3, 5)
        p[0] = torch.tensor([0.0, 1.0, 0.0, 0.0, 0.0])
        p[2] = torch.tensor([0.5, 0.0, 0.25, 0.25, 0.0])
        check.finite_gradient(p)

    @public
    @shape(1)
    def test_one_row_and_empty_batch(self, check: Check, draw: Draw) -> None:
        """One row gives a scalar; a batch of no rows gives a result of none."""
        check(draw.probabilities(6))
        check(draw.probabilities(0, 3, 6))

    @dtype(1)
    def test_dtype_of_the_probabilities(self, check: Check, draw: Draw) -> None:
        """The entropy has the dtype of the probabilities."""
        for kind in LOWER_PRECISIONS:
            check(draw.probabilities(2, 3, 5, dtype=kind))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The probabilities are the same after the call, zeros included."""
        p = draw.probabilities(3, 5)
        p[1, 2] = 0
        check.unchanged(p)
