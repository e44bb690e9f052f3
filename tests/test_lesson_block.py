"""The lesson on the block: its page and quiz say what is so, its reference agrees with other authorities."""

import contextlib
import io
import math
import random
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from warm import WarmPython

from grader.course.yaml12 import plain, read_nodes
from grader.misconceptions.block import catalogue
from grader.places import lessons_folder
from reference import block as reference
from reference.block import gpt2_block, llama_block, post_norm, pre_norm, trace_block

FOLDER = lessons_folder() / "block"
PAGE = (FOLDER / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
Weights = dict[str, Tensor]

DTYPES = [(torch.float64, 1e-12), (torch.float32, 5e-6), (torch.bfloat16, 3e-2)]
IN_EACH_DTYPE = pytest.mark.parametrize(("dtype", "tolerance"), DTYPES, ids=["float64", "float32", "bfloat16"])

GPT2_SMALL, LLAMA_7B, LLAMA_70B = (768, 3072, 12, 12), (4096, 11008, 32, 32), (8192, 28672, 64, 8)


def normal(*shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0, seed: int = 0) -> Tensor:
    """Reproducible normal numbers, rounded to the dtype."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=generator, dtype=torch.float64) * scale).to(dtype)


def drawn(sizes: dict[str, tuple[int, ...]], dtype: torch.dtype) -> Weights:
    """Random tensors of these sizes, matrices of order one over the root of their inputs."""
    return {
        name: normal(*size, scale=1.4 * size[1] ** -0.5 if len(size) == 2 else 1.0, seed=seed, dtype=dtype)
        for seed, (name, size) in enumerate(sizes.items(), 1)
    }


def gpt2_weights(width: int, hidden: int, dtype: torch.dtype = torch.float64) -> Weights:
    """All that GPT-2's block takes."""
    sizes: dict[str, tuple[int, ...]] = {f"{n}.{part}": (width,) for n in ("ln1", "ln2") for part in ("gamma", "beta")}
    for letter in "qkvo":
        sizes |= {f"attn.w{letter}": (width, width), f"attn.b{letter}": (width,)}
    sizes |= {"mlp.w_in": (hidden, width), "mlp.b_in": (hidden,), "mlp.w_out": (width, hidden), "mlp.b_out": (width,)}
    return drawn(sizes, dtype)


def llama_weights(width: int, kv_width: int, hidden: int, dtype: torch.dtype = torch.float64) -> Weights:
    """All that LLaMA's block takes."""
    sizes: dict[str, tuple[int, ...]] = {"norm1.weight": (width,), "norm2.weight": (width,)}
    sizes |= {"attn.wq": (width, width), "attn.wk": (kv_width, width), "attn.wv": (kv_width, width)}
    sizes |= {"attn.wo": (width, width), "mlp.w_gate": (hidden, width), "mlp.w_up": (hidden, width)}
    return drawn(sizes | {"mlp.w_down": (width, hidden)}, dtype)


def silenced(weights: Weights, *names: str) -> Weights:
    """The same weights, these ones zero."""
    return {name: 0 * weight if name in names else weight for name, weight in weights.items()}


def close(found: Tensor, expected: Tensor, tolerance: float) -> None:
    """Near enough for the largest value."""
    atol = tolerance * float(expected.abs().max())
    torch.testing.assert_close(found.double(), expected.double(), rtol=0, atol=atol)


def jacobian(function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """By autograd."""
    found: Tensor = torch.autograd.functional.jacobian(function, at)  # type: ignore[no-untyped-call]
    return found


# What a block does to one sequence, in NumPy's float64, one query of one head at a time.


def causal_attention(q: Any, k: Any, v: Any, served: list[int]) -> Any:
    """q `(T, H, K)`, k and v `(T, Hkv, K)` -> `(T, H*K)`; `served`: the key-value head of each query head."""
    seq, n_heads, width = q.shape
    merged = np.zeros((seq, n_heads * width))
    for i in range(seq):
        for h in range(n_heads):
            scores = [float(q[i, h] @ k[j, served[h]]) / math.sqrt(width) for j in range(i + 1)]
            shares = [math.exp(score - max(scores)) for score in scores]
            for j, share in enumerate(shares):
                merged[i, h * width : (h + 1) * width] += share / math.fsum(shares) * v[j, served[h]]
    return merged


def turned(x: Any, positions: list[int], base: float) -> Any:
    """x `(T, heads, K)`: feature i and i + K/2 of each head as a complex number, times a unit one."""
    half = x.shape[-1] // 2
    pairs = x[..., :half] + 1j * x[..., half:]
    angles = np.array([[p * base ** (-2 * i / x.shape[-1]) for i in range(half)] for p in positions])
    pairs = pairs * np.exp(1j * angles)[:, None]
    return np.concatenate([pairs.real, pairs.imag], axis=-1)


def gpt2_oracle(h: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """GPT-2's block."""
    w: Any = {name: weight.double().numpy() for name, weight in weights.items()}
    width = h.shape[-1]

    def norm(x: Any, name: str) -> Any:
        spread = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
        return (x - x.mean(axis=-1, keepdims=True)) / spread * w[f"{name}.gamma"] + w[f"{name}.beta"]

    done = []
    for sample in h.double().numpy():
        read = norm(sample, "ln1")
        heads = {n: (read @ w[f"attn.w{n}"].T + w[f"attn.b{n}"]).reshape(-1, n_heads, width // n_heads) for n in "qkv"}
        context = causal_attention(heads["q"], heads["k"], heads["v"], list(range(n_heads)))
        stream = sample + context @ w["attn.wo"].T + w["attn.bo"]
        z = norm(stream, "ln2") @ w["mlp.w_in"].T + w["mlp.b_in"]
        z = z / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3)))
        done.append(stream + z @ w["mlp.w_out"].T + w["mlp.b_out"])
    return torch.from_numpy(np.stack(done))


def llama_oracle(
    h: Tensor, weights: Weights, n_heads: int, n_kv_heads: int, positions: list[int], base: float, eps: float
) -> Tensor:
    """LLaMA's block."""
    w: Any = {name: weight.double().numpy() for name, weight in weights.items()}
    k_width = h.shape[-1] // n_heads

    def norm(x: Any, name: str) -> Any:
        return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * w[f"{name}.weight"]

    done = []
    for sample in h.double().numpy():
        read = norm(sample, "norm1")
        q, k, v = ((read @ w[f"attn.w{n}"].T).reshape(len(sample), -1, k_width) for n in "qkv")
        served = [head * n_kv_heads // n_heads for head in range(n_heads)]
        context = causal_attention(turned(q, positions, base), turned(k, positions, base), v, served)
        stream = sample + context @ w["attn.wo"].T
        read = norm(stream, "norm2")
        gate = read @ w["mlp.w_gate"].T
        done.append(stream + (gate / (1 + np.exp(-gate)) * (read @ w["mlp.w_up"].T)) @ w["mlp.w_down"].T)
    return torch.from_numpy(np.stack(done))


def parameters(width: int, hidden: int, n_heads: int, n_kv_heads: int) -> tuple[int, int]:
    """What a LLaMA block holds in attention, and in all, counted tensor by tensor."""
    kv_width = width // n_heads * n_kv_heads
    attention = sum(rows * width for rows in (width, kv_width, kv_width, width))
    return attention, attention + 3 * width * hidden + 2 * width


def gpt2_parameters(width: int) -> tuple[int, int]:
    """The same for GPT-2, with its biases."""
    with torch.device("meta"):
        layer = torch.nn.TransformerEncoderLayer(width, 1, 4 * width)
    return sum(p.numel() for p in layer.self_attn.parameters()), sum(p.numel() for p in layer.parameters())


def numbers(config: dict[str, int], maps: bool) -> int:
    """How many numbers the maps, or all other stages, of one traced block hold."""
    return sum(math.prod(shape) for name, shape in trace_block(config) if (name in ("scores", "weights")) == maps)


TRACED = {"batch": 1, "seq": 2048, "d_model": 4096, "n_heads": 32, "n_kv_heads": 32, "d_hidden": 11008}
SMALL_ATTENTION, SMALL = gpt2_parameters(768)
MATRICES = 2 * (parameters(*LLAMA_7B)[1] - 2 * 4096)
MAPS = 4 * 4096 * 4096


def row(name: str, sizes: tuple[int, int, int, int], attention: int, total: int, n_blocks: int) -> str:
    """A row of the table of parameters."""
    return f"| {name} | {sizes[0]}, {sizes[1]} | {total:,} | {attention:,} | {n_blocks}: {n_blocks * total:,} |"


SEVENTY_ATTENTION, SEVENTY = parameters(*LLAMA_70B)
STATED = (
    row("GPT-2 small", GPT2_SMALL, SMALL_ATTENTION, SMALL, 12),
    row("LLaMA-7B", LLAMA_7B, *parameters(*LLAMA_7B), 32),
    row("LLaMA-2 70B ($H_{kv} = 8$ of 64)", LLAMA_70B, SEVENTY_ATTENTION, SEVENTY, 80),
    f"then it is {100 * SEVENTY_ATTENTION / SEVENTY:.1f} %",
    (
        f"blocks together are {100 * 12 * SMALL / 124_439_808:.1f} % of GPT-2 small's 124,439,808 parameters and "
        f"{100 * 32 * parameters(*LLAMA_7B)[1] / 6_738_415_616:.1f} % of LLaMA-7B's 6,738,415,616"
    ),
    (
        f"does {MATRICES:,} operations a token with its matrices and {MAPS:,} with its maps at $T = 4096$, "
        f"{100 * MAPS / (MAPS + MATRICES):.1f} % of the sum"
    ),
    f"The two are equal at $T = {MATRICES // (4 * 4096):,}$".replace(",", "{,}"),
    (
        f"in 16 bits: {2 * numbers(TRACED, maps=False) / 1e6:.0f} MB without the maps, and "
        f"{2 * numbers(TRACED, maps=True) / 1e6:.0f} MB for the maps"
    ),
    f"They are equal at $T = {numbers(TRACED, maps=False) // 2048 // 64}$",
    f"leaves {2 * 2048 * 4096 / 1e6:.1f} MB a block",
    f"which is 1/{2**12} for 12 blocks",
    f"after 24 the root mean square is {math.sqrt(1 + 24):.0f}",
    f"near $2^{{-12}} = {2**-12:.4f}$ in post-norm",
    f"stays at $\\ln 16 = {math.log(16):.2f}$ nats",
)
"""What the page states, with the numbers computed here."""


def said_to_print(block: str) -> list[str]:
    """What a block says it prints, on the comment lines below `# prints`."""
    found: list[str] = []
    below = False
    for line in block.splitlines():
        if below and line.startswith("# "):
            found.append(line.removeprefix("# "))
        below = line == "# prints" or (below and line.startswith("# "))
    return found


def run(block: str, names: dict[str, Any]) -> list[str]:
    """Run a block of the page; the lines that it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, "lesson.md", "exec"), names)  # noqa: S102  # the page is ours
    return printed.getvalue().splitlines()


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

    def test_the_page_does_not_print_an_answer(self) -> None:
        for name in ("pre_norm", "post_norm", "gpt2_block", "llama_block", "trace_block"):
            assert f"def {name}(" not in PAGE

    def test_the_formulas_of_the_parameter_counts(self) -> None:
        assert "4D^2 + 2DF + 9D + F = 12D^2 + 13D" in PROSE
        for width in (8, 768):
            hidden = 4 * width
            assert 4 * width**2 + 2 * width * hidden + 9 * width + hidden == gpt2_parameters(width)[1]
            assert gpt2_parameters(width)[1] == 12 * width**2 + 13 * width
            assert gpt2_parameters(width)[1] == sum(w.numel() for w in gpt2_weights(width, hidden).values())
        assert sum(w.numel() for w in llama_weights(24, 8, 40).values()) == parameters(24, 40, 6, 2)[1]
        assert parameters(24, 40, 6, 2)[1] == 2 * 24**2 * (6 + 2) // 6 + 3 * 24 * 40 + 2 * 24

    def test_which_stages_have_which_size(self) -> None:
        assert "eleven are $(B, T, D)$ in size when $H_{kv} = H$, three are $(B, T, F)$ and two are maps" in PROSE
        sizes = [math.prod(shape) for _, shape in trace_block(TRACED)]
        counts = [sizes.count(n) for n in (2048 * 4096, 2048 * 11008, 32 * 2048**2)]
        assert counts == [11, 3, 2]
        shapes = {shape for _, shape in trace_block(TRACED | {"n_kv_heads": 8})}
        assert "Five shapes serve sixteen stages" in PROSE
        assert len(shapes) == 5

    def test_sixteen_bits_end_where_the_page_says(self) -> None:
        assert "at 256 an added 0.5 is gone" in PROSE
        assert torch.tensor(256.0, dtype=torch.bfloat16) + 0.5 == 256
        assert "near position 1000 bfloat16 numbers are 4 apart" in PROSE
        assert torch.arange(996, 1005).bfloat16().unique().tolist() == [996.0, 1000.0, 1004.0]

    def test_the_two_forms_of_gelu_differ_by_at_most_half_a_thousandth(self) -> None:
        assert "differs by at most 0.0005 per hidden unit" in PROSE
        x = torch.linspace(-6, 6, 20001, dtype=torch.float64)
        assert 4e-4 < float((F.gelu(x) - F.gelu(x, approximate="tanh")).abs().max()) < 5e-4

    def test_the_stream_grows_by_one_sublayer_at_a_time(self) -> None:
        names: dict[str, Any] = {}
        run(BLOCKS[0], names)
        measured = [names["through_the_stack"]("pre", seed=seed)[0] ** 2 for seed in range(8)]
        assert np.mean(measured) == pytest.approx(25, rel=0.1)
        alone = [names["through_the_stack"]("post", only_identity_path=True, seed=seed)[1] for seed in range(8)]
        assert np.mean(alone) == pytest.approx(2**-12, rel=0.25)


COUNTING = """
from grader.judge.check import Examination
from grader.judge.probe import run_here
from grader.session import with_suites
from reference.block import pre_norm


def careful(h, norm, sublayer):
    assert norm(h).shape == h.shape
    return h + sublayer(norm(h))


def forgetful(h, norm, sublayer):
    return h + norm(h)


def body(suites):
    test = next(test for test in suites.tests("block.pre_norm") if test.name == "each_called_once")
    for function in (pre_norm, careful, forgetful):
        record = suites.run(test, Examination(pre_norm, lambda probe, _: run_here(function, probe)), 1)
        print(record.status, record.sentence)
    return 0


with_suites(["block"], body)
"""
"""The law of one call each, asked of three functions; suites live in a process of their own."""


class TestOrders:
    def test_pre_norm_and_post_norm_are_what_they_say(self) -> None:
        h, matrix = normal(2, 3, 5), normal(5, 5, seed=1)

        def norm(x: Tensor) -> Tensor:
            return F.layer_norm(x, (5,))

        def sublayer(x: Tensor) -> Tensor:
            return x @ matrix.T

        assert torch.equal(pre_norm(h, norm, sublayer), h + norm(h) @ matrix.T)
        assert torch.equal(post_norm(h, norm, sublayer), norm(h + h @ matrix.T))

    @pytest.mark.parametrize("order", [pre_norm, post_norm])
    def test_each_function_is_called_once(self, order: Callable[..., Tensor]) -> None:
        called: list[str] = []

        def noted(name: str, x: Tensor) -> Tensor:
            called.append(name)
            return x

        order(normal(2, 3), partial(noted, "norm"), partial(noted, "sublayer"))
        assert called == (["norm", "sublayer"] if order is pre_norm else ["sublayer", "norm"])

    def test_the_suite_counts_the_learners_calls_alone(self, warm_python: WarmPython) -> None:
        found = warm_python.run("-c", COUNTING)
        assert (found.returncode, found.stderr) == (0, "")
        assert found.stdout.splitlines() == [
            "passed ",
            "failed The norm was called 2 times; once is right.",
            "failed The sublayer was called 0 times; once is right.",
        ]

    def test_the_gradient_of_one_block_has_four_paths(self) -> None:
        h, first, second = normal(5), normal(5, 5, seed=1), normal(5, 5, seed=2)

        def branch(matrix: Tensor, x: Tensor) -> Tensor:
            return torch.tanh(F.layer_norm(x, (5,)) @ matrix.T)

        def both(h: Tensor) -> Tensor:
            x = pre_norm(h, lambda x: F.layer_norm(x, (5,)), lambda x: torch.tanh(x @ first.T))
            return pre_norm(x, lambda x: F.layer_norm(x, (5,)), lambda x: torch.tanh(x @ second.T))

        J1, J2 = jacobian(partial(branch, first), h), jacobian(partial(branch, second), h + branch(first, h))
        close(jacobian(both, h), torch.eye(5, dtype=torch.float64) + J1 + J2 + J2 @ J1, 1e-12)

    def test_the_identity_path_passes_the_gradient_as_it_is(self) -> None:
        h, cotangent = normal(2, 3, 5).requires_grad_(), normal(2, 3, 5, seed=3)
        for order, unchanged in ((pre_norm, True), (post_norm, False)):
            y = order(h, lambda x: F.rms_norm(x, (5,)), lambda x: x.detach() * 0.7)
            (slope,) = torch.autograd.grad((y * cotangent).sum(), h)
            assert torch.equal(slope, cotangent) == unchanged


class TestGpt2Block:
    @IN_EACH_DTYPE
    @pytest.mark.parametrize("n_heads", [1, 3, 6])
    def test_agrees_with_numpy(self, n_heads: int, dtype: torch.dtype, tolerance: float) -> None:
        h, weights = normal(2, 5, 12, scale=2.0, dtype=dtype), gpt2_weights(12, 20, dtype)
        found = gpt2_block(h, weights, n_heads)
        assert found.dtype == dtype
        close(found, gpt2_oracle(h, weights, n_heads), tolerance)

    def test_eps_is_that_of_gpt2(self) -> None:
        h, weights = normal(2, 4, 8, scale=1e-3), gpt2_weights(8, 12)
        close(gpt2_block(h, weights, 2), gpt2_oracle(h, weights, 2), 1e-12)

    def test_agrees_with_torchs_layer_in_value_and_gradients(self) -> None:
        h, weights = normal(2, 5, 12).requires_grad_(), gpt2_weights(12, 20)
        gelu = partial(F.gelu, approximate="tanh")
        layer = torch.nn.TransformerEncoderLayer(
            12, 3, 20, 0.0, gelu, 1e-5, batch_first=True, norm_first=True, dtype=torch.float64
        )
        state = {
            f"self_attn.in_proj_{k}": torch.cat([weights[f"attn.{k[0]}{n}"] for n in "qkv"]) for k in ("weight", "bias")
        }
        state |= {"self_attn.out_proj.weight": weights["attn.wo"], "self_attn.out_proj.bias": weights["attn.bo"]}
        for theirs, ours in (("norm1", "ln1"), ("norm2", "ln2")):
            state |= {f"{theirs}.weight": weights[f"{ours}.gamma"], f"{theirs}.bias": weights[f"{ours}.beta"]}
        for theirs, ours in (("linear1", "in"), ("linear2", "out")):
            state |= {f"{theirs}.weight": weights[f"mlp.w_{ours}"], f"{theirs}.bias": weights[f"mlp.b_{ours}"]}
        layer.load_state_dict(state)
        expected = layer(h, torch.ones(5, 5, dtype=torch.bool).triu(1))
        found = gpt2_block(h, weights, 3)
        close(found.detach(), expected.detach(), 1e-12)
        cotangent = normal(2, 5, 12, seed=9)
        slopes = [torch.autograd.grad((y * cotangent).sum(), h)[0] for y in (found, expected)]
        close(slopes[0], slopes[1], 1e-12)

    def test_gradients_reach_every_weight(self) -> None:
        weights = {name: weight.requires_grad_() for name, weight in gpt2_weights(6, 8).items()}
        gpt2_block(normal(2, 4, 6), weights, 3).square().sum().backward()
        reached = {name for name, w in weights.items() if w.grad is not None and float(w.grad.abs().max()) > 1e-9}
        assert reached == set(weights) - {"attn.bk"}  # it shifts whole rows of scores, which the softmax does not see

    def test_the_offset_of_a_token_passes_through(self) -> None:
        h, weights, offset = normal(2, 4, 8), gpt2_weights(8, 12), normal(2, 4, 1, seed=5)
        close(gpt2_block(h + offset, weights, 2), gpt2_block(h, weights, 2) + offset, 1e-10)

    def test_silent_sublayers_leave_the_stream(self) -> None:
        h, weights = normal(2, 4, 8), silenced(gpt2_weights(8, 12), "attn.wo", "attn.bo", "mlp.w_out", "mlp.b_out")
        assert torch.equal(gpt2_block(h, weights, 2), h)

    def test_writes_something_where_the_stream_is_zero(self) -> None:
        assert "GPT-2's block still writes something" in PROSE
        assert gpt2_block(torch.zeros(1, 2, 8, dtype=torch.float64), gpt2_weights(8, 12), 2).abs().max() > 0.1

    def test_no_argument_is_changed_and_an_empty_batch_is_taken(self) -> None:
        h, weights = normal(2, 4, 8), gpt2_weights(8, 12)
        kept = h.clone(), {name: weight.clone() for name, weight in weights.items()}
        gpt2_block(h, weights, 2)
        assert torch.equal(h, kept[0])
        assert list(weights) == list(kept[1])
        assert all(torch.equal(weights[name], kept[1][name]) for name in weights)
        assert gpt2_block(normal(0, 4, 8), weights, 2).shape == (0, 4, 8)


class TestLlamaBlock:
    @IN_EACH_DTYPE
    @pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(6, 2), (6, 6), (3, 1), (4, 2)])
    def test_agrees_with_numpy(self, n_heads: int, n_kv_heads: int, dtype: torch.dtype, tolerance: float) -> None:
        places, width = [3, 5, 9, 10, 17], 4 * n_heads
        h, weights = normal(2, 5, width, dtype=dtype), llama_weights(width, 4 * n_kv_heads, 13, dtype)
        found = llama_block(h, weights, n_heads, n_kv_heads, torch.tensor(places), base=500.0, eps=0.1)
        assert found.dtype == dtype
        angles = 1e-6 if dtype == torch.float64 else tolerance  # the course's angles are float32
        close(found, llama_oracle(h, weights, n_heads, n_kv_heads, places, 500.0, 0.1), angles)

    def test_defaults(self) -> None:
        h, weights = normal(2, 3, 8, scale=1e-3), llama_weights(8, 4, 10)
        found = llama_block(h, weights, 2, 1, torch.tensor([0, 1, 2]))
        close(found, llama_oracle(h, weights, 2, 1, [0, 1, 2], 10000.0, 1e-6), 1e-6)

    def test_causality_goes_by_index(self) -> None:
        places = [7, 2, 9, 2, 0]
        h, weights = normal(2, 5, 16), llama_weights(16, 8, 11)
        found = llama_block(h, weights, 4, 2, torch.tensor(places))
        close(found, llama_oracle(h, weights, 4, 2, places, 10000.0, 1e-6), 1e-6)
        later = h.clone()
        later[:, 3] = 2
        moved = llama_block(later, weights, 4, 2, torch.tensor(places)) != found
        assert moved.flatten(2).any(-1).tolist() == [[False, False, False, True, True]] * 2

    def test_agrees_with_torchs_kernel_in_gradients(self) -> None:
        h, weights = normal(2, 5, 16).requires_grad_(), llama_weights(16, 8, 11)
        unturned = llama_block(h, weights, 4, 2, torch.zeros(5, dtype=torch.int64))
        read = F.rms_norm(h, (16,), weights["norm1.weight"], 1e-6)
        q, k, v = ((read @ weights[f"attn.w{n}"].T).unflatten(-1, (-1, 4)).transpose(1, 2) for n in "qkv")
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        stream = h + context.transpose(1, 2).flatten(2) @ weights["attn.wo"].T
        read = F.rms_norm(stream, (16,), weights["norm2.weight"], 1e-6)
        hidden = F.silu(read @ weights["mlp.w_gate"].T) * (read @ weights["mlp.w_up"].T)
        expected = stream + hidden @ weights["mlp.w_down"].T
        close(unturned.detach(), expected.detach(), 1e-12)
        cotangent = normal(2, 5, 16, seed=9)
        slopes = [torch.autograd.grad((y * cotangent).sum(), h)[0] for y in (unturned, expected)]
        close(slopes[0], slopes[1], 1e-12)

    def test_gradients_reach_every_weight(self) -> None:
        weights = {name: weight.requires_grad_() for name, weight in llama_weights(8, 4, 10).items()}
        llama_block(normal(2, 4, 8), weights, 2, 1, torch.arange(4)).square().sum().backward()
        assert all(w.grad is not None and float(w.grad.abs().max()) > 1e-6 for w in weights.values())

    def test_only_differences_of_positions_count(self) -> None:
        h, weights, places = normal(2, 5, 16), llama_weights(16, 8, 11), torch.tensor([0, 1, 3, 4, 8])
        near, far, doubled = (llama_block(h, weights, 4, 2, p) for p in (places, places + 100, 2 * places))
        close(near, far, 1e-4)
        assert (near - doubled).abs().max() > 1e-2

    def test_silent_sublayers_leave_the_stream(self) -> None:
        h, weights = normal(2, 3, 8), silenced(llama_weights(8, 4, 10), "attn.wo", "mlp.w_down")
        assert torch.equal(llama_block(h, weights, 2, 1, torch.arange(3)), h)

    def test_zero_stays_zero(self) -> None:
        assert "LLaMA's block returns 0" in PROSE
        assert not llama_block(
            torch.zeros(1, 2, 8), llama_weights(8, 4, 10, torch.float32), 2, 1, torch.arange(2)
        ).any()

    def test_no_argument_is_changed_and_an_empty_batch_is_taken(self) -> None:
        h, weights, places = normal(2, 4, 8), llama_weights(8, 4, 10), torch.arange(4)
        kept = h.clone(), {name: weight.clone() for name, weight in weights.items()}
        llama_block(h, weights, 2, 1, places)
        assert torch.equal(h, kept[0])
        assert places.tolist() == [0, 1, 2, 3]
        assert list(weights) == list(kept[1])
        assert all(torch.equal(weights[name], kept[1][name]) for name in weights)
        assert llama_block(normal(0, 4, 8), weights, 2, 1, places).shape == (0, 4, 8)


class TestTrace:
    def test_is_what_a_block_really_makes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seen: list[tuple[int, ...]] = []

        def noting(name: str, *, arguments: bool = False) -> None:
            function = getattr(reference, name)

            def noted(*args: Any, **kwargs: Any) -> Any:
                result = function(*args, **kwargs)
                seen.extend([tuple(a.shape) for a in args[:1]] if arguments else [])
                seen.append(tuple(result.shape))
                return result

            monkeypatch.setattr(reference, name, noted)

        for name in ("rms_norm", "split_heads", "attention", "merge_heads", "swiglu", "pre_norm"):
            noting(name)
        config = {"batch": 2, "seq": 5, "d_model": 24, "n_heads": 6, "n_kv_heads": 2, "d_hidden": 40}
        llama_block(normal(2, 5, 24), llama_weights(24, 8, 40), 6, 2, torch.arange(5))
        trace = dict(trace_block(config))
        stages = ["norm1", "q", "k", "v", "context", "attn_out", "residual1", "norm2", "mlp_out", "residual2"]
        assert seen == [trace[stage] for stage in stages]
        assert trace["scores"] == trace["weights"] == (2, 6, 5, 5)
        assert trace["gate"] == trace["up"] == trace["hidden"] == (2, 5, 40)
        assert trace["input"] == (2, 5, 24)

    def test_names_sixteen_stages_in_order(self) -> None:
        names = " ".join(name for name, _ in trace_block(TRACED)).replace(" ", ", ")
        assert f"Stages in order: `{names}`" in PROSE
        assert all(type(size) is int for _, shape in trace_block(TRACED) for size in shape)


QUIZ = read_nodes(FOLDER / "quiz.yaml", [])
QUESTIONS = plain(QUIZ)["questions"] if QUIZ else []
DRAWN = [question for question in QUESTIONS if isinstance(question["answer"], dict)]


def named(questions: list[Any]) -> pytest.MarkDecorator:
    """Parametrize over questions, each under its id."""
    return pytest.mark.parametrize("question", questions, ids=lambda question: question["id"])


def filled(value: Any, chosen: dict[str, Any]) -> Any:
    """Arguments of an answer with the drawn parameters in their places."""
    if isinstance(value, str):
        return chosen[value.removeprefix("$")]
    if isinstance(value, list):
        return [filled(item, chosen) for item in value]
    if isinstance(value, dict) and "tensor" in value:
        return torch.tensor(filled(value["tensor"], chosen), dtype=getattr(torch, value["dtype"]))
    if isinstance(value, dict):
        return {key: filled(item, chosen) for key, item in value.items()}
    return value


def number(function: Callable[..., Any], answer: Any, arguments: dict[str, Any]) -> float:
    """What the function answers, at the place that is asked for."""
    found = function(**arguments)
    for place in answer["at"]:
        found = found[place]
    return float(found)


class TestQuiz:
    def test_kinds_and_counts(self) -> None:
        assert len(QUESTIONS) >= 12
        assert 2 * len(DRAWN) >= len(QUESTIONS)
        assert {"choice", "multi", "numeric", "shape", "order", "code", "explain"} == {q["kind"] for q in QUESTIONS}
        assert len({q["id"] for q in QUESTIONS}) == len(QUESTIONS)

    @named(DRAWN)
    def test_known_slips_lie_apart_from_the_answer_and_from_each_other(self, question: Any) -> None:
        answer, slips = question["answer"], [slip["value"]["wrong"] for slip in question["also"]]
        name = answer["ref"].removeprefix("reference.block:")
        functions = [getattr(reference, name), *(catalogue.exercises[name].variant([s.split(".")[2]]) for s in slips)]
        for seed in range(40):
            source = random.Random(seed)
            chosen = {
                key: source.choice(how["choice"]) if "choice" in how else source.randint(how["low"], how["high"])
                for key, how in question["params"].items()
            }
            arguments = filled(answer["args"], chosen)
            values = [number(function, answer, arguments) for function in functions]
            assert all(map(math.isfinite, values))
            gaps = [abs(a - b) for i, a in enumerate(values) for b in values[:i]]
            assert min(gaps) > 2 * question.get("atol", 1e-6), (chosen, values)

    @named([q for q in QUESTIONS if q["kind"] == "code" and "which line" not in q["prompt"].lower()])
    def test_snippets_print_the_answer(self, question: Any) -> None:
        snippet = re.search(r"^```python\n(.*?)^```", question["prompt"], re.MULTILINE | re.DOTALL)
        assert snippet
        assert run(snippet[1], {}) == [question["answer"]]

    @named([q for q in QUESTIONS if q["kind"] in ("choice", "multi")])
    def test_right_options_are_the_answer_and_all_have_feedback(self, question: Any) -> None:
        right = [option["id"] for option in question["options"] if option.get("right")]
        assert right == (question["answer"] if question["kind"] == "multi" else [question["answer"]])
        assert all(option["feedback"] for option in question["options"])

    @named([q for q in QUESTIONS if q["kind"] == "shape"])
    def test_shapes_are_those_of_the_trace(self, question: Any) -> None:
        stage = re.search(r"stage `(\w+)`", question["prompt"])
        assert stage
        b, t, h, g, k = 3, 120, 16, 4, 128
        config = {"batch": b, "seq": t, "d_model": h * k, "n_heads": h, "n_kv_heads": g, "d_hidden": 7}
        shape = dict(trace_block(config))[stage[1]]
        sizes = {"B": b, "T": t, "H": h, "Hkv": g, "K": k}
        answered = question["answer"].format(b=b, t=t, h=h, g=g, k=k).split(", ")
        assert [str(sizes.get(size, size)) for size in answered] == list(map(str, shape))
