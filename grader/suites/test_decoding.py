"""Hidden suite of the lesson on decoding: filters, sampling, the loop, the cache of keys and values.

Nothing here is a matter of luck: sampling is asked with uniforms that are given, and no uniform or mass lies near a
decision. Where one call does not show enough (a loop, a growing cache), a play makes several.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, raises, shape, value

Function = Callable[..., Any]
Model = Callable[[Tensor], Tensor]
Pair = tuple[Tensor, Tensor]

PRECISIONS = pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
ALMOST_ONE = 1 - 2.0**-24
"""The largest float32 below 1."""
GROUPS = ((6, 2), (6, 3), (4, 4), (3, 1))
"""Query heads and key-value heads."""


def apart(draw: Draw, *sizes: int, precision: torch.dtype = torch.float64) -> Tensor:
    """Random numbers around 0 in random order, no two of them nearer than 0.08."""
    count = math.prod(sizes)
    steps = draw.permutation(count).double() - (count - 1) / 2 + draw.uniform(count, low=-0.3, high=0.3)
    return (0.2 * steps).reshape(sizes).to(precision)


def logs(*rows: Sequence[float], precision: torch.dtype = torch.float64) -> Tensor:
    """Logits of these distributions; a mass of 0 is `-inf`."""
    return torch.tensor(rows, dtype=torch.float64).log().to(precision)


@exercise("apply_temperature")
class TestApplyTemperature:
    @public
    @value(3)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """Logits are divided by the temperature."""
        check(draw.tidy(2, 4), 0.4)

    @value(2)
    def test_warm_and_cold(self, check: Check, draw: Draw) -> None:
        """Temperatures below and above 1, and 1 itself."""
        for temperature in (0.7, 1.0, 1.6, 25.0):
            check(draw.normal(3, 7, scale=3.0, shift=1.0), temperature)

    @value(2)
    def test_zero_is_greedy(self, check: Check, draw: Draw) -> None:
        """At temperature 0 the largest logit of each row becomes 0 and all others become -inf."""
        check(apart(draw, 3, 5), 0.0)
        check(apart(draw, 4, 6) - 5, 0.0)

    @value(1)
    def test_zero_takes_the_first_of_several_maxima(self, check: Check) -> None:
        """Where several logits are the largest, temperature 0 keeps the first of them alone."""
        rows = [[0.5, 2.5, -1.0, 2.5, 2.5], [1.5, 1.5, 1.5, 1.5, 1.5], [-2.0, -3.0, -2.5, -3.5, -2.0]]
        check(torch.tensor(rows, dtype=torch.float64), 0.0)

    @value(1)
    def test_minus_infinity_stays(self, check: Check, draw: Draw) -> None:
        """A token that was ruled out stays ruled out."""
        logits = apart(draw, 3, 6)
        logits[0, 2] = logits[1, :3] = logits[2, 5] = -math.inf
        check(logits, 0.3)
        check(logits, 0.0)

    @public
    @shape(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One row alone, four axes, and an empty batch."""
        for sizes in ((5,), (2, 1, 3, 4), (0, 5)):
            check(apart(draw, *sizes), 0.7)
            check(apart(draw, *sizes), 0.0)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of the logits, at temperature 0 too."""
        check(apart(draw, 3, 5, precision=precision), 0.7)
        check(apart(draw, 3, 5, precision=precision), 0.0)

    @public
    @raises(1)
    def test_negative_temperature(self, check: Check, draw: Draw) -> None:
        """A negative temperature is refused."""
        check.raises(draw.normal(2, 4), -0.5)
        check.raises(draw.normal(2, 4), -3.0)

    @raises(1)
    def test_temperature_that_is_no_number(self, check: Check, draw: Draw) -> None:
        """A temperature of NaN is refused."""
        check.raises(draw.normal(2, 4), math.nan)

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The logits are the same after the call."""
        check.unchanged(draw.normal(2, 4), 0.7)
        check.unchanged(apart(draw, 2, 4), 0.0)


@exercise("top_k")
class TestTopK:
    @public
    @value(3)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """The two largest logits of each row stay, the others become -inf."""
        check(draw.tidy(2, 5), 2)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """More rows, each with its own threshold; a single token; all but one."""
        logits = apart(draw, 3, 9)
        shifted = logits + torch.tensor([[0.0], [7.0], [-7.0]])
        for k in (1, 4, 8):
            check(logits, k)
            check(shifted, k)

    @value(2)
    def test_ties_at_the_edge(self, check: Check) -> None:
        """All logits that are equal to the k-th largest stay."""
        rows = [[2.5, 3.0, 3.0, 1.0, 3.0], [0.5, -1.0, -1.0, -2.0, -1.0], [4.0, 1.5, 1.5, 2.0, 0.5]]
        for k in (1, 2, 3):
            check(torch.tensor(rows, dtype=torch.float64), k)

    @value(1)
    def test_minus_infinities(self, check: Check, draw: Draw) -> None:
        """Tokens that were ruled out before stay so; a row may hold fewer than k others."""
        logits = apart(draw, 3, 6)
        logits[0, 1] = logits[1, 2:] = logits[2, 4] = -math.inf
        check(logits, 3)

    @public
    @law(1)
    def test_k_of_all_or_more(self, check: Check, draw: Draw) -> None:
        """A k of V or more keeps every token."""
        logits = apart(draw, 2, 5)
        for k in (5, 6, 500):
            check(logits, k)

    @public
    @shape(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One row alone, four axes, a vocabulary of one, and an empty batch."""
        for sizes in ((5,), (2, 1, 3, 4), (3, 1), (0, 5)):
            check(apart(draw, *sizes), 2)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of the logits."""
        check(apart(draw, 3, 8, precision=precision), 3)

    @public
    @raises(1)
    def test_fewer_than_one(self, check: Check, draw: Draw) -> None:
        """A k below 1 is refused."""
        check.raises(draw.normal(2, 4), 0)
        check.raises(draw.normal(2, 4), -2)

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The logits are the same after the call."""
        check.unchanged(draw.normal(2, 5), 2)


def nucleus_size(row: Tensor, p: float, margin: float) -> int:
    """How many tokens of a row are kept, 0 if a mass lies nearer to p than the margin."""
    before = row.softmax(-1).sort(descending=True).values.cumsum(-1)
    return int((before < p).sum()) + 1 if bool(((before - p).abs() > margin).all()) else 0


def nuclei(
    draw: Draw, rows: int, vocabulary: int, p: float, *, fewest: int = 2, tidy: bool = False, margin: float = 0.01
) -> Tensor:
    """Logits `(rows, vocabulary)`, of which top-p keeps the fewest or more but never all, all masses being clear of p.

    The most probable token is not the first. `fewest` 1 stands for exactly one.
    """
    kept = range(fewest, vocabulary if fewest > 1 else 2)
    found: list[Tensor] = []
    while len(found) < rows:
        row = draw.tidy(vocabulary) if tidy else apart(draw, vocabulary) * draw.uniform(1, low=0.7, high=4.0)
        if nucleus_size(row, p, margin) in kept and int(row.argmax()) > 0:
            found.append(row)
    return torch.stack(found)


@exercise("top_p")
class TestTopP:
    @value(3)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """The most probable tokens stay until their mass has reached p; the one that reaches it stays too."""
        check(nuclei(draw, 2, 5, 0.7, tidy=True), 0.7)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Several rows, each with a set of its own."""
        for p in (0.35, 0.6, 0.9):
            check(nuclei(draw, 4, 9, p), p)

    @value(1)
    def test_at_least_one(self, check: Check, draw: Draw) -> None:
        """A p below the probability of the first token keeps that token, in every row."""
        check(nuclei(draw, 4, 6, 0.15, fewest=1), 0.15)
        check(nuclei(draw, 3, 4, 1e-8, fewest=1, margin=1e-3), 1e-8)

    @value(2)
    def test_equally_probable_tokens(self, check: Check) -> None:
        """Among equally probable tokens the lower index comes first."""
        logits = logs([0.1, 0.3, 0.2, 0.3, 0.1], [0.2, 0.2, 0.2, 0.2, 0.2], [0.12, 0.12, 0.4, 0.12, 0.24])
        for p in (0.15, 0.47, 0.7, 0.85):
            check(logits, p)

    @value(1)
    def test_many_tokens(self, check: Check, draw: Draw) -> None:
        """Hundreds of tokens, with p halfway between two masses."""
        for size in (20, 60):
            row = apart(draw, 300) / 10
            masses = row.softmax(-1).sort(descending=True).values.cumsum(-1)
            check(row[None], float((masses[size - 1] + masses[size]) / 2))

    @public
    @value(1)
    def test_minus_infinities(self, check: Check) -> None:
        """Tokens that were ruled out before have no mass and stay ruled out."""
        logits = logs([0.0, 0.15, 0.6, 0.25], [0.45, 0.0, 0.35, 0.2], [0.0, 0.0, 1.0, 0.0])
        for p in (0.5, 0.7, 0.9):
            check(logits, p)

    @public
    @law(1)
    def test_one_changes_nothing(self, check: Check, draw: Draw) -> None:
        """p = 1 keeps every token, however improbable."""
        # Of so many rows some sum to less than 1 and some to more, in any precision.
        check(draw.normal(40, 30), 1.0)
        logits = apart(draw, 3, 6)
        logits[0, 2] += 60
        logits[1, 4] -= 50
        logits[2, 0] = -math.inf
        check(logits, 1.0)

    @law(1)
    def test_one_changes_nothing_in_float32(self, check: Check, draw: Draw) -> None:
        """p = 1 keeps the last of many tokens, also where the sum of float32 masses has passed 1 by rounding."""
        # However the masses are summed, a fifth of such rows or more pass 1 before the end: forty leave no luck.
        check(draw.normal(40, 120, scale=6.0, dtype=torch.float32), 1.0)

    @shape(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One row alone, four axes, a vocabulary of one, and an empty batch."""
        rows = nuclei(draw, 6, 5, 0.6)
        for logits in (rows[0], rows.reshape(2, 1, 3, 5), rows[:, :1], rows[:0]):
            check(logits, 0.6)

    @public
    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, precision: torch.dtype) -> None:
        """The result has the dtype of the logits."""
        logits = logs([0.06, 0.25, 0.4, 0.04, 0.15, 0.1], [0.15, 0.04, 0.06, 0.1, 0.25, 0.4], precision=precision)
        for p in (0.3, 0.55, 0.72):
            check(logits, p)

    @public
    @raises(1)
    def test_zero(self, check: Check, draw: Draw) -> None:
        """A p of 0 is refused."""
        check.raises(draw.normal(2, 4), 0.0)

    @raises(1)
    def test_outside_the_range(self, check: Check, draw: Draw) -> None:
        """A p below 0 or above 1 is refused."""
        for p in (-0.3, 1.5):
            check.raises(draw.normal(2, 4), p)

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The logits are the same after the call."""
        check.unchanged(nuclei(draw, 2, 5, 0.6), 0.6)
        check.unchanged(apart(draw, 2, 4), 1.0)


def sampled_and_dtype(function: Function, probabilities: Tensor, uniform: Tensor) -> tuple[Any, str]:
    """The tokens and their dtype."""
    tokens = function(probabilities, uniform)
    return tokens, str(tokens.dtype)


def uniforms(draw: Draw, probabilities: Tensor, margin: float = 0.1) -> Tensor:
    """A uniform for each row that stays clear of the ends of a token's share, any token with mass being as likely."""
    shares = probabilities / probabilities.sum(-1, keepdim=True)
    found = []
    for row in shares:
        token = draw.choice(row.nonzero().flatten().tolist())
        inside = float(draw.uniform(1, low=margin, high=1 - margin))
        found.append(float(row[:token].sum() + inside * row[token]))
    return torch.tensor(found, dtype=torch.float64)


@exercise("sample")
class TestSample:
    @public
    @value(3)
    def test_four_tokens(self, check: Check) -> None:
        """The first token whose cumulative mass exceeds the uniform of its row."""
        rows = [[0.1, 0.2, 0.4, 0.3], [0.4, 0.1, 0.3, 0.2], [0.2, 0.3, 0.1, 0.4]]
        check(torch.tensor(rows, dtype=torch.float64), torch.tensor([0.85, 0.63, 0.35], dtype=torch.float64))

    @value(3)
    def test_every_uniform_of_a_grid(self, check: Check, draw: Draw) -> None:
        """On a fine grid of uniforms every token is met exactly as often as its mass says, and a mass of 0 never."""
        inner = torch.tensor([2.0, 5.0, 0.0, 1.0, 8.0, 4.0], dtype=torch.float64)[draw.permutation(6)]
        masses = torch.nn.functional.pad(inner / 20, (1, 1))
        grid = (torch.arange(500, dtype=torch.float64) + 0.5) / 500
        check(masses.expand(500, 8), grid)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Each row has a distribution and a uniform of its own."""
        for rows, vocabulary in ((12, 5), (8, 17)):
            probabilities = draw.normal(rows, vocabulary, scale=0.7).softmax(-1)
            check(probabilities, uniforms(draw, probabilities))

    @public
    @value(1)
    def test_uniform_of_zero(self, check: Check) -> None:
        """A uniform of 0 takes the first token that has any mass."""
        rows = [[0.0, 0.0, 0.3, 0.7], [0.0, 0.6, 0.0, 0.4], [0.2, 0.8, 0.0, 0.0]]
        check(torch.tensor(rows, dtype=torch.float64), torch.zeros(3, dtype=torch.float64))

    @value(1)
    def test_uniform_just_below_one(self, check: Check) -> None:
        """The largest uniform takes the last token that has any mass."""
        rows = [[0.3, 0.7, 0.0, 0.0], [0.2, 0.0, 0.8, 0.0], [0.1, 0.2, 0.3, 0.4]]
        check(torch.tensor(rows, dtype=torch.float64), torch.full((3,), ALMOST_ONE, dtype=torch.float64))

    @value(2)
    def test_masses_of_any_total(self, check: Check, draw: Draw) -> None:
        """Masses that do not sum to 1 are scaled by their total."""
        probabilities = draw.normal(9, 6, scale=0.7).softmax(-1)
        totals = torch.tensor([0.25, 3.0, 40.0], dtype=torch.float64).repeat(3)[:, None]
        check(probabilities * totals, uniforms(draw, probabilities))
        rows = torch.tensor([[0.0, 1.0, 2.0, 1.0, 0.0], [0.1, 0.0, 0.1, 0.2, 0.0]], dtype=torch.float64)
        check(rows, torch.tensor([0.9, 0.9], dtype=torch.float64))

    @public
    @dtype(1)
    @PRECISIONS
    def test_low_precision(self, check: Check, precision: torch.dtype) -> None:
        """The dtype of the masses does not matter."""
        rows = torch.tensor([[0.0, 0.3, 0.45, 0.25], [0.6, 0.0, 0.15, 0.25], [0.25, 0.5, 0.0, 0.25]], dtype=precision)
        check(rows, torch.tensor([0.6, 0.9, 0.125], dtype=precision))

    @dtype(1)
    def test_many_tokens_in_float32(self, check: Check) -> None:
        """A thousand equal masses and then some of 0: even the largest uniform takes one that has mass."""
        masses = torch.full((1, 1000), 0.001, dtype=torch.float32)
        masses[0, 990:] = 0.0
        check(masses.expand(2, 1000), torch.tensor([ALMOST_ONE, 0.50025], dtype=torch.float32))

    @dtype(1)
    def test_ids_are_int64(self, check: Check, draw: Draw) -> None:
        """Tokens are int64, ready to be looked up."""
        probabilities = draw.probabilities(4, 5)
        check.through(sampled_and_dtype)(probabilities, uniforms(draw, probabilities))

    @shape(1)
    def test_small_and_empty_batches(self, check: Check, draw: Draw) -> None:
        """One row, a vocabulary of one, and an empty batch."""
        for rows, vocabulary in ((1, 4), (3, 1), (0, 4)):
            probabilities = draw.normal(rows, vocabulary, scale=0.7).softmax(-1)
            check(probabilities, uniforms(draw, probabilities))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Masses and uniforms are the same after the call."""
        masses = 3 * draw.probabilities(3, 4)
        check.unchanged(masses, uniforms(draw, masses))


def adds_up(tokens: Tensor) -> Tensor:
    """A model of ten tokens that continues with the last digit of the sum of what it is shown."""
    return 5.0 * torch.nn.functional.one_hot(tokens.cumsum(-1) % 10, 10).double()


class Mixer:
    """A model whose prediction depends on every token that it is shown, on their order and on their number."""

    def __init__(self, vocabulary: int, start: int) -> None:
        self.vocabulary = vocabulary
        self.start = start

    def __call__(self, tokens: Tensor) -> Tensor:
        """`(1, t)` -> `(1, t, V)`; at each place one logit lies 1 above the next."""
        rows = []
        for row in tokens.tolist():
            state, logits = self.start, []
            for place, token in enumerate(row):
                state = (3 * state + int(token) + 1) % self.vocabulary
                logits.append([(place * 7) % 5 - float((v - state) % self.vocabulary) for v in range(self.vocabulary)])
            rows.append(logits)
        return torch.tensor(rows, dtype=torch.float64)


class Cycle:
    """A model in which each token has one successor, so that every token comes up in turn."""

    def __init__(self, order: Tensor) -> None:
        self.successors = torch.empty_like(order).scatter(0, order, order.roll(-1))

    def __call__(self, tokens: Tensor) -> Tensor:
        """`(1, t)` -> `(1, t, V)`."""
        following = self.successors[tokens.long() % len(self.successors)]
        return 4.0 * torch.nn.functional.one_hot(following, len(self.successors)).double() - 2.0


class Torn:
    """A model that finds several tokens equally probable: after a token all that are larger, after the largest all."""

    def __init__(self, vocabulary: int) -> None:
        self.vocabulary = vocabulary

    def __call__(self, tokens: Tensor) -> Tensor:
        """`(1, t)` -> `(1, t, V)`."""
        ids = torch.arange(self.vocabulary)
        larger = ids > tokens[..., None] % self.vocabulary
        return torch.where(larger.any(-1, keepdim=True), larger, ids > 1).double()


class Recorder:
    """A model that remembers what it was shown."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.windows: list[Tensor] = []

    def __call__(self, tokens: Tensor) -> Tensor:
        self.windows.append(tokens.clone())
        return self.model(tokens)


def what_the_model_sees(
    function: Function,
    next_logits: Model,
    prompt: Tensor,
    max_new_tokens: int,
    context_length: int,
    stop_token: int | None = None,
) -> tuple[Any, ...]:
    """The tokens, how often the model was called, and what it was shown each time."""
    recorder = Recorder(next_logits)
    tokens = function(recorder, prompt, max_new_tokens, context_length, stop_token=stop_token)
    return tokens, len(recorder.windows), recorder.windows


def written_and_dtype(
    function: Function, next_logits: Model, prompt: Tensor, max_new_tokens: int, context_length: int
) -> tuple[Any, str]:
    """The tokens and their dtype."""
    tokens = function(next_logits, prompt, max_new_tokens, context_length)
    return tokens, str(tokens.dtype)


def prompt_of(draw: Draw, length: int, vocabulary: int) -> Tensor:
    """A prompt `(1, T)`."""
    return draw.integers(0, vocabulary, 1, length)


@exercise("generate")
class TestGenerate:
    @public
    @value(3)
    def test_three_new_tokens(self, check: Check) -> None:
        """The prompt and three new tokens; the model continues with the last digit of the sum so far."""
        check(adds_up, torch.tensor([[3, 4]]), 3, 8)

    @value(2)
    def test_order_and_place_matter(self, check: Check, draw: Draw) -> None:
        """A model that needs every token in its place; each prediction is read at the last place."""
        for start, length, new in ((1, 4, 6), (5, 1, 5), (8, 7, 1)):
            check(Mixer(11, start), prompt_of(draw, length, 11), new, 20)

    @value(2)
    def test_window(self, check: Check, draw: Draw) -> None:
        """The model is called once for each new token and shown the last tokens, at most context_length of them."""
        shown = check.through(what_the_model_sees)
        for length, new, context in ((2, 6, 4), (7, 4, 3), (3, 4, 3), (3, 5, 30)):
            shown(Mixer(13, 2), prompt_of(draw, length, 13), new, context)

    @value(1)
    def test_window_of_one(self, check: Check, draw: Draw) -> None:
        """A context of one token: the model is shown the newest token alone."""
        check.through(what_the_model_sees)(Mixer(13, 4), prompt_of(draw, 3, 13), 4, 1)

    @value(2)
    def test_stop_token(self, check: Check, draw: Draw) -> None:
        """The stop token ends the text and belongs to it; nothing is asked after that."""
        order = torch.cat([torch.tensor([4]), 5 + draw.permutation(4), torch.tensor([0, 1, 2, 3])])
        shown = check.through(what_the_model_sees)
        for distance in (1, 3, 5):
            shown(Cycle(order), order[None, :1], 7, 6, stop_token=int(order[distance]))

    @value(1)
    def test_stop_token_in_the_prompt(self, check: Check, draw: Draw) -> None:
        """Only new tokens stop: the prompt may hold the stop token, also at its end."""
        order = draw.permutation(9)
        for places in ([5, 0], [0, 3, 5], [5, 5, 2]):
            check(Cycle(order), order[None, places], 4, 6, stop_token=int(order[5]))

    @value(1)
    def test_stop_token_that_never_comes(self, check: Check, draw: Draw) -> None:
        """Without the stop token the text has its full length."""
        order = draw.permutation(9)
        check(Cycle(order), order[None, :3], 5, 6, stop_token=int(order[8]))

    @value(1)
    def test_equal_maxima(self, check: Check) -> None:
        """Of several tokens with the largest logit the first is taken."""
        check(Torn(7), torch.tensor([[1, 3]]), 5, 4)

    @public
    @law(1)
    def test_no_new_tokens(self, check: Check, draw: Draw) -> None:
        """Zero new tokens give the prompt back, and the model is not asked."""
        check.through(what_the_model_sees)(Mixer(11, 3), prompt_of(draw, 4, 11), 0, 3)

    @public
    @dtype(1)
    def test_ids_are_int64(self, check: Check, draw: Draw) -> None:
        """Tokens are int64, as the prompt is."""
        check.through(written_and_dtype)(Mixer(11, 6), prompt_of(draw, 3, 11), 3, 5)

    @public
    @raises(1)
    def test_empty_prompt(self, check: Check) -> None:
        """A prompt without tokens is refused."""
        check.raises(adds_up, torch.zeros(1, 0, dtype=torch.int64), 3, 5)

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The prompt is the same after the call."""
        check.unchanged(Mixer(11, 7), prompt_of(draw, 4, 11), 4, 3)


def counted(*sizes: int, start: int = 1) -> Tensor:
    """start, start + 1, ... in reading order, so that a person sees where each number went."""
    return torch.arange(start, start + math.prod(sizes), dtype=torch.float64).reshape(sizes)


def pair(draw: Draw, *sizes: int, precision: torch.dtype = torch.float64) -> Pair:
    """Random keys and values of one shape."""
    return draw.normal(*sizes, dtype=precision), draw.normal(*sizes, dtype=precision)


def grown(function: Function, chunks: Sequence[Pair]) -> list[Any]:
    """A cache that starts as None and grows chunk by chunk: every state of it."""
    states, cache = [], None
    for k, v in chunks:
        cache = function(cache, k, v)
        states.append(cache)
    return states


def branched(function: Function, prefix: Pair, one: Pair, other: Pair) -> tuple[Any, ...]:
    """Two continuations of one cache, and that cache."""
    shared = function(None, *prefix)
    return function(shared, *one), function(shared, *other), shared


def is_tuple(function: Function, cache: Pair | None, k: Tensor, v: Tensor) -> tuple[Any, bool]:
    """The new cache, and whether it is a tuple."""
    cache = function(cache, k, v)
    return cache, isinstance(cache, tuple)


@exercise("append_cache")
class TestAppendCache:
    @public
    @value(3)
    def test_one_more_position(self, check: Check) -> None:
        """The new position comes behind the two that are there, in every head, for keys and for values."""
        cache = (counted(1, 2, 2, 2), counted(1, 2, 2, 2, start=11))
        check.exact(cache, counted(1, 2, 1, 2, start=51), counted(1, 2, 1, 2, start=61))

    @value(1)
    def test_first_positions(self, check: Check, draw: Draw) -> None:
        """With None the new keys and values are the whole cache."""
        check.exact(None, *pair(draw, 2, 3, 4, 5))

    @value(2)
    def test_several_positions(self, check: Check, draw: Draw) -> None:
        """A chunk of several positions keeps its order."""
        check.exact(pair(draw, 2, 3, 4, 5), *pair(draw, 2, 3, 2, 5))
        check.exact(pair(draw, 3, 1, 2, 4), *pair(draw, 3, 1, 7, 4))

    @value(1)
    def test_equal_sizes(self, check: Check, draw: Draw) -> None:
        """Time is the third axis, also where every size is the same."""
        check.exact(pair(draw, 3, 3, 3, 3), *pair(draw, 3, 3, 3, 3))

    @value(2)
    def test_grows_chunk_by_chunk(self, check: Check, draw: Draw) -> None:
        """Each call takes the cache of the one before."""
        check.through(grown).exact([pair(draw, 2, 3, new, 4) for new in (3, 1, 2, 1)])

    @public
    @law(1)
    def test_two_continuations(self, check: Check, draw: Draw) -> None:
        """Two continuations of one cache do not see each other."""
        check.through(branched).exact(pair(draw, 2, 2, 3, 4), pair(draw, 2, 2, 1, 4), pair(draw, 2, 2, 2, 4))

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """Numbers are copied, not converted."""
        check.exact(pair(draw, 2, 3, 4, 5, precision=precision), *pair(draw, 2, 3, 1, 5, precision=precision))

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch has a cache of the right shape."""
        check.exact(pair(draw, 0, 3, 4, 5), *pair(draw, 0, 3, 2, 5))

    @law(1)
    def test_returns_a_tuple(self, check: Check, draw: Draw) -> None:
        """Keys and values come as a tuple, with and without an old cache."""
        check.through(is_tuple).exact(None, *pair(draw, 1, 2, 3, 4))
        check.through(is_tuple).exact(pair(draw, 1, 2, 3, 4), *pair(draw, 1, 2, 1, 4))

    @public
    @raises(1)
    def test_keys_and_values_of_two_shapes(self, check: Check, draw: Draw) -> None:
        """New keys and values of different width, heads or batch are refused."""
        for sizes in ((2, 3, 2, 5), (2, 1, 2, 4), (1, 3, 2, 4)):
            check.raises(None, draw.normal(2, 3, 2, 4), draw.normal(*sizes))

    @raises(1)
    def test_keys_and_values_of_two_lengths(self, check: Check, draw: Draw) -> None:
        """New keys and values for different numbers of positions are refused, with and without an old cache."""
        for cache in (pair(draw, 2, 3, 5, 4), None):
            check.raises(cache, draw.normal(2, 3, 2, 4), draw.normal(2, 3, 1, 4))

    @raises(1)
    def test_another_cache(self, check: Check, draw: Draw) -> None:
        """A cache of another batch, other heads or another width is refused."""
        for sizes in ((1, 3, 5, 4), (2, 1, 5, 4), (2, 3, 5, 6)):
            check.raises(pair(draw, *sizes), *pair(draw, 2, 3, 1, 4))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The old cache and the new keys and values are the same after the call."""
        check.unchanged(pair(draw, 2, 3, 4, 5), *pair(draw, 2, 3, 2, 5))


Step = tuple[Tensor, Tensor, Tensor]


def new_positions(
    draw: Draw, heads: tuple[int, int], new: int, batch: int = 2, k: int = 5, precision: torch.dtype = torch.float64
) -> Step:
    """Queries, keys and values of new positions, for so many query heads and key-value heads."""
    n_heads, n_kv_heads = heads
    q = draw.normal(batch, n_heads, new, k, dtype=precision)
    return q, *pair(draw, batch, n_kv_heads, new, k, precision=precision)


def chunk_by_chunk(function: Function, q: Tensor, k: Tensor, v: Tensor, lengths: Sequence[int]) -> tuple[Any, Any]:
    """The outputs of consecutive chunks, each with the cache of the one before, and the last cache."""
    outputs, cache = [], None
    for chunk in zip(*(torch.split(x, list(lengths), dim=2) for x in (q, k, v)), strict=True):
        output, cache = function(*chunk, cache)
        outputs.append(output)
    return torch.cat(outputs, dim=2), cache


@exercise("attend_cached")
class TestAttendCached:
    @public
    @value(3)
    def test_two_after_one(self, check: Check, draw: Draw) -> None:
        """Two new positions after a cached one; two query heads share a key-value head."""
        cache = (draw.tidy(1, 1, 1, 2), draw.tidy(1, 1, 1, 2))
        check(draw.tidy(1, 2, 2, 2), draw.tidy(1, 1, 2, 2), draw.tidy(1, 1, 2, 2), cache)

    @value(2)
    def test_chunks_after_a_cache(self, check: Check, draw: Draw) -> None:
        """A chunk sees the whole cache, itself causally; groups of three, of two, of one, and one group for all."""
        for n_heads, n_kv_heads in GROUPS:
            check(*new_positions(draw, (n_heads, n_kv_heads), 3), pair(draw, 2, n_kv_heads, 4, 5))

    @value(1)
    def test_without_a_cache(self, check: Check, draw: Draw) -> None:
        """With None the first chunk is plain causal attention, and its keys and values are the cache."""
        check(*new_positions(draw, (6, 2), 4), None)
        check(*new_positions(draw, (4, 2), 1, batch=3), None)

    @value(1)
    def test_one_step(self, check: Check, draw: Draw) -> None:
        """A single new query sees every key."""
        check(*new_positions(draw, (6, 2), 1), pair(draw, 2, 2, 7, 5))

    @value(1)
    def test_chunk_longer_than_the_cache(self, check: Check, draw: Draw) -> None:
        """More new positions than cached ones."""
        check(*new_positions(draw, (4, 2), 6, batch=3, k=3), pair(draw, 3, 2, 2, 3))

    @value(2)
    def test_chunk_after_chunk(self, check: Check, draw: Draw) -> None:
        """Cut in any way, the outputs are the rows of full causal attention."""
        stream = new_positions(draw, (6, 2), 7)
        for lengths in ((3, 1, 2, 1), (1, 1, 1, 1, 1, 1, 1), (7,)):
            check.through(chunk_by_chunk)(*stream, lengths)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach queries, new keys and values and the cached ones; shared heads collect from their group."""
        cache = pair(draw, 2, 2, 3, 5)
        check.gradient(*new_positions(draw, (6, 2), 2), cache, wrt=(0, 1, 2, (3, 0), (3, 1)))
        check.gradient(*new_positions(draw, (4, 2), 3), None, wrt=(0, 1, 2))

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """Output and cache have the dtype of the arguments."""
        step = new_positions(draw, (6, 2), 2, k=8, precision=precision)
        check(*step, pair(draw, 2, 2, 4, 8, precision=precision))

    @dtype(1)
    def test_large_scores(self, check: Check, draw: Draw) -> None:
        """Float32 scores in the hundreds."""
        q, k, v = new_positions(draw, (4, 2), 3, k=8, precision=torch.float32)
        keys, values = pair(draw, 2, 2, 4, 8, precision=torch.float32)
        check.within(kappa=600)(14 * q, 14 * k, v, (14 * keys, values))

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch and a cache of the right shape."""
        check(*new_positions(draw, (4, 2), 3, batch=0), pair(draw, 0, 2, 4, 5))
        check(*new_positions(draw, (4, 2), 3, batch=0), None)

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Queries, keys, values and the old cache are the same after the call."""
        check.unchanged(*new_positions(draw, (4, 2), 2), pair(draw, 2, 2, 3, 5))


def seen_tokens(draw: Draw, vocabulary: int, *sizes: int) -> Tensor:
    """Tokens of which some come up more than once and some never: all from the lower half, shuffled over the ids."""
    return draw.permutation(vocabulary)[draw.integers(0, (vocabulary + 1) // 2, *sizes)]


@exercise("repetition_penalty")
class TestRepetitionPenalty:
    @public
    @value(3)
    def test_small_rows(self, check: Check) -> None:
        """Logits of seen tokens are divided if positive and multiplied if negative; others stay."""
        logits = torch.tensor([[1.2, -0.6, 0.9, -1.5, 1.8], [-0.3, 1.6, -0.7, 0.8, -1.1]], dtype=torch.float64)
        check(logits, torch.tensor([[0, 3, 0], [3, 1, 4]]), 2.0)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Each row has seen tokens of its own, some of them several times."""
        for rows, vocabulary, length in ((4, 9, 6), (3, 12, 20)):
            logits = draw.normal(rows, vocabulary, scale=2.0)
            check(logits, seen_tokens(draw, vocabulary, rows, length), 1.3)

    @value(1)
    def test_once_each(self, check: Check, draw: Draw) -> None:
        """A token that was seen ten times is penalised once."""
        tokens = torch.tensor([[2, 5, 2, 2, 2, 5, 2, 2, 2, 2], [0, 0, 0, 1, 1, 1, 3, 3, 3, 3]])
        check(draw.tidy(2, 6), tokens, 1.7)

    @value(1)
    def test_penalty_below_one(self, check: Check, draw: Draw) -> None:
        """A penalty below 1 makes seen tokens likelier."""
        check(draw.tidy(2, 7), seen_tokens(draw, 7, 2, 4), 0.8)

    @value(1)
    def test_minus_infinity_and_zero(self, check: Check, draw: Draw) -> None:
        """A seen token with -inf stays ruled out, and a logit of 0 stays 0."""
        logits = draw.tidy(2, 6)
        logits[0, 1] = logits[1, 4] = logits[1, 2] = -math.inf
        logits[0, 3] = logits[1, 0] = 0.0
        for penalty in (1.5, 0.6):
            check(logits, torch.tensor([[1, 3, 5, 0], [4, 0, 3, 4]]), penalty)

    @public
    @law(1)
    def test_penalty_of_one(self, check: Check, draw: Draw) -> None:
        """A penalty of 1 changes nothing."""
        check(draw.normal(3, 5), seen_tokens(draw, 5, 3, 4), 1.0)

    @public
    @shape(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One row alone, four axes, and an empty batch."""
        for sizes in ((), (2, 1, 3), (0,)):
            check(draw.normal(*sizes, 6), seen_tokens(draw, 6, *sizes, 4), 1.4)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of the logits."""
        check(draw.normal(3, 7, dtype=precision), seen_tokens(draw, 7, 3, 5), 1.4)

    @public
    @raises(1)
    @pytest.mark.parametrize("penalty", [0.0, -1.2], ids=["zero", "negative"])
    def test_not_above_zero(self, check: Check, draw: Draw, penalty: float) -> None:
        """A penalty of 0 or below is refused."""
        check.raises(draw.normal(2, 4), torch.tensor([[0, 1], [2, 2]]), penalty)

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Logits and tokens are the same after the call."""
        check.unchanged(draw.normal(2, 5), seen_tokens(draw, 5, 2, 4), 1.4)
