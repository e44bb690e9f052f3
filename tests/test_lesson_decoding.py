"""The lesson on decoding: its page prints and states what is so, its reference agrees with other authorities."""

import contextlib
import io
import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from grader.places import lessons_folder
from reference.attention import attention, causal_mask
from reference.decoding import (
    append_cache,
    apply_temperature,
    attend_cached,
    generate,
    repetition_penalty,
    sample,
    top_k,
    top_p,
)
from reference.heads import repeat_kv

PAGE = (lessons_folder() / "decoding" / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
IN_EACH_DTYPE = pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: str(d).removeprefix("torch."))
TOLERANCES = [(torch.float64, 1e-12), (torch.float32, 5e-6), (torch.bfloat16, 3e-2), (torch.float16, 3e-2)]
INF = math.inf

ZIPF = 1 / np.arange(1, 50_001)


def nucleus(masses: Any, p: float) -> int:
    """How many of the largest masses it takes to reach a share p of them all."""
    shares = np.sort(masses)[::-1] / masses.sum()
    return int((shares.cumsum() < p).sum()) + 1


ROUNDED_SUMS = (torch.arange(1, 1001, dtype=torch.float64) / 1000).bfloat16()
BLOCK_WEIGHTS = 12 * (4 * 768**2 + 2 * 4 * 768**2)
STATED = (
    f"The 40 most probable tokens hold {100 * ZIPF[:40].sum() / ZIPF.sum():.1f} % of the mass",
    f"a nucleus of 0.9 needs {nucleus(ZIPF, 0.9):,} tokens",
    f"At temperature 0.5 the same nucleus has {nucleus(ZIPF**2, 0.9)}.",
    f"C, of probability {0.6 * 0.5:.2f}. The most probable text is B C, {0.4 * 0.95:.2f}.",
    f"that is {sum(range(1, 1001)):,} against 1,000, a factor of {sum(range(1, 1001)) / 1000}",
    f"{BLOCK_WEIGHTS:,} weights in the matrices of its blocks: {2 * BLOCK_WEIGHTS / 1e6:.0f} MB in 16 bits",
    f"to read, for {2 * BLOCK_WEIGHTS / 1e9:.2f} billion operations",
    f"logits of 20 at $\\tau = 0.01$ are {20 / 0.01:,.0f}",
    "with masses 0.5, 0.3, 0.2 and p = 0.6 the set is two tokens",
    f"of a thousand equal masses {1000 - len(ROUNDED_SUMS.unique())} leave the rounded sum as it is",
)
"""What the page states, with the numbers computed here."""


def normal(*shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0, seed: int = 0) -> Tensor:
    """Reproducible normal numbers, rounded to the dtype."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=generator, dtype=torch.float64) * scale).to(dtype)


def said_to_print(block: str) -> list[str]:
    """What a block says it prints: the comment lines below `# prints`."""
    found: list[str] = []
    below = False
    for line in block.splitlines():
        if below and line.startswith("# "):
            found.append(line.removeprefix("# "))
        below = line == "# prints" or (below and line.startswith("# "))
    return found


class TestPage:
    def test_every_block_runs_in_order_and_prints_what_it_says(self) -> None:
        names: dict[str, Any] = {}
        for block in BLOCKS:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block, "lesson.md", "exec"), names)  # noqa: S102  # the page is ours
            if said := said_to_print(block):
                assert printed.getvalue().splitlines() == said
        assert len(BLOCKS) == 7

    @pytest.mark.parametrize("sentence", STATED)
    def test_the_numbers_in_the_prose_are_computed(self, sentence: str) -> None:
        assert sentence in PROSE

    def test_taking_p_for_what_is_removed_agrees_at_a_half_only(self) -> None:
        assert "agrees at p = 0.5 only" in PROSE
        masses = np.array([0.3, 0.25, 0.2, 0.15, 0.1])
        assert [nucleus(masses, p) == nucleus(masses, 1 - p) for p in (0.2, 0.5, 0.7, 0.9)] == [
            False,
            True,
            False,
            False,
        ]


class TestTemperature:
    @IN_EACH_DTYPE
    def test_divides(self, dtype: torch.dtype) -> None:
        logits = normal(3, 7, dtype=dtype, scale=3.0)
        for temperature in (0.3, 1.0, 2.5):
            found = apply_temperature(logits, temperature)
            assert found.dtype == dtype
            expected = logits.double().numpy() / temperature
            np.testing.assert_allclose(found.double().numpy(), expected, rtol=2 * torch.finfo(dtype).eps)

    @IN_EACH_DTYPE
    def test_zero_leaves_the_first_maximum(self, dtype: torch.dtype) -> None:
        logits = torch.tensor([[1, 3, 3, -INF], [-5, -6, -5, -7], [-INF, -INF, 2, 2]], dtype=dtype)
        found = apply_temperature(logits, 0)
        assert found.dtype == dtype
        assert found.tolist() == [[-INF, 0, -INF, -INF], [0, -INF, -INF, -INF], [-INF, -INF, 0, -INF]]

    def test_zero_is_the_limit(self) -> None:
        logits = normal(5, 9)
        torch.testing.assert_close(
            apply_temperature(logits, 1e-4).softmax(-1), apply_temperature(logits, 0).softmax(-1)
        )

    def test_what_was_ruled_out_stays_so(self) -> None:
        assert apply_temperature(torch.tensor([-INF, 4.0]), 2.0).tolist() == [-INF, 2.0]

    @pytest.mark.parametrize("temperature", [-1e-9, -2.0, -INF, math.nan])
    def test_refuses(self, temperature: float) -> None:
        with pytest.raises(ValueError, match="it must be at least 0"):
            apply_temperature(normal(2, 3), temperature)


class TestTruncation:
    @IN_EACH_DTYPE
    @pytest.mark.parametrize("k", [1, 2, 4, 7, 12, 100])
    def test_top_k_agrees_with_a_count(self, k: int, dtype: torch.dtype) -> None:
        logits = (normal(4, 12) * 2).round().div(2).to(dtype)  # halves: many ties
        found = top_k(logits, k)
        assert found.dtype == dtype
        for row, kept in zip(logits.tolist(), found.tolist(), strict=True):
            assert kept == [x if sum(y > x for y in row) < k else -INF for x in row]

    @pytest.mark.parametrize("p", [1e-8, 0.1, 0.3, 0.62, 0.9, 0.999, 1.0])
    def test_top_p_agrees_with_a_walk(self, p: float) -> None:
        logits = (normal(6, 15, scale=2.0) * 2).round() / 2
        for row, kept in zip(logits, top_p(logits, p), strict=True):
            shares = np.exp(row.numpy() - row.numpy().max())
            shares /= shares.sum()
            mass, stays = 0.0, set()
            for token in sorted(range(15), key=lambda t: (-shares[t], t)):
                if mass < p or p == 1:
                    stays.add(token)
                mass += shares[token]
            assert kept.tolist() == [x if t in stays else -INF for t, x in enumerate(row.tolist())]

    @IN_EACH_DTYPE
    def test_top_p_in_each_dtype(self, dtype: torch.dtype) -> None:
        logits = torch.tensor([0.06, 0.25, 0.4, 0.04, 0.15, 0.1], dtype=torch.float64).log().to(dtype)
        found = top_p(logits, 0.72)
        assert found.dtype == dtype
        assert found.isfinite().tolist() == [False, True, True, False, True, False]
        assert torch.equal(found[[1, 2, 4]], logits[[1, 2, 4]])

    def test_lower_index_first_among_equals(self) -> None:
        assert top_p(torch.zeros(1000), 0.5004).isfinite().nonzero().flatten().tolist() == list(range(501))

    def test_masses_of_16_bits_are_not_rounded(self) -> None:
        order = torch.randperm(40, generator=torch.Generator().manual_seed(0))
        logits = ((order - 19.5) / 8192).bfloat16()
        assert len(logits.softmax(-1).unique()) <= 3 < len(logits.unique()) == 40
        assert torch.equal(top_p(logits, 0.4875).isfinite(), order >= 20)

    def test_one_keeps_what_rounds_away(self) -> None:
        logits = torch.tensor([0.0, 80.0, -5.0])
        assert torch.equal(top_p(logits, 1.0), logits)
        large = normal(40, 50_000, dtype=torch.float32, scale=4.0)
        assert torch.equal(top_p(large, 1.0), large)

    def test_ruled_out_stays_ruled_out(self) -> None:
        logits = torch.tensor([[-INF, 1.0, 2.0, 3.0], [-INF, 0.0, -INF, -INF]])
        assert top_k(logits, 2).tolist() == [[-INF, -INF, 2.0, 3.0], [-INF, 0.0, -INF, -INF]]
        assert top_p(logits, 0.9).tolist() == [[-INF, -INF, 2.0, 3.0], [-INF, 0.0, -INF, -INF]]

    def test_filters_compose(self) -> None:
        logits = normal(5, 20, scale=2.0)
        both = top_p(top_k(logits, 8), 0.8).softmax(-1)
        assert ((both > 0).sum(-1) <= 8).all()
        torch.testing.assert_close(both.sum(-1), torch.ones(5, dtype=torch.float64))

    @pytest.mark.parametrize("k", [0, -3])
    def test_top_k_refuses(self, k: int) -> None:
        with pytest.raises(ValueError, match="at least 1 token"):
            top_k(normal(2, 3), k)

    @pytest.mark.parametrize("p", [0.0, -0.1, 1.0001, math.nan])
    def test_top_p_refuses(self, p: float) -> None:
        with pytest.raises(ValueError, match=r"p must lie in \(0, 1\]"):
            top_p(normal(2, 3), p)


class TestSample:
    @pytest.mark.parametrize("total", [1.0, 0.3, 17.0])
    def test_a_grid_of_uniforms_gives_exact_shares(self, total: float) -> None:
        masses = torch.tensor([0, 3, 0, 5, 1, 0, 11, 0], dtype=torch.float64) / 20
        grid = (torch.arange(2000, dtype=torch.float64) + 0.5) / 2000
        counts = sample((total * masses).expand(2000, 8), grid).bincount(minlength=8)
        assert counts.tolist() == (2000 * masses).round().long().tolist()

    def test_agrees_with_numpy(self) -> None:
        probabilities = normal(50, 30).softmax(-1)
        uniform = torch.rand(50, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
        expected = [
            int(np.searchsorted(np.cumsum(row) / np.sum(row), u, side="right"))
            for row, u in zip(probabilities.numpy(), uniform.numpy(), strict=True)
        ]
        assert sample(probabilities, uniform).tolist() == expected

    def test_masses_of_16_bits_keep_their_shares(self) -> None:
        uniform = torch.arange(1, 256, 2) / 256
        found = sample(torch.ones(len(uniform), 1000, dtype=torch.bfloat16), uniform.bfloat16())
        assert found.tolist() == [int(1000 * u) for u in uniform.tolist()]

    @IN_EACH_DTYPE
    def test_edges_have_mass(self, dtype: torch.dtype) -> None:
        masses = torch.tensor([[0, 0, 0.25, 0.5, 0], [0, 0.1, 0, 0, 0]], dtype=dtype)
        below = torch.full((2,), 1 - torch.finfo(dtype).eps / 2, dtype=dtype)
        assert below.max() < 1
        assert sample(masses, torch.zeros(2, dtype=dtype)).tolist() == [2, 1]
        assert sample(masses, below).tolist() == [3, 1]
        assert sample(masses, below).dtype == torch.int64

    def test_large_vocabularies_in_float32_never_fall_off(self) -> None:
        masses = torch.cat([normal(20, 50_000, dtype=torch.float32).softmax(-1), torch.zeros(20, 100)], dim=-1)
        found = sample(masses, torch.full((20,), 1 - 2.0**-24))
        assert (masses.gather(1, found[:, None]) > 0).all()


def last_digit_of_the_sum(tokens: Tensor) -> Tensor:
    """`(1, t)` -> `(1, t, 10)`."""
    return F.one_hot(tokens.cumsum(-1) % 10, 10).double()


class TestGenerate:
    def test_adds_up(self) -> None:
        assert generate(last_digit_of_the_sum, torch.tensor([[3, 4]]), 4, 9).tolist() == [[3, 4, 7, 4, 8, 6]]

    def test_the_window_slides(self) -> None:
        windows: list[list[int]] = []

        def recorded(tokens: Tensor) -> Tensor:
            windows.append(tokens[0].tolist())
            return last_digit_of_the_sum(tokens)

        assert generate(recorded, torch.tensor([[3, 4, 1]]), 3, 2).tolist() == [[3, 4, 1, 5, 6, 1]]
        assert windows == [[4, 1], [1, 5], [5, 6]]

    def test_stops_at_new_tokens_only(self) -> None:
        prompt = torch.tensor([[7, 3, 4]])
        assert generate(last_digit_of_the_sum, prompt, 5, 2, stop_token=7).tolist() == [[7, 3, 4, 7]]
        assert generate(last_digit_of_the_sum, torch.tensor([[5, 5]]), 3, 9, stop_token=0).tolist() == [[5, 5, 0]]

    def test_takes_the_first_of_equal_maxima(self) -> None:
        found = generate(lambda t: torch.tensor([0.0, 2, 2, 1]).expand(1, t.shape[1], 4), torch.tensor([[3]]), 2, 2)
        assert found.tolist() == [[3, 1, 1]]
        assert found.dtype == torch.int64

    def test_no_new_tokens(self) -> None:
        prompt = torch.tensor([[3, 4]])
        assert torch.equal(generate(last_digit_of_the_sum, prompt, 0, 1), prompt)

    def test_refuses_an_empty_prompt(self) -> None:
        with pytest.raises(ValueError, match="empty prompt"):
            generate(last_digit_of_the_sum, torch.zeros(1, 0, dtype=torch.int64), 3, 4)


def full_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal attention of all positions, by PyTorch, on float64."""
    return F.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=True, enable_gqa=True)


class TestCache:
    @IN_EACH_DTYPE
    def test_grows_along_time(self, dtype: torch.dtype) -> None:
        k, v = normal(2, 3, 7, 4, dtype=dtype), normal(2, 3, 7, 4, dtype=dtype, seed=1)
        cache = None
        for start, end in itertools.pairwise((0, 3, 4, 7)):
            old, copies = cache, [x.clone() for x in cache or ()]
            cache = append_cache(cache, k[:, :, start:end], v[:, :, start:end])
            assert isinstance(cache, tuple)
            assert torch.equal(cache[0], k[:, :, :end])
            assert torch.equal(cache[1], v[:, :, :end])
            assert all(torch.equal(x, y) for x, y in zip(old or (), copies, strict=True))

    def test_refuses_shapes_that_differ(self) -> None:
        k = normal(2, 3, 1, 4)
        for cache in (None, (normal(2, 3, 5, 4), normal(2, 3, 5, 4))):
            for sizes in ((2, 3, 2, 4), (2, 3, 1, 5), (1, 3, 1, 4), (2, 1, 1, 4)):
                with pytest.raises(ValueError, match="must have one shape"):
                    append_cache(cache, k, normal(*sizes))
        for sizes in ((1, 3, 5, 4), (2, 1, 5, 4), (2, 3, 5, 1)):
            with pytest.raises(ValueError, match="batch, heads and width must be the same"):
                append_cache((normal(*sizes), normal(*sizes)), k, k)

    @pytest.mark.parametrize(("dtype", "tolerance"), TOLERANCES, ids=["float64", "float32", "bfloat16", "float16"])
    @pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(6, 2), (6, 3), (4, 4), (3, 1)])
    @pytest.mark.parametrize("ends", [(0, 8), (0, 3, 4, 6, 8), tuple(range(9))])
    def test_chunks_are_rows_of_full_attention(
        self, ends: tuple[int, ...], n_heads: int, n_kv_heads: int, dtype: torch.dtype, tolerance: float
    ) -> None:
        q = normal(2, n_heads, 8, 5, dtype=dtype)
        k, v = (normal(2, n_kv_heads, 8, 5, dtype=dtype, seed=s) for s in (1, 2))
        outputs, cache = [], None
        for start, end in itertools.pairwise(ends):
            output, cache = attend_cached(*(x[:, :, start:end] for x in (q, k, v)), cache)
            outputs.append(output)
        found, expected = torch.cat(outputs, dim=2), full_attention(q, k, v)
        assert found.dtype == dtype
        torch.testing.assert_close(found.double(), expected, rtol=0, atol=tolerance * float(expected.abs().max()))
        assert cache is not None
        assert torch.equal(cache[0], k)
        assert torch.equal(cache[1], v)

    def test_gradients_are_those_of_full_attention(self) -> None:
        q, k, v = (normal(2, heads, 6, 4, seed=s).requires_grad_() for s, heads in enumerate((4, 2, 2)))
        weigh = normal(2, 4, 6, 4, seed=9)
        first, cache = attend_cached(q[:, :, :4], k[:, :, :4], v[:, :, :4], None)
        second, _ = attend_cached(q[:, :, 4:], k[:, :, 4:], v[:, :, 4:], cache)
        repeated = (repeat_kv(x, 2) for x in (k, v))
        whole = attention(q, *repeated, causal_mask(6, 6))
        for out, expected in zip(
            torch.autograd.grad((torch.cat([first, second], 2) * weigh).sum(), (q, k, v)),
            torch.autograd.grad((whole * weigh).sum(), (q, k, v)),
            strict=True,
        ):
            torch.testing.assert_close(out, expected, rtol=0, atol=1e-12)


class TestRepetitionPenalty:
    @IN_EACH_DTYPE
    @pytest.mark.parametrize("penalty", [0.7, 1.0, 1.3])
    def test_agrees_with_a_loop(self, penalty: float, dtype: torch.dtype) -> None:
        logits = normal(3, 8, dtype=dtype, scale=2.0)
        logits[0, 1], logits[1, 2] = -INF, 0.0
        tokens = torch.tensor([[1, 1, 4, 7], [2, 0, 2, 2], [5, 6, 5, 6]])
        expected = logits.double().numpy().copy()
        for row, seen in enumerate(tokens.tolist()):
            for token in set(seen):
                value = expected[row, token]
                expected[row, token] = value / penalty if value > 0 else value * penalty
        found = repetition_penalty(logits, tokens, penalty)
        assert found.dtype == dtype
        np.testing.assert_allclose(found.double().numpy(), expected, rtol=2 * torch.finfo(dtype).eps)

    def test_seen_tokens_lose_whatever_their_sign(self) -> None:
        logits = normal(1, 30)
        tokens = torch.tensor([[3, 8, 21]])
        shares = (repetition_penalty(logits, tokens, 1.5).softmax(-1) / logits.softmax(-1))[0]
        assert shares[tokens[0]].max() < shares[[t for t in range(30) if t not in (3, 8, 21)]].min()

    @pytest.mark.parametrize("penalty", [0.0, -1.0, math.nan])
    def test_refuses(self, penalty: float) -> None:
        with pytest.raises(ValueError, match="it must be above 0"):
            repetition_penalty(normal(1, 3), torch.tensor([[0]]), penalty)


class TestEverywhere:
    def test_any_leading_axes(self) -> None:
        whole = normal(2, 3, 6)
        tokens = torch.randint(6, (2, 3, 4), generator=torch.Generator().manual_seed(1))
        for function in (
            lambda x, _: apply_temperature(x, 0.0),
            lambda x, _: top_k(x, 2),
            lambda x, _: top_p(x, 0.6),
            lambda x, t: repetition_penalty(x, t, 1.3),
        ):
            found = function(whole, tokens)
            for place in itertools.product(range(2), range(3)):
                assert torch.equal(found[place], function(whole[place], tokens[place]))

    def test_takes_an_empty_batch(self) -> None:
        logits = normal(0, 5)
        assert apply_temperature(logits, 0).shape == apply_temperature(logits, 2).shape == (0, 5)
        assert top_k(logits, 2).shape == top_p(logits, 0.5).shape == (0, 5)
        assert sample(logits, normal(0)).shape == (0,)
        assert repetition_penalty(logits, torch.zeros(0, 3, dtype=torch.int64), 2.0).shape == (0, 5)
        output, (keys, _) = attend_cached(normal(0, 4, 3, 5), normal(0, 2, 3, 5), normal(0, 2, 3, 5), None)
        assert (output.shape, keys.shape) == ((0, 4, 3, 5), (0, 2, 3, 5))

    def test_no_argument_is_changed(self) -> None:
        logits, uniform, tokens = normal(3, 6), torch.rand(3), torch.tensor([[0, 1], [2, 2], [5, 3]])
        masses = 3 * logits.softmax(-1)
        kept = [x.clone() for x in (logits, masses, uniform, tokens)]
        apply_temperature(logits, 0), apply_temperature(logits, 0.5), top_k(logits, 2), top_p(logits, 0.5)
        sample(masses, uniform.double()), repetition_penalty(logits, tokens, 1.2)
        assert all(torch.equal(x, y) for x, y in zip((logits, masses, uniform, tokens), kept, strict=True))
