"""The lesson on attention: its page prints and states what is so, its reference agrees with other authorities."""

import contextlib
import io
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from grader.course.headings import headings
from grader.misconceptions.attention import catalogue
from grader.places import lessons_folder
from reference.attention import (
    attention,
    attention_entropy,
    attention_scores,
    attention_weights,
    causal_mask,
    sliding_window_mask,
)

PAGE = (lessons_folder() / "attention" / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
DTYPES = [(torch.float64, 1e-12), (torch.float32, 5e-6), (torch.bfloat16, 2e-2)]
IN_EACH_DTYPE = pytest.mark.parametrize(("dtype", "tolerance"), DTYPES, ids=["float64", "float32", "bfloat16"])
Array = np.ndarray[Any, np.dtype[Any]]


def normal(*shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0, seed: int = 0) -> Tensor:
    """Reproducible normal numbers, rounded to the dtype."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=generator, dtype=torch.float64) * scale).to(dtype)


def random_mask(*shape: int, seed: int = 3) -> Tensor:
    """A mask with visible and hidden keys, and one empty row."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.6
    mask.flatten(0, -2)[1] = False
    return mask


def bits(weights: Tensor) -> Tensor:
    """Entropy over the last axis through torch.special, in float64."""
    nats: Tensor = torch.special.entr(weights.double()).sum(-1)
    return nats / math.log(2)


def oracle_weights(scores: Tensor, mask: Tensor | None) -> Array:
    """The masked softmax in NumPy's float64, one query after another, over a list of its visible keys."""
    rows = scores.detach().double().numpy().reshape(-1, scores.shape[-1])
    seen = np.ones(rows.shape, bool) if mask is None else mask.expand(scores.shape).numpy().reshape(rows.shape)
    weights = np.zeros(rows.shape)
    for row, visible, out in zip(rows, seen, weights, strict=True):
        keys = [j for j in range(len(row)) if visible[j]]
        peak = max((row[j] for j in keys), default=0.0)
        total = math.fsum(math.exp(row[j] - peak) for j in keys)
        for j in keys:
            out[j] = math.exp(row[j] - peak) / total
    return weights.reshape(scores.shape)


def oracle_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """Attention in NumPy's float64."""
    queries, keys, values = (x.detach().double().numpy() for x in (q, k, v))
    scores = np.einsum("...qc,...kc->...qk", queries, keys) / np.sqrt(q.shape[-1])
    return torch.from_numpy(np.einsum("...qk,...kc->...qc", oracle_weights(torch.from_numpy(scores), mask), values))


def gradients(function: Callable[..., Tensor], *inputs: Tensor, **options: Any) -> tuple[Tensor, ...]:
    """The gradients of a weighted sum of the result, with weights that no symmetry cancels."""
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    result = function(*leaves, **options)
    weights = torch.linspace(0.5, 1.5, result.numel(), dtype=result.dtype).reshape(result.shape)
    return torch.autograd.grad((result * weights).sum(), leaves)


def kernel(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """PyTorch's own attention."""
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def loss_of_one_head(window: int, by_position: bool) -> float:
    """The page's research exercise: the loss in nats of a head that must repeat what stood eight tokens back."""
    T, V, D, back = 64, 16, 32, 8
    generator = torch.Generator().manual_seed(0)

    def learned(*shape: int, scale: float = 1.0) -> Tensor:
        return (torch.randn(shape, generator=generator) * scale).requires_grad_()

    source, embedding = learned(T if by_position else V, D), learned(V, D)
    w_q, w_k, w_out = learned(D, D, scale=D**-0.5), learned(D, D, scale=D**-0.5), learned(V, D, scale=D**-0.5)
    optimizer = torch.optim.Adam([source, embedding, w_q, w_k, w_out], lr=0.01)
    mask = sliding_window_mask(T, T, window)
    for _ in range(100):
        tokens = torch.randint(V, (32, T), generator=generator)  # (B, T)
        asking = source if by_position else source[tokens]  # (T, D) or (B, T, D)
        outputs = attention(asking @ w_q.T, asking @ w_k.T, embedding[tokens], mask)  # (B, T, D)
        loss = F.cross_entropy((outputs @ w_out.T)[:, back:].flatten(0, 1), tokens[:, :-back].flatten())
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
    return loss.item()


class TestPage:
    def test_every_block_runs_in_order_and_prints_what_it_says(self) -> None:
        names: dict[str, Any] = {}
        for block in BLOCKS:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block, "lesson.md", "exec"), names)  # noqa: S102  # the page is ours
            if said := re.findall(r" # prints (.*)", block):
                assert printed.getvalue().splitlines() == said
        assert len(BLOCKS) == 7

    def test_its_slow_attention_is_the_reference(self) -> None:
        names: dict[str, Any] = {}
        exec(compile(BLOCKS[0], "lesson.md", "exec"), names)  # noqa: S102  # the page is ours
        q, k, v, out, weights = (names[name] for name in ("q", "k", "v", "out", "weights"))
        torch.testing.assert_close(out, attention(q, k, v, causal_mask(7, 7)))
        own = attention_weights(attention_scores(q, k), causal_mask(7, 7))
        for i, row in enumerate(weights):
            torch.testing.assert_close(own[i, : i + 1], row)

    def test_every_misconception_points_at_a_section(self) -> None:
        anchors = {heading.anchor for heading in headings(PAGE)}
        pointed = {m.section for flawed in catalogue.exercises.values() for m in flawed.misconceptions}
        assert pointed <= anchors

    def test_the_drawing_of_the_cached_mask(self) -> None:
        drawn = re.findall(r"^query \d +((?:[1.] ?){7})", PAGE, re.MULTILINE)
        mask = causal_mask(3, 7)
        assert [[mark == "1" for mark in row.split()] for row in drawn] == mask.tolist()
        assert mask.sum() == 18
        assert "Eighteen of the 21 pairs are visible." in PROSE

    def test_nearly_even_weights_over_four_tokens(self) -> None:
        weights = torch.tensor([[0.30, 0.27, 0.23, 0.20]])
        assert f"{attention_entropy(weights).item():.2f}" == "1.98"
        assert "nearly even weights (0.30, 0.27, 0.23, 0.20) have 1.98" in PROSE
        assert "four tokens allow at most 2 bits" in PROSE

    @pytest.mark.parametrize(("deviation", "mean_bits", "largest"), [(1, "5.3", "0.11"), (8, "0.8", "0.8")])
    def test_how_the_spread_of_scores_shapes_weights(self, deviation: int, mean_bits: str, largest: str) -> None:
        weights = attention_weights(normal(20000, 64, scale=deviation))
        assert f"{attention_entropy(weights).mean().item():.1f}" == mean_bits
        assert f"{weights.amax(-1).mean().item():.{len(largest) - 2}f}" == largest
        assert "weights of 5.3 bits on average (6 is the most possible) with a largest weight near 0.11" in PROSE
        assert "of deviation 8, only 0.8 bits and a largest weight near 0.8" in PROSE

    def test_dividing_by_the_width_makes_weights_even(self) -> None:
        even = attention_entropy(attention_weights(normal(20000, 64, scale=1 / 8))).mean().item()
        assert f"{even:.2f}" == "5.99"
        assert "the weights are even to 5.99 bits" in PROSE

    def test_costs(self) -> None:
        T, D, K = 8192, 4096, 128
        assert 4 * T**2 * K == 8 * T * D * K
        assert "$T = 2D$: 8,192 positions for a model of width 4,096" in PROSE
        assert 2048 * 2048 * 4 == 16 * 2**20
        assert 4096 * 4096 * 4 == 64 * 2**20
        assert "is 16 MiB for every head of every sequence, and doubling $T$ makes it 64" in PROSE

    def test_limits_of_float32_and_bfloat16(self) -> None:
        inputs = torch.tensor([88.0, 89.0, -103.0, -104.0])
        assert [value in (0, math.inf) for value in inputs.exp().tolist()] == [False, True, False, True]
        assert torch.tensor(16.06).bfloat16() == 16
        assert math.exp(0.06) == pytest.approx(1.06, abs=0.005)
        assert torch.tensor(257).bfloat16() == 256

    def test_a_vector_added_to_every_key_changes_nothing(self) -> None:
        q, k = normal(3, 5), normal(4, 5, seed=1)
        shifted = attention_weights(attention_scores(q, k + normal(5, seed=2)))
        torch.testing.assert_close(shifted, attention_weights(attention_scores(q, k)))

    def test_order_is_unknown_without_a_mask(self) -> None:
        q, k, v = normal(3, 5), normal(4, 5, seed=1), normal(4, 2, seed=2)
        order = torch.tensor([2, 0, 3, 1])
        torch.testing.assert_close(attention(q, k[order], v[order]), attention(q, k, v))

    def test_its_two_gradient_formulas(self) -> None:
        s, g = normal(1, 6), normal(6, seed=1)
        p = attention_weights(s)[0]
        (of_loss,) = gradients(lambda s: (attention_weights(s) * g).sum()[None], s)
        torch.testing.assert_close(of_loss[0], 0.5 * p * (g - (p * g).sum()))
        (of_entropy,) = gradients(lambda s: attention_entropy(attention_weights(s)), s)
        torch.testing.assert_close(of_entropy[0], -0.5 * p * (p.log2() + bits(p)))

    def test_limiting_cases(self) -> None:
        q, k, v = normal(5, 4), normal(5, 4, seed=1), normal(5, 3, seed=2)
        torch.testing.assert_close(attention(q, k, v, sliding_window_mask(5, 5, 1)), v)
        torch.testing.assert_close(attention(0 * q, k, v), v.mean(0).expand(5, 3))
        best = attention_scores(q, k).argmax(-1)
        torch.testing.assert_close(attention(1e6 * q, k, v), v[best])
        assert torch.equal(sliding_window_mask(3, 5, 9), causal_mask(3, 5))

    def test_one_pass_gives_a_signal_for_every_prefix(self) -> None:
        q, k, v = normal(6, 4), normal(6, 4, seed=1), normal(6, 3, seed=2)
        whole = attention(q, k, v, causal_mask(6, 6))
        for n in range(1, 7):  # what the model would compute if the text stopped after n tokens
            torch.testing.assert_close(attention(q[:n], k[:n], v[:n], causal_mask(n, n)), whole[:n])
            torch.testing.assert_close(attention(q[n - 1 : n], k[:n], v[:n]), whole[n - 1 : n])

    def test_the_research_exercise_turns_at_window_nine(self) -> None:
        assert loss_of_one_head(9, by_position=True) < 0.05
        assert loss_of_one_head(8, by_position=True) == pytest.approx(math.log(16), abs=0.05)
        assert f"$\\ln 16 = {math.log(16):.2f}$ nats" in PROSE

    def test_the_research_exercise_fails_without_positions(self) -> None:
        nine, sixteen = loss_of_one_head(9, by_position=False), loss_of_one_head(16, by_position=False)
        assert 2 < nine < sixteen < math.log(16)


class TestMasks:
    @pytest.mark.parametrize(("n_queries", "n_keys"), [(1, 1), (1, 7), (3, 7), (5, 5), (6, 300)])
    def test_agree_with_the_definition(self, n_queries: int, n_keys: int) -> None:
        shift = n_keys - n_queries
        causal = [[j <= i + shift for j in range(n_keys)] for i in range(n_queries)]
        assert causal_mask(n_queries, n_keys).tolist() == causal
        for window in (1, 2, 4, n_keys, n_keys + 3):
            banded = [[i + shift - window < j <= i + shift for j in range(n_keys)] for i in range(n_queries)]
            mask = sliding_window_mask(n_queries, n_keys, window)
            assert mask.dtype == torch.bool
            assert mask.tolist() == banded

    def test_more_queries_than_keys_are_refused(self) -> None:
        with pytest.raises(ValueError, match="Tq must not exceed Tk"):
            causal_mask(4, 3)
        with pytest.raises(ValueError, match="Tq must not exceed Tk"):
            sliding_window_mask(4, 3, 2)

    @pytest.mark.parametrize("window", [0, -1])
    def test_an_empty_window_is_refused(self, window: int) -> None:
        with pytest.raises(ValueError, match="must be at least 1"):
            sliding_window_mask(2, 3, window)


class TestScores:
    @IN_EACH_DTYPE
    @pytest.mark.parametrize("leading", [(), (2,), (2, 3), (0,), (2, 0)])
    def test_agree_with_numpy(self, leading: tuple[int, ...], dtype: torch.dtype, tolerance: float) -> None:
        q, k = normal(*leading, 4, 6, dtype=dtype), normal(*leading, 5, 6, dtype=dtype, seed=1)
        expected = np.einsum("...qc,...kc->...qk", q.double().numpy(), k.double().numpy()) / np.sqrt(6)
        found = attention_scores(q, k)
        assert found.dtype == dtype
        torch.testing.assert_close(found.double(), torch.from_numpy(expected), rtol=tolerance, atol=tolerance)


class TestWeights:
    @IN_EACH_DTYPE
    @pytest.mark.parametrize("shape", [None, (4, 5), (2, 1, 4, 5), (1, 1, 4, 5)])
    def test_agree_with_numpy(self, shape: tuple[int, ...] | None, dtype: torch.dtype, tolerance: float) -> None:
        scores, mask = normal(2, 3, 4, 5, dtype=dtype, scale=3), None if shape is None else random_mask(*shape)
        found = attention_weights(scores, mask)
        assert found.dtype == dtype
        expected = torch.from_numpy(oracle_weights(scores, mask))
        torch.testing.assert_close(found.double(), expected, rtol=tolerance, atol=tolerance)
        if mask is not None:
            assert (found[~mask.expand(found.shape)] == 0).all()

    @pytest.mark.parametrize("level", [1e4, -1e4])
    @pytest.mark.parametrize("hidden", [1e4, -1e4, 0.0])
    def test_large_float32_scores(self, level: float, hidden: float) -> None:
        mask = random_mask(4, 6)
        scores = (normal(4, 6).clamp(-3, 3) + level).float().masked_fill(~mask, hidden)
        expected = torch.from_numpy(oracle_weights(scores, mask))
        torch.testing.assert_close(attention_weights(scores, mask).double(), expected, rtol=1e-6, atol=1e-9)

    def test_gradients_are_finite_for_every_mask_and_zero_where_hidden(self) -> None:
        mask = random_mask(4, 6)
        (slopes,) = gradients(attention_weights, normal(4, 6), mask=mask)
        assert slopes.isfinite().all()
        assert (slopes[~mask] == 0).all()
        some = mask.any(-1)
        filled = torch.where(mask, 0.0, -math.inf)[some]
        factors = torch.linspace(0.5, 1.5, 24, dtype=torch.float64).reshape(4, 6)[some]
        leaf = normal(4, 6)[some].requires_grad_()
        (expected,) = torch.autograd.grad((torch.softmax(leaf + filled, -1) * factors).sum(), leaf)
        torch.testing.assert_close(slopes[some], expected)

    def test_takes_an_empty_batch(self) -> None:
        assert attention_weights(normal(0, 3, 4), causal_mask(3, 4)).shape == (0, 3, 4)


class TestAttention:
    @IN_EACH_DTYPE
    @pytest.mark.parametrize("leading", [(), (2,), (2, 3), (0,)])
    @pytest.mark.parametrize("masked", [False, True])
    def test_agrees_with_numpy(
        self, leading: tuple[int, ...], masked: bool, dtype: torch.dtype, tolerance: float
    ) -> None:
        q, k = normal(*leading, 4, 6, dtype=dtype), normal(*leading, 5, 6, dtype=dtype, seed=1)
        v = normal(*leading, 5, 3, dtype=dtype, seed=2)
        mask = random_mask(4, 5) if masked else None
        found = attention(q, k, v, mask)
        assert found.dtype == dtype
        torch.testing.assert_close(found.double(), oracle_attention(q, k, v, mask), rtol=tolerance, atol=tolerance)

    @pytest.mark.parametrize("masked", [False, True])
    def test_value_and_gradients_agree_with_torch(self, masked: bool) -> None:
        q, k, v = normal(2, 4, 6), normal(2, 5, 6, seed=1), normal(2, 5, 3, seed=2)
        mask = causal_mask(4, 5) if masked else None
        torch.testing.assert_close(attention(q, k, v, mask), kernel(q, k, v, mask))
        found, expected = gradients(attention, q, k, v, mask=mask), gradients(kernel, q, k, v, mask=mask)
        for mine, theirs in zip(found, expected, strict=True):
            torch.testing.assert_close(mine, theirs)

    def test_square_causal_agrees_with_torchs_flag(self) -> None:
        q, k, v = normal(2, 7, 4), normal(2, 7, 4, seed=1), normal(2, 7, 4, seed=2)
        theirs = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        torch.testing.assert_close(attention(q, k, v, causal_mask(7, 7)), theirs)

    def test_an_empty_row_is_zero_with_finite_gradients(self) -> None:
        q, k, v, mask = normal(4, 6), normal(5, 6, seed=1), normal(5, 3, seed=2), random_mask(4, 5)
        assert (attention(q, k, v, mask)[1] == 0).all()
        assert all(slopes.isfinite().all() for slopes in gradients(attention, q, k, v, mask=mask))

    def test_large_scores_in_bfloat16_keep_their_weights(self) -> None:
        q, k, v = (normal(9, 16, dtype=torch.bfloat16, scale=3, seed=seed) for seed in range(3))
        expected = oracle_attention(q, k, v, None)
        assert (attention(q, k, v).double() - expected).abs().max() < 0.005 * expected.abs().max()


class TestEntropy:
    @IN_EACH_DTYPE
    def test_agrees_with_torch_special(self, dtype: torch.dtype, tolerance: float) -> None:
        weights = attention_weights(normal(2, 3, 4, 6), causal_mask(4, 6)).to(dtype)
        found = attention_entropy(weights)
        assert found.dtype == dtype
        torch.testing.assert_close(found.double(), bits(weights), rtol=tolerance, atol=tolerance)

    @pytest.mark.parametrize(
        "scores", [torch.zeros(2048, 2048), 0.01 * torch.randn(2048, 2048)], ids=["even", "nearly"]
    )
    def test_causal_rows_hold_their_bound_in_float32(self, scores: Tensor) -> None:
        bound = torch.arange(1, 2049).double().log2()
        found = attention_entropy(attention_weights(scores, causal_mask(2048, 2048)))
        assert (found.double() <= bound + 1e-5).all()

    def test_sure_and_empty_rows_have_no_bits(self) -> None:
        assert attention_entropy(torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])).tolist() == [0, 0]

    def test_gradients_are_finite_through_a_causal_map(self) -> None:
        def whole(scores: Tensor) -> Tensor:
            return attention_entropy(attention_weights(scores, causal_mask(4, 6)))

        assert gradients(whole, normal(4, 6))[0].isfinite().all()
        assert torch.autograd.gradcheck(whole, (normal(4, 6).requires_grad_(),))
        weights = attention_weights(normal(4, 6), causal_mask(4, 6))
        assert gradients(attention_entropy, weights)[0].isfinite().all()

    def test_takes_an_empty_batch(self) -> None:
        assert attention_entropy(normal(0, 3, 4)).shape == (0, 3)


def test_no_argument_is_changed() -> None:
    q, k, v, mask = normal(4, 6), normal(5, 6, seed=1), normal(5, 3, seed=2), random_mask(4, 5)
    scores, weights = normal(4, 5), torch.eye(4, 5)
    kept = [x.clone() for x in (q, k, v, mask, scores, weights)]
    attention(q, k, v, mask)
    attention_scores(q, k)
    attention_weights(scores, mask)
    attention_entropy(weights)
    for after, before in zip((q, k, v, mask, scores, weights), kept, strict=True):
        assert torch.equal(after, before)
