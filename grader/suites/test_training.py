"""Hidden suite of the lesson on training: the loss of sequences, clipping, AdamW, the learning rate, accumulation.

AdamW is asked for several steps at a time, with its state handed on unseen. Its formula is tested with a large eps, a
large decay and large rates, so that each of them shows; parameters of the same shape, of no axis and of one to three
axes stand side by side.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, raises, shape, value

Tensors = dict[str, Tensor]

PRECISIONS = pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
SHAPES: dict[str, tuple[int, ...]] = {"table": (3, 4), "kernel": (2, 1, 3), "shift": (5,), "scale": ()}
FEW: dict[str, tuple[int, ...]] = {"w": (2, 2), "b": (2,)}
LOUD = {"betas": (0.7, 0.9), "eps": 0.1, "weight_decay": 0.5}
"""Options of AdamW under which everything counts."""
CLIPPED = {"rtol": 1e-5}
"""The factor of clipping is right to 1e-5, so that a small number may be added to the norm."""
UNSTABLE = 200.0
"""Condition factor where logits of several hundred are subtracted from a log-sum-exp of their size."""


def tensors(
    draw: Draw, shapes: dict[str, tuple[int, ...]], scale: float = 1.0, precision: torch.dtype = torch.float64
) -> Tensors:
    """Normal tensors by name."""
    return {name: draw.normal(*size, scale=scale, dtype=precision) for name, size in shapes.items()}


def tidy_tensors(draw: Draw, shapes: dict[str, tuple[int, ...]]) -> Tensors:
    """Tensors by name with numbers of one decimal."""
    return {name: draw.tidy(*size) for name, size in shapes.items()}


def in_other_order(given: Tensors) -> Tensors:
    """The same dict with its keys the other way round."""
    return dict(reversed(given.items()))


@exercise("sequence_loss")
class TestSequenceLoss:
    @public
    @value(3)
    def test_two_short_rows(self, check: Check, draw: Draw) -> None:
        """Each position is scored against the next token of its own row; the mean over all of them, in nats."""
        check(draw.tidy(2, 3, 4), torch.stack([draw.permutation(4)[:3] for _ in range(2)]))

    @value(2)
    def test_a_batch_of_texts(self, check: Check, draw: Draw) -> None:
        """A batch of longer rows with tokens that come again."""
        check(draw.normal(3, 7, 11, scale=3), draw.integers(0, 11, 3, 7))
        check(draw.normal(1, 9, 5, scale=3), draw.integers(0, 5, 1, 9))

    @value(1)
    def test_every_id_counts(self, check: Check, draw: Draw) -> None:
        """The first and the last id of the vocabulary are targets like any other."""
        check(draw.normal(2, 6, 9, scale=2), torch.tensor([0, 8, 3])[draw.integers(0, 3, 2, 6)])
        check(draw.normal(2, 4, 9, scale=2), torch.tensor([[2, 0, 0, 5], [1, 8, 0, 8]]))

    @value(1)
    def test_one_signal(self, check: Check, draw: Draw) -> None:
        """A row of two tokens gives one signal."""
        check(draw.normal(1, 2, 5), draw.integers(0, 5, 1, 2))
        check(draw.normal(4, 2, 5), draw.integers(0, 5, 4, 2))

    @value(2)
    def test_gradients(self, check: Check, draw: Draw) -> None:
        """The gradient of the logits is right, and 0 at the last position."""
        check.gradient(draw.normal(2, 4, 5), draw.integers(0, 5, 2, 4))

    @value(1)
    def test_large_logits(self, check: Check, draw: Draw) -> None:
        """Logits of several hundred do not overflow."""
        logits, tokens = draw.normal(2, 3, 5, scale=2), draw.integers(0, 5, 2, 3)
        check.within(kappa=UNSTABLE)(logits + 900, tokens)
        check.within(kappa=UNSTABLE)((logits - 500).float(), tokens)

    @value(1)
    def test_improbable_tokens(self, check: Check, draw: Draw) -> None:
        """A model that is sure of another token than the next one is charged in full."""
        logits = draw.normal(2, 4, 6)
        logits[..., 5] += draw.uniform(2, 4, low=30, high=50)
        check(logits, draw.integers(0, 5, 2, 4))

    @public
    @law(1)
    def test_sure_and_right(self, check: Check, draw: Draw) -> None:
        """A model that is sure of each next token, and right, has a loss near 0."""
        tokens = draw.permutation(12).reshape(2, 6)
        logits = 20 * F.one_hot(tokens.roll(-1, dims=1), 12).double()
        loss = check.call(logits, tokens)
        check.expect(isinstance(loss, Tensor) and loss.numel() == 1, "A scalar tensor was expected.")
        check.expect(abs(float(loss)) < 1e-3, "The loss is not near 0 for logits that single out each next token.")

    @law(1)
    def test_first_token_and_last_position(self, check: Check, draw: Draw) -> None:
        """What the first token is, and what the last position says, changes nothing."""
        logits, tokens = draw.normal(3, 5, 7), draw.integers(0, 7, 3, 5)
        before = check.call(logits, tokens)
        others = tokens.clone()
        others[:, 0] = (others[:, 0] + 3) % 7
        sentence = "The first token of a row is nobody's target, and yet the loss depends on which it is."
        check.close(before, check.call(logits, others), 1e-6, sentence)
        moved = torch.cat([logits[:, :-1], draw.normal(3, 1, 7)], dim=1)
        sentence = "The logits of the last position have no target, and yet the loss depends on them."
        check.close(before, check.call(moved, tokens), 1e-6, sentence)

    @public
    @raises(1)
    def test_no_next_token(self, check: Check, draw: Draw) -> None:
        """Rows of one token have no next one and are refused."""
        check.raises(draw.normal(3, 1, 5), draw.integers(0, 5, 3, 1))

    @raises(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """No rows at all give no target and are refused."""
        check.raises(draw.normal(0, 4, 5), draw.integers(0, 5, 0, 4))

    @public
    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The loss has the dtype of the logits."""
        check(draw.normal(2, 5, 7, dtype=precision), draw.integers(0, 7, 2, 5))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Logits and tokens are the same after the call."""
        check.unchanged(draw.normal(2, 5, 7), draw.integers(0, 7, 2, 5))


def pair(result: Any) -> tuple[Any, Any]:
    """Both parts of what a function returned; a dict of two keys would come apart into its keys."""
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise TypeError("it does not come apart into two")
    return result[0], result[1]


def clipped(function: Callable[..., Any], gradients: Tensors, max_norm: float) -> tuple[Any, Tensor]:
    """One call; the norm, which may be a tensor or a float, as a number"""
    shortened, norm = pair(function(gradients, max_norm))
    return shortened, torch.tensor(float(norm), dtype=torch.float64)


def of_norm(norm: float, given: Tensors) -> Tensors:
    """The same gradients, brought to a joint norm."""
    now = float(torch.cat([gradient.flatten() for gradient in given.values()]).norm())
    return {name: gradient * norm / now for name, gradient in given.items()}


@exercise("clip_gradients")
class TestClipGradients:
    @public
    @value(3)
    def test_two_tensors(self, check: Check, draw: Draw) -> None:
        """Both tensors are scaled by max_norm over their joint norm, and that norm comes back."""
        check.within(**CLIPPED).through(clipped)(tidy_tensors(draw, FEW), 0.3)

    @value(2)
    def test_tensors_of_all_shapes(self, check: Check, draw: Draw) -> None:
        """Matrices, vectors, cubes and single numbers count alike."""
        check.within(**CLIPPED).through(clipped)(tensors(draw, SHAPES, scale=3), 2.5)
        check.within(**CLIPPED).through(clipped)(tensors(draw, {"only": (4, 3)}, scale=2), 1.5)
        check.within(**CLIPPED).through(clipped)(tensors(draw, {"b": (7,), "a": (2, 3), "c": ()}, scale=40), 30.0)

    @value(2)
    def test_short_gradients_stay(self, check: Check, draw: Draw) -> None:
        """Below max_norm nothing is scaled, up neither; the norm comes back all the same."""
        check.within(**CLIPPED).through(clipped)(tidy_tensors(draw, {"w": (2, 2), "b": (3,)}), 9.0)
        check.within(**CLIPPED).through(clipped)(tensors(draw, SHAPES), 50.0)
        check.within(**CLIPPED).through(clipped)(of_norm(3.0, tensors(draw, SHAPES)), 5.0)
        check.within(**CLIPPED).through(clipped)(of_norm(0.6, tensors(draw, SHAPES)), 0.7)

    @value(1)
    def test_each_short_but_together_long(self, check: Check, draw: Draw) -> None:
        """Three tensors, each below max_norm, are scaled if together they are above it."""
        given = of_norm(1.6, {"a": draw.normal(3, 2)}) | of_norm(1.4, {"b": draw.normal(4)})
        check.within(**CLIPPED).through(clipped)(given | of_norm(1.7, {"c": draw.normal(2, 2)}), 1.8)

    @value(1)
    def test_at_the_limit(self, check: Check) -> None:
        """Norms of 3 and 4 make 5; at a max_norm of 5 nothing changes, at 2.5 everything is halved."""
        given = {"a": torch.tensor([3.0, 0.0], dtype=torch.float64), "b": torch.tensor([[0.0], [4.0]]).double()}
        check.within(**CLIPPED).through(clipped)(given, 5.0)
        check.within(**CLIPPED).through(clipped)(given, 2.5)

    @law(1)
    def test_zero_gradients(self, check: Check, draw: Draw) -> None:
        """Gradients of 0 stay 0, all together or one among others."""
        zeros = {"w": torch.zeros(2, 3, dtype=torch.float64), "b": torch.zeros(4, dtype=torch.float64)}
        check.within(rtol=1e-5, scale=1.0).through(clipped)(zeros, 1.0)
        check.within(rtol=1e-5, scale=1.0).through(clipped)(zeros | {"w": draw.normal(2, 3, scale=5)}, 2.0)

    @public
    @dtype(1)
    def test_float32(self, check: Check, draw: Draw) -> None:
        """float32 gradients stay float32."""
        check.within(**CLIPPED).through(clipped)(tensors(draw, SHAPES, 3, torch.float32), 2.5)
        check.within(**CLIPPED).through(clipped)(tensors(draw, SHAPES, 3, torch.float32), 100.0)

    @dtype(1)
    def test_bfloat16(self, check: Check, draw: Draw) -> None:
        """bfloat16 gradients stay bfloat16."""
        check.through(clipped)(tensors(draw, SHAPES | {"wide": (40, 30)}, 3, torch.bfloat16), 2.5)
        check.through(clipped)(tensors(draw, SHAPES, 1, torch.bfloat16), 100.0)

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The gradients are the same after the call."""
        check.through(clipped).unchanged(tensors(draw, SHAPES, scale=3), 2.5)
        check.through(clipped).unchanged(tensors(draw, SHAPES), 50.0)


def training(
    function: Callable[..., Any], parameters: Tensors, gradients: list[Tensors], rates: list[float], **options: Any
) -> tuple[Any, ...]:
    """The parameters after each step; a step gets the state of the one before"""
    state: Any = {}
    path = []
    for gradient, lr in zip(gradients, rates, strict=True):
        parameters, state = pair(function(parameters, gradient, state, lr, **options))
        path.append(parameters)
    return tuple(path)


def repeated(
    function: Callable[..., Any], parameters: Tensors, gradients: list[Tensors], lr: float, **options: Any
) -> tuple[Any, ...]:
    """The last step taken three times from the same state"""
    state: Any = {}
    for gradient in gradients[:-1]:
        parameters, state = pair(function(parameters, gradient, state, lr, **options))
    return tuple(pair(function(parameters, gradients[-1], state, lr, **options))[0] for _ in range(3))


def two_runs(
    function: Callable[..., Any], runs: list[Tensors], gradients: list[Tensors], lr: float, **options: Any
) -> tuple[Any, ...]:
    """Two trainings side by side, step by step, each with its own state"""
    states: list[Any] = [{} for _ in runs]
    now = list(runs)
    for gradient in gradients:
        for i in range(len(runs)):
            now[i], states[i] = pair(function(now[i], gradient, states[i], lr, **options))
    return tuple(now)


def steps(draw: Draw, shapes: dict[str, tuple[int, ...]], n: int, scale: float = 1.0) -> list[Tensors]:
    """Gradients for n steps."""
    return [tensors(draw, shapes, scale) for _ in range(n)]


@exercise("adamw_step")
class TestAdamwStep:
    @public
    @value(3)
    def test_two_steps(self, check: Check, draw: Draw) -> None:
        """Two steps of a matrix and a vector, with a large eps and a large decay."""
        gradients = [tidy_tensors(draw, FEW) for _ in range(2)]
        check.through(training, (1,))(tidy_tensors(draw, FEW), gradients, [0.1, 0.1], **LOUD)

    @value(2)
    def test_many_steps(self, check: Check, draw: Draw) -> None:
        """Eight steps with rates that change; the moments and their correction are carried along."""
        rates = [0.3 / (1 + i % 5) for i in range(8)]
        check.through(training, (1,))(tensors(draw, SHAPES), steps(draw, SHAPES, 8), rates, **LOUD)

    @value(2)
    def test_defaults(self, check: Check, draw: Draw) -> None:
        """Three steps with the default betas, eps and decay, with gradients as small as eps and ordinary ones."""
        for scale in (1.0, 1e-8):
            gradients = steps(draw, SHAPES, 3, scale)
            check.through(training, (1,))(tensors(draw, SHAPES), gradients, [0.2, 0.2, 0.1])

    @value(1)
    def test_betas(self, check: Check, draw: Draw) -> None:
        """The first beta is that of the mean, the second that of the squares."""
        gradients = steps(draw, SHAPES, 4)
        for betas in ((0.95, 0.6), (0.0, 0.5)):
            check.through(training, (1,))(tensors(draw, SHAPES), gradients, [0.1] * 4, betas=betas)

    @value(2)
    def test_decay_by_axes(self, check: Check, draw: Draw) -> None:
        """Tensors of two and three axes decay, those of one and none do not, whatever their size."""
        shapes: dict[str, tuple[int, ...]] = {"row": (1, 3), "cube": (2, 2, 2), "line": (6,), "one": (1, 1), "dot": ()}
        given = {name: tensor + 3 for name, tensor in tensors(draw, shapes, 0.5).items()}
        check.through(training, (1,))(given, steps(draw, shapes, 2), [0.1, 0.2], weight_decay=0.7)
        check.through(training, (1,))(given, steps(draw, shapes, 2), [0.1, 0.2], weight_decay=0.0)

    @value(2)
    def test_zero_gradients(self, check: Check, draw: Draw) -> None:
        """Where gradients are 0, nothing but the decay moves a tensor; after other gradients the mean still does."""
        zeros = {name: torch.zeros(size, dtype=torch.float64) for name, size in SHAPES.items()}
        given = {name: tensor + 3 for name, tensor in tensors(draw, SHAPES, 0.5).items()}
        check.through(training, (1,))(given, [zeros, zeros], [0.1, 0.1], weight_decay=0.8)
        mixed = [zeros, tensors(draw, SHAPES), zeros]
        check.through(training, (1,))(given, mixed, [0.1, 0.2, 0.1], weight_decay=0.8)

    @value(1)
    def test_each_parameter_by_its_name(self, check: Check, draw: Draw) -> None:
        """Parameters of one shape have moments of their own, and the order of the keys says nothing."""
        shapes: dict[str, tuple[int, ...]] = {"a": (2, 3), "b": (2, 3), "c": (2, 3)}
        given, gradients = tensors(draw, shapes), steps(draw, shapes, 3)
        check.through(training, (1,))(given, gradients, [0.1] * 3, **LOUD)
        mixed = [gradients[0], in_other_order(gradients[1]), in_other_order(gradients[2])]
        check.through(training, (1,))(in_other_order(given), mixed, [0.1] * 3, **LOUD)

    @law(1)
    def test_old_state_gives_the_same_step(self, check: Check, draw: Draw) -> None:
        """A step taken again from the same parameters and the same state gives the same parameters."""
        gradients = [tidy_tensors(draw, FEW) for _ in range(2)]
        check.through(repeated, (1,))(tidy_tensors(draw, FEW), gradients, 0.1, **LOUD)

    @law(1)
    def test_trainings_are_apart(self, check: Check, draw: Draw) -> None:
        """Two trainings with the same names, each started with an empty state, know nothing of each other."""
        runs, gradients = ([tidy_tensors(draw, FEW) for _ in range(2)] for _ in range(2))
        check.through(two_runs, (1,))(runs, gradients, 0.1, **LOUD)

    @public
    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """New parameters have the dtype of the old ones."""
        shapes = FEW | {"scale": ()}
        gradients = [tensors(draw, shapes, 1.0, precision) for _ in range(3)]
        # A parameter may come near 0, where its own size is no measure of what rounding does to it.
        near = check.within(scale=1.0).through(training, (1,))
        near(tensors(draw, shapes, 1.0, precision), gradients, [0.1] * 3, **LOUD)

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Parameters, gradients and the empty state are the same after the step."""
        check.through(training, (1,)).unchanged(tensors(draw, SHAPES), steps(draw, SHAPES, 2), [0.1, 0.1], **LOUD)


def rates(
    function: Callable[..., Any], at: list[int], max_lr: float, min_lr: float, warmup_steps: int, total_steps: int
) -> Tensor:
    """The learning rate of each of the steps in `at`"""
    found = [float(function(step, max_lr, min_lr, warmup_steps, total_steps)) for step in at]
    return torch.tensor(found, dtype=torch.float64)


@exercise("cosine_lr")
class TestCosineLr:
    @public
    @value(3)
    def test_a_short_training(self, check: Check, draw: Draw) -> None:
        """Three steps up, a cosine down to step 8, then level."""
        largest, smallest = draw.choice([0.8, 1.2, 1.6]), draw.choice([0.1, 0.2, 0.3])
        check.through(rates)(list(range(11)), largest, smallest, 3, 8)

    @public
    @value(2)
    def test_warm_up(self, check: Check, draw: Draw) -> None:
        """The first step learns already, and the last step of the warm-up has the full rate."""
        check.through(rates)(list(range(8)), float(draw.uniform(low=1, high=2)), 0.1, 7, 50)
        check.through(rates)([0, 1, 499, 998, 999], float(draw.uniform(low=1, high=2)), 0.0, 1000, 9000)

    @value(2)
    def test_the_way_down(self, check: Check, draw: Draw) -> None:
        """After the warm-up progress runs from 0 to 1, and the rate from max_lr to min_lr."""
        largest, smallest = float(draw.uniform(low=2, high=3)), float(draw.uniform(low=0.4, high=0.9))
        check.through(rates)([200, 201, 300, 450, 600, 799, 900, 999], largest, smallest, 200, 1000)
        check.through(rates)([90, 92, 95, 97, 99], largest, smallest, 90, 100)

    @public
    @value(2)
    def test_the_end(self, check: Check, draw: Draw) -> None:
        """From total_steps on the rate is min_lr, however long it goes on."""
        largest, smallest = float(draw.uniform(low=2, high=3)), float(draw.uniform(low=0.3, high=0.9))
        check.through(rates)([59, 60, 61, 75, 100, 110, 160, 1000], largest, smallest, 10, 60)

    @value(1)
    def test_no_warm_up(self, check: Check, draw: Draw) -> None:
        """With warmup_steps 0 the first step has the full rate, and the end is where it was."""
        check.through(rates)([0, 1, 2, 5, 9, 10], float(draw.uniform(low=2, high=3)), 0.2, 0, 10)
        check.through(rates)([0, 1], float(draw.uniform(low=2, high=3)), 0.2, 0, 1)
        check.through(rates)([59, 60, 61, 75, 100, 110, 160, 1000], float(draw.uniform(low=2, high=3)), 0.7, 0, 60)

    @value(1)
    def test_one_step_of_warm_up(self, check: Check, draw: Draw) -> None:
        """Warm-up of one step; warm-up of all steps but one."""
        check.through(rates)([0, 1, 2, 5], float(draw.uniform(low=2, high=3)), 0.4, 1, 9)
        check.through(rates)([0, 3, 7, 8, 9, 10], float(draw.uniform(low=2, high=3)), 0.4, 8, 9)

    @value(1)
    def test_as_in_practice(self, check: Check) -> None:
        """Rates of 6e-4 and less, two thousand steps of warm-up, six hundred thousand in all."""
        check.through(rates)([0, 999, 1999, 2000, 150_000, 300_000, 600_000, 700_000], 6e-4, 6e-5, 2000, 600_000)


def scalars(values: Tensor) -> list[Tensor]:
    """The entries of a vector as scalar tensors."""
    return [value.clone() for value in values.unbind()]


@exercise("accumulate_loss")
class TestAccumulateLoss:
    @public
    @value(3)
    def test_two_micro_batches(self, check: Check, draw: Draw) -> None:
        """All losses added up, divided by all targets."""
        check(scalars(draw.tidy(2, low=0.6, high=9.0)), draw.choice([[1, 3], [4, 1], [2, 5]]))

    @value(2)
    def test_many_micro_batches(self, check: Check, draw: Draw) -> None:
        """Seven micro-batches of different sizes."""
        check(scalars(draw.uniform(7, low=1, high=90)), (1 + draw.permutation(7) * 3).tolist())
        check(scalars(draw.uniform(3, low=900, high=2000)), [512, 509, 77])

    @value(1)
    def test_one_micro_batch(self, check: Check, draw: Draw) -> None:
        """A single micro-batch gives its own mean."""
        check(scalars(draw.uniform(1, low=5, high=9)), [3])

    @value(1)
    def test_micro_batch_without_targets(self, check: Check, draw: Draw) -> None:
        """A micro-batch in which nothing counts adds nothing."""
        first, last = scalars(draw.uniform(2, low=1, high=9))
        nothing = torch.tensor(0.0, dtype=torch.float64)
        check([first, nothing, last], [4, 0, 3])
        check([nothing, first], [0, 2])

    @value(2)
    def test_gradients(self, check: Check, draw: Draw) -> None:
        """The gradient of every sum is 1 over the number of all targets."""
        check.gradient(scalars(draw.uniform(3, low=1, high=9)), [2, 5, 1], wrt=((0, 0), (0, 1), (0, 2)))

    @public
    @law(1)
    def test_cut_in_another_way(self, check: Check, draw: Draw) -> None:
        """The same losses, cut into other micro-batches, have the same mean."""
        a, b, c, d = scalars(draw.uniform(4, low=1, high=9))
        fine = check.call([a, b, c, d], [1, 4, 2, 6])
        sentence = "The same losses cut into other micro-batches give another mean."
        check.close(fine, check.call([a + b + c, d], [7, 6]), 1e-5, sentence)
        check.close(fine, check.call([d + b, c, a], [10, 2, 1]), 1e-5, sentence)

    @public
    @raises(1)
    def test_nothing_counts(self, check: Check) -> None:
        """Where no target counts there is no mean, and the call is refused."""
        zero = torch.tensor(0.0, dtype=torch.float64)
        check.raises([zero, zero], [0, 0])
        check.raises([zero], [0])

    @raises(1)
    def test_no_micro_batches(self, check: Check) -> None:
        """Empty lists are refused."""
        check.raises([], [])

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The mean has the dtype of the sums."""
        check(scalars(draw.uniform(3, low=2, high=90, dtype=precision)), [20, 7, 31])

    @public
    @shape(1)
    def test_scalar(self, check: Check, draw: Draw) -> None:
        """The result is a scalar tensor, of one micro-batch too."""
        for n in (1, 4):
            mean = check.call(scalars(draw.uniform(n, low=1, high=9)), [2] * n)
            check.expect(isinstance(mean, Tensor) and mean.shape == (), "A scalar tensor, of shape (), was expected.")

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Sums and counts are the same after the call, the first sum too."""
        check.unchanged(scalars(draw.uniform(3, low=1, high=9)), [2, 5, 1])
