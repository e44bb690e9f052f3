"""The lesson on heads: its page prints and states what is so, its reference agrees with other authorities."""

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from lesson_page import run, said_to_print
from torch import Tensor

from grader.places import lessons_folder
from reference.attention import causal_mask
from reference.heads import grouped_query_attention, merge_heads, multi_head_attention, repeat_kv, split_heads

PAGE = (lessons_folder() / "heads" / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
Weights = dict[str, Tensor]

DTYPES = [(torch.float64, 1e-12), (torch.float32, 5e-6), (torch.bfloat16, 3e-2)]
IN_EACH_DTYPE = pytest.mark.parametrize(("dtype", "tolerance"), DTYPES, ids=["float64", "float32", "bfloat16"])
HEAD_COUNTS = pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(6, 6), (6, 3), (6, 2), (6, 1), (12, 4), (1, 1)])
EXACT = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


def parameters(width: int, n_heads: int, n_kv_heads: int) -> int:
    """The numbers in wq, wk, wv, wo, counted one projection at a time."""
    k = width // n_heads
    return sum(rows * width for rows in (n_heads * k, n_kv_heads * k, n_kv_heads * k, width))


def cache(n_blocks: int, n_kv_heads: int, k: int, seq: int) -> int:
    """Bytes of keys and values of one sequence in 16 bits."""
    return n_blocks * 2 * n_kv_heads * seq * k * 2


GPT2_BLOCK = parameters(768, 12, 12) + 4 * 768
STATED = (
    f"| multi-head, $H_{{kv}} = H$ | $4D^2$ | {parameters(8192, 64, 64):,} |",
    f"| grouped, $H_{{kv}} = 8$ | $2D^2(1 + H_{{kv}}/H)$ | {parameters(8192, 64, 8):,} |",
    f"| multi-query, $H_{{kv}} = 1$ | $2D^2(1 + 1/H)$ | {parameters(8192, 64, 1):,} |",
    f"$4 \\cdot 768^2 + 4 \\cdot 768$ = {GPT2_BLOCK:,} of them for any $H$",
    f"blocks hold {100 * 12 * GPT2_BLOCK / 124_439_808:.1f} % of its 124,439,808 parameters",
    f"32 heads, 4,096 positions, 16 bits: {32 * 4096**2 * 2 // 2**30} GiB",
    f"keeps {cache(32, 32, 128, 1):,} bytes a token in 16 bits: {cache(32, 32, 128, 4096) // 2**30} GiB for 4,096",
    f"keeps {cache(80, 8, 128, 1):,} bytes a token, {cache(80, 8, 128, 4096) / 2**30:.2f} GiB at that length",
    f"it would be {cache(80, 64, 128, 4096) // 2**30} GiB, with a single one {cache(80, 1, 128, 4096) // 2**20} MiB",
    f"scores shrink by $\\sqrt{{H}}$, {math.sqrt(32):.1f} for 32 heads",
    f"$\\frac{{15}}{{16}} \\ln 2 = {15 / 16 * math.log(2):.2f}$ nats",
)
"""What the page states, with the numbers computed here."""


def normal(*shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0, seed: int = 0) -> Tensor:
    """Reproducible normal numbers, rounded to the dtype."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=generator, dtype=torch.float64) * scale).to(dtype)


def projections(width: int, kv_width: int, biases: str = "", dtype: torch.dtype = torch.float64) -> Weights:
    """Random weights, and the biases named by a letter each."""
    rows = {"q": width, "k": kv_width, "v": kv_width, "o": width}
    weights = {
        f"w{n}": normal(size, width, scale=1.4 * width**-0.5, seed=s, dtype=dtype)
        for s, (n, size) in enumerate(rows.items(), 1)
    }
    return weights | {f"b{n}": normal(rows[n], seed=9 + ord(n), dtype=dtype) for n in biases}


def oracle(x: Tensor, weights: Weights, n_heads: int, n_kv_heads: int, visible: Tensor) -> Tensor:
    """Grouped-query attention in NumPy's float64, one query of one head at a time; `visible` is `(B, H, T, T)`."""
    a = x.double().numpy()
    w = {name: weight.double().numpy() for name, weight in weights.items()}
    batch, seq, width = a.shape
    k = width // n_heads
    merged = np.zeros((batch, seq, width))
    for b, h, i in itertools.product(range(batch), range(n_heads), range(seq)):
        own = range(h * k, (h + 1) * k)
        shared = range(h * n_kv_heads // n_heads * k, (h * n_kv_heads // n_heads + 1) * k)

        def row(t: int, name: str, rows: range, b: int = b) -> Any:
            return w[f"w{name}"][rows] @ a[b, t] + (w[f"b{name}"][rows] if f"b{name}" in w else 0)

        seen = [j for j in range(seq) if visible[b, h, i, j]]
        scores = [float(row(i, "q", own) @ row(j, "k", shared)) / math.sqrt(k) for j in seen]
        shares = [math.exp(s - max(scores)) for s in scores]
        for share, j in zip(shares, seen, strict=True):
            merged[b, i, own] += share / math.fsum(shares) * row(j, "v", shared)
    return torch.from_numpy(merged @ w["wo"].T + w.get("bo", 0))


def causal(batch: int, n_heads: int, seq: int) -> Tensor:
    """The causal mask in full."""
    return torch.ones(seq, seq, dtype=torch.bool).tril().expand(batch, n_heads, seq, seq)


def close(found: Tensor, expected: Tensor, tolerance: float) -> None:
    """Near enough for the largest value."""
    atol = tolerance * float(expected.abs().max())
    torch.testing.assert_close(found.double(), expected.double(), rtol=0, atol=atol)


class TestPage:
    def test_every_block_runs_in_order_and_prints_what_it_says(self) -> None:
        names: dict[str, Any] = {}
        for block in BLOCKS:
            printed = run(block, names)
            if said := said_to_print(block):
                assert printed == said
        assert len(BLOCKS) == 6

    @pytest.mark.parametrize("sentence", STATED)
    def test_the_numbers_in_the_prose_are_computed(self, sentence: str) -> None:
        assert sentence in PROSE

    def test_one_view_fills_head_0_from_the_first_tokens(self) -> None:
        assert "all the features of the first $T/H$ tokens" in PROSE
        tokens = torch.arange(24).view(1, 6, 4)
        assert torch.equal(tokens.view(1, 2, 6, 2)[0, 0].flatten(), tokens[0, :3].flatten())

    def test_which_small_sizes_hide_the_wrong_group(self) -> None:
        assert "is equal for 4 and 2 or 16 and 4" in PROSE
        assert "Test with 6 and 2, and with 6 and 3." in PROSE
        hides = {(n, g): all(h // g == h // (n // g) for h in range(n)) for n, g in [(4, 2), (16, 4), (6, 2), (6, 3)]}
        assert hides == {(4, 2): True, (16, 4): True, (6, 2): False, (6, 3): False}


class TestMoving:
    @pytest.mark.parametrize("dtype", EXACT)
    @pytest.mark.parametrize(("n_heads", "k"), [(4, 3), (1, 6), (6, 1)])
    def test_a_head_is_a_stretch_of_features(self, n_heads: int, k: int, dtype: torch.dtype) -> None:
        x = torch.arange(2 * 5 * n_heads * k).reshape(2, 5, n_heads * k).to(dtype)
        heads = split_heads(x, n_heads)
        assert heads.dtype == dtype
        for b, h, t, i in itertools.product(range(2), range(n_heads), range(5), range(k)):
            assert heads[b, h, t, i] == x[b, t, h * k + i]
        assert torch.equal(merge_heads(heads), x)
        assert torch.equal(merge_heads(heads.contiguous()), x)

    @pytest.mark.parametrize("dtype", EXACT)
    @pytest.mark.parametrize("n", [1, 2, 5])
    def test_copies_are_neighbours(self, n: int, dtype: torch.dtype) -> None:
        x = normal(2, 3, 4, 5, dtype=dtype)
        assert torch.equal(repeat_kv(x, n), torch.stack([x[:, h // n] for h in range(3 * n)], dim=1))

    def test_gradients_of_copies_add_up(self) -> None:
        x = normal(1, 2, 3, 4).requires_grad_()
        weights = torch.arange(6.0, dtype=torch.float64).view(1, 6, 1, 1)
        (repeat_kv(x, 3) * weights).sum().backward()
        assert x.grad is not None
        assert x.grad[0, :, 0, 0].tolist() == [0 + 1 + 2, 3 + 4 + 5]

    def test_takes_an_empty_batch(self) -> None:
        assert split_heads(normal(0, 5, 6), 3).shape == (0, 3, 5, 2)
        assert merge_heads(normal(0, 3, 5, 2)).shape == (0, 5, 6)
        assert repeat_kv(normal(0, 3, 5, 2), 2).shape == (0, 6, 5, 2)

    def test_refuses_what_does_not_divide(self) -> None:
        with pytest.raises(ValueError, match="width of 10 cannot be cut into 3 heads"):
            split_heads(normal(2, 4, 10), 3)
        for n in (0, -2):
            with pytest.raises(ValueError, match="at least 1 query head"):
                repeat_kv(normal(1, 2, 3, 4), n)


class TestAttention:
    @IN_EACH_DTYPE
    @HEAD_COUNTS
    def test_agrees_with_numpy(self, n_heads: int, n_kv_heads: int, dtype: torch.dtype, tolerance: float) -> None:
        width = 2 * n_heads
        x, weights = normal(2, 5, width, dtype=dtype), projections(width, 2 * n_kv_heads, "qkvo", dtype)
        found = grouped_query_attention(x, weights, n_heads, n_kv_heads)
        assert found.dtype == dtype
        close(found, oracle(x, weights, n_heads, n_kv_heads, causal(2, n_heads, 5)), tolerance)
        if n_heads == n_kv_heads:
            assert torch.equal(multi_head_attention(x, weights, n_heads), found)

    @pytest.mark.parametrize("biases", ["", "q", "k", "v", "o", "qkv", "qkvo"])
    def test_each_bias_may_be_absent(self, biases: str) -> None:
        x, weights = normal(2, 4, 12), projections(12, 6, biases)
        weights["of.another.layer"] = normal(3)
        close(grouped_query_attention(x, weights, 4, 2), oracle(x, weights, 4, 2, causal(2, 4, 4)), 1e-12)

    @pytest.mark.parametrize("sizes", [(2, 1, 5, 5), (5, 5), (3, 5, 5), (2, 3, 5, 5), (2, 1, 1, 5)])
    def test_a_given_mask_replaces_the_causal_one(self, sizes: tuple[int, ...]) -> None:
        mask = torch.rand(sizes, generator=torch.Generator().manual_seed(3)) < 0.5
        mask[..., -1] = True
        x, weights = normal(2, 5, 12), projections(12, 12, "qkvo")
        close(multi_head_attention(x, weights, 3, mask), oracle(x, weights, 3, 3, mask.expand(2, 3, 5, 5)), 1e-12)

    def test_agrees_with_torchs_module_in_value_and_gradients(self) -> None:
        x, weights = normal(2, 5, 12).requires_grad_(), projections(12, 12, "qkvo")
        module = torch.nn.MultiheadAttention(12, 4, batch_first=True, dtype=torch.float64)
        state = {"in_proj_weight": "w", "in_proj_bias": "b"}
        state = {name: torch.cat([weights[f"{kind}{n}"] for n in "qkv"]) for name, kind in state.items()}
        module.load_state_dict(state | {"out_proj.weight": weights["wo"], "out_proj.bias": weights["bo"]})
        expected = module(x, x, x, attn_mask=~causal_mask(5, 5), need_weights=False)[0]
        found = multi_head_attention(x, weights, 4)
        close(found.detach(), expected.detach(), 1e-12)
        weigh = normal(2, 5, 12, seed=7)
        slopes = [torch.autograd.grad((out * weigh).sum(), x)[0] for out in (found, expected)]
        close(slopes[0], slopes[1], 1e-12)

    def test_agrees_with_torchs_grouping(self) -> None:
        x, weights = normal(2, 5, 24), projections(24, 8)
        q, k, v = (split_heads(x @ weights[f"w{n}"].T, heads) for n, heads in (("q", 6), ("k", 2), ("v", 2)))
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        close(grouped_query_attention(x, weights, 6, 2), merge_heads(context) @ weights["wo"].T, 1e-12)

    def test_only_the_output_bias_is_left_where_nothing_is_seen(self) -> None:
        mask = causal_mask(4, 4).expand(2, 1, 4, 4).clone()
        mask[0, 0, 2] = False
        x, weights = normal(2, 4, 8).requires_grad_(), projections(8, 4, "qkvo")
        found = grouped_query_attention(x, weights, 4, 2, mask)
        assert torch.equal(found[0, 2], weights["bo"])
        (slope,) = torch.autograd.grad(found.square().sum(), x)
        assert slope.isfinite().all()

    def test_the_key_bias_has_no_effect_and_the_value_bias_a_constant_one(self) -> None:
        x, weights = normal(2, 5, 12), projections(12, 12)
        plain = multi_head_attention(x, weights, 3)
        bias = normal(12, seed=5).requires_grad_()
        keyed = multi_head_attention(x, weights | {"bk": bias}, 3)
        close(keyed.detach(), plain, 1e-12)
        (slope,) = torch.autograd.grad(keyed.square().sum(), bias)
        assert slope.abs().max() < 1e-12
        valued = multi_head_attention(x, weights | {"bv": bias.detach()}, 3)
        close(valued - plain, (bias.detach() @ weights["wo"].T).expand(2, 5, 12), 1e-12)

    def test_one_token_reads_itself(self) -> None:
        x, weights = normal(3, 1, 6), projections(6, 6)
        close(multi_head_attention(x, weights, 2), x @ (weights["wo"] @ weights["wv"]).T, 1e-12)

    def test_scores_and_queries_may_be_turned_together(self) -> None:
        x, weights = normal(2, 5, 8), projections(8, 8)
        turn = torch.block_diag(*[normal(4, 4, seed=s) for s in (1, 2)])  # an invertible matrix for each head
        turned = weights | {"wq": turn @ weights["wq"], "wk": torch.linalg.inv(turn).T @ weights["wk"]}
        close(multi_head_attention(x, turned, 2), multi_head_attention(x, weights, 2), 1e-10)

    def test_refuses_heads_that_do_not_divide(self) -> None:
        with pytest.raises(ValueError, match="width of 10 cannot be cut into 3 heads"):
            multi_head_attention(normal(2, 3, 10), projections(10, 10), 3)
        for n_heads, n_kv_heads in ((6, 4), (2, 4), (4, 0)):
            with pytest.raises(ValueError, match=f"{n_heads} query heads cannot be shared out among {n_kv_heads}"):
                grouped_query_attention(normal(2, 3, 12), projections(12, 12), n_heads, n_kv_heads)

    def test_takes_an_empty_batch(self) -> None:
        assert multi_head_attention(normal(0, 4, 6), projections(6, 6), 2).shape == (0, 4, 6)
        assert grouped_query_attention(normal(0, 4, 6), projections(6, 3), 2, 1).shape == (0, 4, 6)

    def test_no_argument_is_changed(self) -> None:
        x, weights, mask = normal(2, 4, 8), projections(8, 4, "qo"), causal_mask(4, 4)
        kept_x, kept_mask = x.clone(), mask.clone()
        kept_weights = {name: weight.clone() for name, weight in weights.items()}
        grouped_query_attention(x, weights, 4, 2, mask)
        assert torch.equal(x, kept_x)
        assert torch.equal(mask, kept_mask)
        assert weights.keys() == kept_weights.keys()
        assert all(torch.equal(weights[name], kept_weights[name]) for name in weights)
