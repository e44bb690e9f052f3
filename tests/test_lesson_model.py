"""The lesson on the whole model: its page prints and states what is so, its reference agrees with other authorities."""

import itertools
import math
import random
import re
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from lesson_page import run, said_to_print
from torch import Tensor, nn

from grader.course.yaml12 import plain, read_nodes
from grader.misconceptions.model import catalogue
from grader.places import lessons_folder
from reference import model as reference
from reference.block import llama_block
from reference.model import count_parameters, gpt2, init_gpt2, llama
from reference.normalization import rms_norm

FOLDER = lessons_folder() / "model"
PAGE = (FOLDER / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
FENCED = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = FENCED.findall(PAGE)
Weights = dict[str, Tensor]
Config = dict[str, Any]

GPT2_SMALL: Config = {
    "family": "gpt2", "vocab": 50257, "d_model": 768, "n_blocks": 12, "n_heads": 12, "n_kv_heads": 12,
    "d_hidden": 3072, "max_positions": 1024, "tied": True,
}  # fmt: skip
LLAMA_7B: Config = {
    "family": "llama", "vocab": 32000, "d_model": 4096, "n_blocks": 32, "n_heads": 32, "n_kv_heads": 32,
    "d_hidden": 11008, "max_positions": 2048, "tied": False,
}  # fmt: skip
TINY: Config = {
    "family": "gpt2", "vocab": 13, "d_model": 8, "n_blocks": 3, "n_heads": 2, "n_kv_heads": 1, "d_hidden": 10,
    "max_positions": 7, "tied": True,
}  # fmt: skip


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Every tensor of a model with its shape, written down key by key."""
    D, hidden, vocab = config["d_model"], config["d_hidden"], config["vocab"]
    kv = config["n_kv_heads"] * D // config["n_heads"]
    if config["family"] == "gpt2":
        block: dict[str, tuple[int, ...]] = {
            "ln1.gamma": (D,), "ln1.beta": (D,), "attn.wq": (D, D), "attn.bq": (D,), "attn.wk": (D, D),
            "attn.bk": (D,), "attn.wv": (D, D), "attn.bv": (D,), "attn.wo": (D, D), "attn.bo": (D,), "ln2.gamma": (D,),
            "ln2.beta": (D,), "mlp.w_in": (hidden, D), "mlp.b_in": (hidden,), "mlp.w_out": (D, hidden),
            "mlp.b_out": (D,),
        }  # fmt: skip
        outside: dict[str, tuple[int, ...]] = {
            "wpe": (config["max_positions"], D),
            "ln_f.gamma": (D,),
            "ln_f.beta": (D,),
        }
    else:
        block = {
            "norm1.weight": (D,), "attn.wq": (D, D), "attn.wk": (kv, D), "attn.wv": (kv, D), "attn.wo": (D, D),
            "norm2.weight": (D,), "mlp.w_gate": (hidden, D), "mlp.w_up": (hidden, D), "mlp.w_down": (D, hidden),
        }  # fmt: skip
        outside = {"norm_f.weight": (D,)}
    outside |= {"wte": (vocab, D)} | ({} if config["tied"] else {"lm_head": (vocab, D)})
    return outside | {f"blocks.{n}.{key}": size for n in range(config["n_blocks"]) for key, size in block.items()}


def random_weights(config: Config, seed: int = 0) -> Weights:
    """Weights large enough that every one of them matters, in float64."""
    generator = torch.Generator().manual_seed(seed)

    def normal(key: str, size: tuple[int, ...]) -> Tensor:
        numbers = torch.randn(size, generator=generator, dtype=torch.float64)
        if key.endswith(("gamma", "weight")):
            return 1 + 0.5 * numbers
        return numbers * (size[1] ** -0.5 if len(size) == 2 and key.startswith("blocks.") else 0.7)

    return {key: normal(key, size) for key, size in shapes(config).items()}


def random_tokens(*size: int, vocab: int = 13, seed: int = 0) -> Tensor:
    """Reproducible ids."""
    return torch.randint(0, vocab, size, generator=torch.Generator().manual_seed(seed))


def part(config: Config, *names: str) -> int:
    """Numbers in the tensors whose keys contain one of these names."""
    return sum(math.prod(size) for key, size in shapes(config).items() if any(name in key for name in names))


def one_block(config: Config) -> int:
    """Numbers of block 0."""
    return part(config, "blocks.0.")


def row(name: str, *parts: str) -> str:
    """A row of the page's table of where the parameters are."""
    cells = []
    for config in (GPT2_SMALL, LLAMA_7B):
        found = part(config, *parts)
        cells += [f"{found:,}", f"{100 * found / count_parameters(config):.1f} %" if found else ""]
    return f"| {name} | {' | '.join(cells)} |".replace("|  |", "| |")


SHARED_8 = LLAMA_7B | {"n_kv_heads": 8}
MATRICES = 12 * (4 * 768**2 + 2 * 768 * 3072) + 50257 * 768
SCORES = 12 * 4 * 1024 * 768
SMALL_PARTS = part(GPT2_SMALL, "ln", ".b")
STATED = (
    f"GPT-2 small has {GPT2_SMALL['n_blocks']} blocks and {count_parameters(GPT2_SMALL):,} parameters",
    f"LLaMA-7B has {LLAMA_7B['n_blocks']} and {count_parameters(LLAMA_7B):,}",
    f"In GPT-2 small it is {100 * 50257 * 768 / count_parameters(GPT2_SMALL):.1f} % of all parameters",
    f"a second one would add {count_parameters(GPT2_SMALL | {'tied': False}) - count_parameters(GPT2_SMALL):,}",
    f"In LLaMA-7B both tables together are {100 * 2 * 32000 * 4096 / count_parameters(LLAMA_7B):.1f} %",
    f"| GPT-2 small, LLaMA-7B | {one_block(GPT2_SMALL):,} | {one_block(LLAMA_7B):,} |",
    row("token tables", "wte", "lm_head"),
    row("positions", "wpe"),
    row("attention", "attn"),
    row("feed-forward", "mlp"),
    row("all norms", "ln", "norm"),
    f"With 8 key-value heads LLaMA-7B would have {count_parameters(SHARED_8):,}.",
    f"That is {100 * (1 - count_parameters(SHARED_8) / count_parameters(LLAMA_7B)):.1f} % fewer.",
    f"{0.02 * math.sqrt(768):.2f} for $D = 768$",
    f"{math.log(50257):.2f} + {(0.02 * math.sqrt(768)) ** 2 / 2:.2f} for GPT-2's vocabulary",
    f"logits are {math.sqrt(768):.0f} wide",
    f"$12 \\cdot 4 \\cdot 1024 \\cdot 768$ = {SCORES:,} against $2 \\cdot {MATRICES:,}$".replace(
        f"{MATRICES:,}", f"{MATRICES:,}".replace(",", "{,}")
    ),
    f"unembedding included: {100 * SCORES / (2 * MATRICES):.1f} %",
    f"in float32 are {count_parameters(GPT2_SMALL) * 4 / 1e6:.0f} MB",
    f"is {8 * 1024 * 50257 * 4 / 1e9:.2f} GB",
    f"They are {100 * SMALL_PARTS / count_parameters(GPT2_SMALL):.1f} % of GPT-2 small",
    "the 16 keys of `gpt2_block` | the 9 keys of `llama_block`",
)
"""What the page states, with the numbers computed here."""


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """The names that the page defines, after every block ran in order and printed what it says."""
    names: dict[str, Any] = {}
    for block in BLOCKS:
        printed = run(block, names)
        if said := said_to_print(block):
            assert printed == said
    return names


class TestPage:
    def test_every_block_runs_in_order_and_prints_what_it_says(self, page: dict[str, Any]) -> None:
        assert len(BLOCKS) == 7
        assert "check_model" in page

    @pytest.mark.parametrize("sentence", STATED)
    def test_the_numbers_in_the_prose_are_computed(self, sentence: str) -> None:
        assert sentence in PROSE

    def test_the_page_does_not_print_an_answer(self) -> None:
        for name in ("gpt2", "llama", "count_parameters", "init_gpt2"):
            assert f"def {name}" not in PAGE

    def test_the_reference_satisfies_the_checks_of_the_page(self, page: dict[str, Any]) -> None:
        old, new = random_weights(TINY), random_weights(TINY | {"family": "llama", "tied": False})
        page["check_model"](lambda x: gpt2(x, old, 2), 13)
        page["check_model"](lambda x: llama(x, new, 2, 1), 13)

    def test_the_checks_of_the_page_notice_a_model_that_sees_its_future(self, page: dict[str, Any]) -> None:
        weights = random_weights(TINY)
        with pytest.raises(AssertionError):
            page["check_model"](lambda x: gpt2(x.flip(1), weights, 2).flip(1), 13)

    def test_five_input_positions_give_five_signals(self) -> None:
        assert "One pass over 5 input positions gives 5 training signals" in PROSE
        text, weights = random_tokens(1, 6), random_weights(TINY)
        losses = F.cross_entropy(gpt2(text[:, :-1], weights, 2).mT, text[:, 1:], reduction="none")
        assert losses.numel() == 5

    def test_the_last_position_sees_the_whole_sequence_as_at_inference(self) -> None:
        assert "that position has seen the whole sequence, as in training" in PROSE
        weights, tokens = random_weights(TINY | {"n_blocks": 1}), random_tokens(1, 6)
        whole = gpt2(tokens, weights, 2)
        for t in range(6):
            other = tokens.clone()
            other[0, t] = (other[0, t] + 5) % 13
            assert (gpt2(other, weights, 2)[0, -1] - whole[0, -1]).abs().max() > 1e-3
            torch.testing.assert_close(gpt2(tokens[:, : t + 1], weights, 2)[0, -1], whole[0, t])

    def test_without_the_scale_the_stream_grows_and_with_it_it_does_not(self, page: dict[str, Any]) -> None:
        for n_blocks in (2, 8, 32):
            assert page["stream_size"](n_blocks, True) == pytest.approx(0.034, rel=0.05)
        assert page["stream_size"](32, False) / page["stream_size"](2, False) > 3


def plain_gpt2(config: Config, weights: Weights) -> nn.Module:
    """The page's Decoder with these weights, in float64."""
    names: dict[str, Any] = {}
    run(BLOCKS[0], names)
    sizes = {key: config[key] for key in ("vocab", "d_model", "n_blocks", "n_heads", "d_hidden", "max_positions")}
    module: nn.Module = names["Decoder"](**sizes).double()
    state = {"tokens.weight": weights["wte"], "positions.weight": weights["wpe"]}
    state |= {"norm.weight": weights["ln_f.gamma"], "norm.bias": weights["ln_f.beta"]}
    renamed = {
        "self_attn.out_proj.weight": "attn.wo", "self_attn.out_proj.bias": "attn.bo", "linear1.weight": "mlp.w_in",
        "linear1.bias": "mlp.b_in", "linear2.weight": "mlp.w_out", "linear2.bias": "mlp.b_out",
        "norm1.weight": "ln1.gamma", "norm1.bias": "ln1.beta", "norm2.weight": "ln2.gamma", "norm2.bias": "ln2.beta",
    }  # fmt: skip
    for n in range(config["n_blocks"]):
        own = f"blocks.{n}."
        state |= {own + theirs: weights[own + ours] for theirs, ours in renamed.items()}
        for theirs, kind in (("weight", "w"), ("bias", "b")):
            state[f"{own}self_attn.in_proj_{theirs}"] = torch.cat([weights[f"{own}attn.{kind}{x}"] for x in "qkv"])
    module.load_state_dict(state)
    return module


def numpy_llama(
    tokens: Tensor, weights: Weights, n_heads: int, n_kv_heads: int, base: float, eps: float
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """LLaMA of one sequence in NumPy, one position and one head at a time, `(T, V)`."""
    w = {key: weight.numpy() for key, weight in weights.items()}
    D = w["wte"].shape[1]
    K = D // n_heads

    def norm(x: Any, gain: Any) -> Any:
        return gain * x / np.sqrt(sum(v * v for v in x) / len(x) + eps)

    def turned(x: Any, p: int) -> Any:
        pairs = [complex(x[i], x[i + K // 2]) for i in range(K // 2)]
        pairs = [z * complex(math.cos(p * base ** (-2 * i / K)), math.sin(p * base ** (-2 * i / K)))
                 for i, z in enumerate(pairs)]  # fmt: skip
        return np.array([z.real for z in pairs] + [z.imag for z in pairs])

    stream = [w["wte"][token] for token in tokens.tolist()]
    for n in range(1 + max(int(key.split(".")[1]) for key in w if key.startswith("blocks."))):
        own = {key.removeprefix(f"blocks.{n}."): value for key, value in w.items() if key.startswith(f"blocks.{n}.")}
        read = [norm(h, own["norm1.weight"]) for h in stream]
        written = [np.zeros(D) for _ in stream]
        for head, t in itertools.product(range(n_heads), range(len(stream))):
            g = head // (n_heads // n_kv_heads)
            q = turned(own["attn.wq"][head * K : (head + 1) * K] @ read[t], t)
            keys = [turned(own["attn.wk"][g * K : (g + 1) * K] @ read[s], s) for s in range(t + 1)]
            shares = np.exp([float(q @ k) / math.sqrt(K) for k in keys])
            values = [own["attn.wv"][g * K : (g + 1) * K] @ read[s] for s in range(t + 1)]
            context = sum(share * v for share, v in zip(shares / shares.sum(), values, strict=True))
            written[t] += own["attn.wo"][:, head * K : (head + 1) * K] @ context
        stream = [h + a for h, a in zip(stream, written, strict=True)]
        for t, h in enumerate(stream):
            x = norm(h, own["norm2.weight"])
            gate, up = own["mlp.w_gate"] @ x, own["mlp.w_up"] @ x
            stream[t] = h + own["mlp.w_down"] @ (gate / (1 + np.exp(-gate)) * up)
    table = w.get("lm_head", w["wte"])
    return np.array([table @ norm(h, w["norm_f.weight"]) for h in stream])


class TestGpt2:
    @pytest.mark.parametrize("n_blocks", [1, 3, 11])
    def test_agrees_with_torchs_own_layers_in_value_and_gradients(self, n_blocks: int) -> None:
        config = TINY | {"n_blocks": n_blocks}
        weights = {key: weight.requires_grad_() for key, weight in random_weights(config).items()}
        module, tokens = plain_gpt2(config, weights), random_tokens(3, 7)
        found, expected = gpt2(tokens, weights, 2), module(tokens)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12 * float(expected.detach().abs().max()))
        mine = torch.autograd.grad(found.square().sum(), [weights["wte"], weights["wpe"]])
        theirs = torch.autograd.grad(
            expected.square().sum(), [module.get_parameter(f"{name}.weight") for name in ("tokens", "positions")]
        )
        torch.testing.assert_close(mine, theirs, rtol=1e-9, atol=1e-9)

    def test_keys_may_come_in_any_order(self) -> None:
        weights = random_weights(TINY | {"n_blocks": 11})
        keys = sorted(weights, key=lambda key: key[::-1])
        tokens = random_tokens(2, 4)
        assert torch.equal(gpt2(tokens, weights, 2), gpt2(tokens, {key: weights[key] for key in keys}, 2))

    def test_refuses_more_tokens_than_positions_and_takes_as_many(self) -> None:
        weights = random_weights(TINY)
        assert gpt2(random_tokens(2, 7), weights, 2).shape == (2, 7, 13)
        with pytest.raises(ValueError, match="8 tokens are more than the 7 positions"):
            gpt2(random_tokens(2, 8), weights, 2)

    def test_without_positions_the_first_block_reads_a_set(self) -> None:
        weights = random_weights(TINY | {"n_blocks": 1})
        weights["wpe"] = torch.zeros_like(weights["wpe"])
        tokens = random_tokens(1, 6)
        swapped = tokens[:, [3, 0, 4, 2, 1, 5]]
        torch.testing.assert_close(gpt2(tokens, weights, 2)[:, -1], gpt2(swapped, weights, 2)[:, -1])

    def test_rows_of_unused_positions_get_no_gradient(self) -> None:
        weights = {key: weight.requires_grad_() for key, weight in random_weights(TINY).items()}
        (slope,) = torch.autograd.grad(gpt2(random_tokens(2, 4), weights, 2).square().sum(), weights["wpe"])
        assert (slope[:4].abs().sum(1) > 0).all()
        assert (slope[4:] == 0).all()

    def test_blocks_that_write_nothing_leave_the_model_without_blocks(self) -> None:
        weights = random_weights(TINY)
        silent = ("attn.wo", "attn.bo", "mlp.w_out", "mlp.b_out")
        quiet = {key: weight * (not key.endswith(silent)) for key, weight in weights.items()}
        none = {key: weight for key, weight in weights.items() if not key.startswith("blocks.")}
        tokens = random_tokens(2, 5)
        torch.testing.assert_close(gpt2(tokens, quiet, 2), gpt2(tokens, none, 2))


class TestLlama:
    @pytest.mark.parametrize("tied", [False, True])
    @pytest.mark.parametrize(("n_heads", "n_kv_heads", "base", "eps"), [(4, 2, 1e4, 1e-6), (2, 2, 50.0, 0.1),
                                                                       (4, 1, 500.0, 1e-5)])  # fmt: skip
    def test_agrees_with_numpy(self, n_heads: int, n_kv_heads: int, base: float, eps: float, tied: bool) -> None:
        config = TINY | {"family": "llama", "n_heads": n_heads, "n_kv_heads": n_kv_heads, "tied": tied}
        weights, tokens = random_weights(config), random_tokens(2, 6)
        found = llama(tokens, weights, n_heads, n_kv_heads, base=base, eps=eps)
        expected = np.stack([numpy_llama(sample, weights, n_heads, n_kv_heads, base, eps) for sample in tokens])
        # angles are rounded to float32, as rope_angles gives them
        torch.testing.assert_close(found, torch.from_numpy(expected), rtol=0, atol=1e-6 * np.abs(expected).max())

    def test_counting_from_one_changes_nothing(self) -> None:
        weights, tokens = random_weights(TINY | {"family": "llama", "n_blocks": 2}), random_tokens(2, 6)
        h = weights["wte"][tokens]
        for n in range(2):
            own = {key.removeprefix(f"blocks.{n}."): w for key, w in weights.items() if key.startswith(f"blocks.{n}.")}
            h = llama_block(h, own, 2, 1, torch.arange(1, 7))
        shifted = rms_norm(h, weights["norm_f.weight"]) @ weights["wte"].T
        torch.testing.assert_close(shifted, llama(tokens, weights, 2, 1), rtol=0, atol=1e-5)

    def test_a_tied_table_adds_up_the_gradients_of_both_ends(self) -> None:
        tied, tokens = random_weights(TINY | {"family": "llama"}), torch.tensor([[1, 4, 4, 2, 7]])
        apart = tied | {"lm_head": tied["wte"].clone()}

        def slopes(weights: Weights, *names: str) -> tuple[Tensor, ...]:
            leaves = {key: weight.clone().requires_grad_() for key, weight in weights.items()}
            loss = F.cross_entropy(llama(tokens[:, :-1], leaves, 2, 1).flatten(0, 1), tokens[0, 1:])
            return torch.autograd.grad(loss, [leaves[name] for name in names])

        (both,) = slopes(tied, "wte")
        read, scored = slopes(apart, "wte", "lm_head")
        torch.testing.assert_close(both, read + scored)
        assert (read.abs().sum(1) > 0).nonzero().flatten().tolist() == [1, 2, 4]
        assert (scored.abs().sum(1) > 0).all()

    def test_takes_an_empty_batch_and_keeps_the_dtype(self) -> None:
        for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
            new = {key: w.to(dtype) for key, w in random_weights(TINY | {"family": "llama"}).items()}
            old = {key: w.to(dtype) for key, w in random_weights(TINY).items()}
            for batch in (0, 2):
                for logits in (llama(random_tokens(batch, 3), new, 2, 1), gpt2(random_tokens(batch, 3), old, 2)):
                    assert logits.shape == (batch, 3, 13)
                    assert logits.dtype == dtype

    def test_no_argument_is_changed(self) -> None:
        for family in ("gpt2", "llama"):
            weights, tokens = random_weights(TINY | {"family": family}), random_tokens(2, 4)
            kept = {key: weight.clone() for key, weight in weights.items()}
            if family == "gpt2":
                gpt2(tokens, weights, 2)
            else:
                llama(tokens, weights, 2, 1)
            assert list(weights) == list(kept)
            assert all(torch.equal(weights[key], kept[key]) for key in kept)


class TestCountParameters:
    def test_the_two_numbers_that_everybody_knows(self) -> None:
        assert count_parameters(GPT2_SMALL) == 124_439_808
        assert count_parameters(LLAMA_7B) == 6_738_415_616

    @pytest.mark.parametrize("tied", [True, False])
    @pytest.mark.parametrize("family", ["gpt2", "llama"])
    def test_agrees_with_the_sizes_of_all_tensors(self, family: str, tied: bool) -> None:
        source = random.Random(3)
        for _ in range(50):
            n_kv_heads, group, width = source.randint(1, 4), source.randint(1, 3), source.randint(1, 9)
            config = {
                "family": family, "vocab": source.randint(2, 99), "d_model": n_kv_heads * group * width,
                "n_blocks": source.randint(1, 5), "n_heads": n_kv_heads * group, "n_kv_heads": n_kv_heads,
                "d_hidden": source.randint(1, 99), "max_positions": source.randint(1, 99), "tied": tied,
            }  # fmt: skip
            found = count_parameters(config)
            assert type(found) is int
            assert found == sum(math.prod(size) for size in shapes(config).values())

    def test_agrees_with_the_weights_that_are_drawn(self) -> None:
        assert count_parameters(TINY) == sum(weight.numel() for weight in init_gpt2(TINY, 0).values())


class TestInitGpt2:
    WIDE: Config = TINY | {"vocab": 400, "d_model": 64, "d_hidden": 256, "max_positions": 300, "n_blocks": 4}

    def test_keys_shapes_dtypes_and_no_gradient(self) -> None:
        for n_blocks in (1, 3, 11):
            config = TINY | {"n_blocks": n_blocks, "tied": False}
            weights = init_gpt2(config, 1)
            assert {key: tuple(weight.shape) for key, weight in weights.items()} == shapes(config | {"tied": True})
            assert all(weight.dtype == torch.float32 and not weight.requires_grad for weight in weights.values())
            assert gpt2(random_tokens(2, 7), weights, 2).isfinite().all()

    def test_deviations_lie_within_their_sampling_error(self) -> None:
        weights = init_gpt2(self.WIDE, 2)
        for ending in ("wte", "wpe", "wq", "wk", "wv", "wo", "w_in", "w_out"):
            std = 0.02 / math.sqrt(8) if ending in ("wo", "w_out") else 0.02
            values = torch.cat([w.flatten() for key, w in weights.items() if key.endswith(ending)]).double()
            n = values.numel()
            assert n >= 1e4
            assert abs(float(values.std()) - std) < 5 * std / math.sqrt(2 * n)
            assert abs(float(values.mean())) < 5 * std / math.sqrt(n)
            assert float((values.abs() > 2 * std).double().mean()) == pytest.approx(0.0455, abs=0.01)

    def test_biases_are_0_and_gains_1(self) -> None:
        for key, weight in init_gpt2(TINY, 3).items():
            if weight.dim() == 1:
                assert (weight == float(key.endswith("gamma"))).all()

    def test_a_seed_decides_and_the_global_state_has_no_part(self) -> None:
        torch.manual_seed(5)
        before = torch.random.get_rng_state()
        first = init_gpt2(TINY, 7)
        assert torch.equal(torch.random.get_rng_state(), before)
        torch.manual_seed(6)
        again, other = init_gpt2(TINY, 7), init_gpt2(TINY, 8)
        assert all(torch.equal(first[key], again[key]) for key in first)
        assert not any(torch.equal(first[key], other[key]) for key in first if first[key].dim() == 2)

    def test_no_tensor_shares_memory_or_values_with_another(self) -> None:
        weights = init_gpt2(TINY, 9)
        assert len({weight.untyped_storage().data_ptr() for weight in weights.values()}) == len(weights)
        matrices = [weight for weight in weights.values() if weight.dim() == 2]
        for a, b in itertools.combinations(matrices, 2):
            n = min(a.numel(), b.numel())
            assert not torch.equal(a.flatten()[:n] / a.flatten()[0], b.flatten()[:n] / b.flatten()[0])

    def test_the_first_loss_is_that_of_a_guess(self) -> None:
        weights, text = init_gpt2(self.WIDE, 1), random_tokens(8, 65, vocab=400)
        loss = F.cross_entropy(gpt2(text[:, :-1], weights, 2).flatten(0, 1), text[:, 1:].flatten())
        assert float(loss) == pytest.approx(math.log(400), abs=0.1)


class TestCatalogue:
    def test_every_section_is_a_heading_of_the_page(self) -> None:
        anchors = {
            re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in PAGE.splitlines()
            if line.startswith("#")
        }
        for flawed in catalogue.exercises.values():
            assert {m.section for m in flawed.misconceptions} <= anchors


QUIZ = read_nodes(FOLDER / "quiz.yaml", [])
QUESTIONS = plain(QUIZ)["questions"] if QUIZ else []
DRAWN = [question for question in QUESTIONS if isinstance(question["answer"], dict)]


def named(questions: list[Any]) -> pytest.MarkDecorator:
    """Parametrize over questions, each under its id."""
    return pytest.mark.parametrize("question", questions, ids=lambda question: question["id"])


def filled(value: Any, drawn: dict[str, Any]) -> Any:
    """Arguments of an answer with the drawn parameters in their places."""
    if isinstance(value, str):
        return drawn[value.removeprefix("$")] if value.startswith("$") else value
    if isinstance(value, list):
        return [filled(item, drawn) for item in value]
    if isinstance(value, dict) and "tensor" in value:
        return torch.tensor(filled(value["tensor"], drawn), dtype=getattr(torch, value["dtype"]))
    return {key: filled(item, drawn) for key, item in value.items()} if isinstance(value, dict) else value


class TestQuiz:
    def test_kinds_and_counts(self) -> None:
        assert len(QUESTIONS) >= 12
        assert 2 * len(DRAWN) >= len(QUESTIONS)
        assert {"choice", "multi", "numeric", "shape", "order", "code", "explain"} == {q["kind"] for q in QUESTIONS}
        assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)

    @named([question for question in DRAWN if question["kind"] == "numeric"])
    def test_known_slips_lie_apart_from_the_answer_and_from_each_other(self, question: Any) -> None:
        answer, slips = question["answer"], [slip["value"]["wrong"] for slip in question["also"]]
        name = answer["ref"].removeprefix("reference.model:")
        functions = [getattr(reference, name), *(catalogue.exercises[name].variant([s.split(".")[2]]) for s in slips)]
        for seed in range(200):
            source = random.Random(seed)
            drawn = {
                key: source.choice(how["choice"]) if "choice" in how else source.randint(how["low"], how["high"])
                for key, how in question["params"].items()
            }
            values = []
            for function in functions:
                found = function(**{key: filled(value, drawn) for key, value in answer["args"].items()})
                values.append(found[tuple(answer["at"])].item() if "at" in answer else found)
            assert all(map(math.isfinite, values))
            gaps = [abs(a - b) for i, a in enumerate(values) for b in values[:i]]
            assert min(gaps) > 2 * question.get("atol", 0), (drawn, values)

    def test_the_shape_of_a_first_weight(self) -> None:
        question = next(q for q in QUESTIONS if q["id"] == "model-shape-of-a-first-weight")
        weights = init_gpt2(**filled(question["answer"]["args"], {"d": 8, "f": 20}))
        assert weights[question["answer"]["at"][0]].shape == (8, 20)
        assert [slip["value"].format(d=8, f=20) for slip in question["also"]] == ["20, 8", "8, 8"]

    @named([q for q in QUESTIONS if q["kind"] == "code" and "which line" not in q["prompt"].lower()])
    def test_snippets_print_the_answer(self, question: Any) -> None:
        assert run(FENCED.findall(question["prompt"])[0], {}) == [question["answer"]]

    @named([question for question in QUESTIONS if question["kind"] in ("choice", "multi")])
    def test_right_options_are_the_answer_and_all_have_feedback(self, question: Any) -> None:
        right = [option["id"] for option in question["options"] if option.get("right")]
        assert right == (question["answer"] if question["kind"] == "multi" else [question["answer"]])
        assert all(option["feedback"] for option in question["options"])

    def test_the_numbers_in_the_options_are_computed(self) -> None:
        texts = {o["id"]: o["text"] for q in QUESTIONS if q["id"].endswith("output-projections") for o in q["options"]}
        expected = {"right": math.sqrt(16), "root_n": math.sqrt(8), "no_root": 16, "plain": 1}
        assert {key: float(text) for key, text in texts.items()} == pytest.approx(
            {key: 0.02 / divisor for key, divisor in expected.items()}, rel=0.01
        )

    def test_the_faulty_start_agrees_while_ids_are_positions(self) -> None:
        source = next(q for q in QUESTIONS if q["id"] == "model-line-with-the-wrong-positions")
        names: dict[str, Any] = {}
        run(FENCED.findall(source["prompt"])[0], names)
        weights = random_weights(TINY)
        for tokens, agrees in ((torch.tensor([[0, 1, 2, 3]]), True), (torch.tensor([[3, 1, 1, 0]]), False)):
            right = weights["wte"][tokens] + weights["wpe"][:4]
            assert torch.equal(names["start"](tokens, weights), right) == agrees
