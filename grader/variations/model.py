"""Right answers to the lesson on the whole model, written in other ways."""

import math
import random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grader.judge.variation import Variations
from reference.attention import attention, causal_mask
from reference.block import gpt2_block, llama_block
from reference.feedforward import swiglu
from reference.normalization import layer_norm, rms_norm

variations = Variations("model")
Weights = dict[str, Tensor]


def own(weights: Weights, n: int) -> Weights:
    """The weights of block n without their prefix."""
    start = f"blocks.{n}."
    return {key[len(start) :]: weight for key, weight in weights.items() if key.startswith(start)}


@variations.right("gpt2")
def counting_upwards(tokens: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """Takes blocks as long as there is a next number."""
    seq = tokens.size(1)
    if seq > weights["wpe"].size(0):
        raise ValueError("the sequence is longer than the position table")
    x = weights["wte"][tokens] + weights["wpe"][torch.arange(seq)]
    n = 0
    while f"blocks.{n}.ln1.gamma" in weights:
        x = gpt2_block(x, own(weights, n), n_heads)
        n += 1
    return layer_norm(x, weights["ln_f.gamma"], weights["ln_f.beta"]) @ weights["wte"].T


@variations.right("gpt2")
def on_torchs_layers(tokens: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """Uses F.embedding, F.layer_norm, F.linear and torch's attention, with one matrix for q, k and v."""
    (batch, seq), n_positions, width = tokens.shape, len(weights["wpe"]), weights["wte"].shape[1]
    if n_positions < seq:
        raise ValueError(f"{seq} > {n_positions}")
    x = F.embedding(tokens, weights["wte"]) + F.embedding(torch.arange(seq).expand(batch, seq), weights["wpe"])
    for n in range(1 + max(int(key.split(".")[1]) for key in weights if key.startswith("blocks."))):
        w = own(weights, n)
        y = F.layer_norm(x, (width,), w["ln1.gamma"], w["ln1.beta"])
        matrix, bias = (torch.cat([w[f"attn.{kind}{letter}"] for letter in "qkv"]) for kind in "wb")
        q, k, v = (
            part.reshape(batch, seq, n_heads, width // n_heads).transpose(1, 2)
            for part in F.linear(y, matrix, bias).chunk(3, dim=-1)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, seq, width)
        x = x + F.linear(y, w["attn.wo"], w["attn.bo"])
        y = F.layer_norm(x, (width,), w["ln2.gamma"], w["ln2.beta"])
        y = F.gelu(F.linear(y, w["mlp.w_in"], w["mlp.b_in"]), approximate="tanh")
        x = x + F.linear(y, w["mlp.w_out"], w["mlp.b_out"])
    return F.linear(F.layer_norm(x, (width,), weights["ln_f.gamma"], weights["ln_f.beta"]), weights["wte"])


@variations.right("gpt2")
def one_sample_after_another(tokens: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """Loops over the batch, with matrix products against one-hot tokens."""
    vocab, _ = weights["wte"].shape
    if tokens.shape[1] > weights["wpe"].shape[0]:
        raise ValueError("too long")
    numbers = sorted({int(key.split(".")[1]) for key in weights if key.startswith("blocks.")})
    logits = []
    for row in tokens:
        h = (F.one_hot(row, vocab).to(weights["wte"].dtype) @ weights["wte"] + weights["wpe"][: len(row)])[None]
        for number in numbers:
            h = gpt2_block(h, own(weights, number), n_heads)
        logits.append(torch.einsum("btd,vd->btv", norm_f(h, weights), weights["wte"])[0])
    return torch.stack(logits) if logits else weights["wte"].new_zeros(*tokens.shape, vocab)


def norm_f(h: Tensor, weights: Weights) -> Tensor:
    """GPT-2's final norm."""
    return layer_norm(h, gamma=weights["ln_f.gamma"], beta=weights["ln_f.beta"], eps=1e-5)


@variations.right("gpt2")
def in_float32(tokens: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """Computes everything in float32 and goes back to the dtype of the weights."""
    if tokens.shape[-1] > weights["wpe"].shape[0]:
        raise ValueError("more tokens than positions")
    wide = {key: weight.float() for key, weight in weights.items()}
    h = wide["wte"][tokens] + wide["wpe"][None, : tokens.shape[-1], :]
    for number in sorted({key.split(".")[1] for key in wide if key.startswith("blocks.")}, key=int):
        h = gpt2_block(h, own(wide, int(number)), n_heads)
    return (norm_f(h, wide) @ wide["wte"].mT).type_as(weights["wte"])


@variations.right("llama")
def counting_keys(tokens: Tensor, weights: Weights, n_heads: int, n_kv_heads: int, base: float = 10000.0,
                  eps: float = 1e-6) -> Tensor:  # fmt: skip
    """Counts the first norms to know how many blocks there are."""
    n_blocks = sum(key.endswith(".norm1.weight") for key in weights)
    h = weights["wte"][tokens]
    for n in range(n_blocks):
        h = llama_block(h, own(weights, n), n_heads, n_kv_heads, torch.arange(tokens.shape[1]), base=base, eps=eps)
    h = rms_norm(h, weights["norm_f.weight"], eps=eps)
    table = weights["lm_head"] if "lm_head" in weights else weights["wte"]
    return torch.einsum("btd,vd->btv", h, table)


@variations.right("llama")
def positions_from_one(tokens: Tensor, weights: Weights, n_heads: int, n_kv_heads: int, base: float = 10000.0,
                       eps: float = 1e-6) -> Tensor:  # fmt: skip
    """Counts positions from 1: only their differences reach the scores."""
    positions = 1 + torch.arange(tokens.size(-1))
    h = F.embedding(tokens, weights["wte"])
    for number in sorted({int(key.split(".")[1]) for key in weights if key.startswith("blocks.")}):
        h = llama_block(h, own(weights, number), n_heads, n_kv_heads, positions, base, eps)
    head = weights.get("lm_head")
    return F.linear(rms_norm(h, weights["norm_f.weight"], eps), weights["wte"] if head is None else head)


@variations.right("llama")
def with_complex_rotations(tokens: Tensor, weights: Weights, n_heads: int, n_kv_heads: int, base: float = 10000.0,
                           eps: float = 1e-6) -> Tensor:  # fmt: skip
    """Turns queries and keys by complex multiplication, in a loop over key-value heads, in float64."""
    w = {key: weight.double() for key, weight in weights.items()}
    seq, width = tokens.shape[1], weights["wte"].shape[1]
    k_width, group = width // n_heads, n_heads // n_kv_heads
    frequencies = torch.exp(-math.log(base) * torch.arange(0, k_width, 2).double() / k_width)
    angles = torch.arange(seq).double()[:, None] * frequencies
    turn = torch.polar(torch.ones_like(angles), angles)

    def rotated(x: Tensor) -> Tensor:
        pairs = torch.complex(*x.chunk(2, dim=-1)) * turn
        return torch.cat((pairs.real, pairs.imag), dim=-1)

    h = w["wte"][tokens]
    n = 0
    while f"blocks.{n}.mlp.w_up" in w:
        block = own(w, n)
        x = rms_norm(h, block["norm1.weight"], eps)
        contexts = []
        for g in range(n_kv_heads):
            rows = slice(g * k_width, (g + 1) * k_width)
            k, v = rotated(x @ block["attn.wk"][rows].T), x @ block["attn.wv"][rows].T
            for head in range(g * group, (g + 1) * group):
                q = rotated(x @ block["attn.wq"][head * k_width : (head + 1) * k_width].T)
                contexts.append(attention(q, k, v, causal_mask(seq, seq)))
        h = h + torch.cat(contexts, dim=-1) @ block["attn.wo"].T
        x = rms_norm(h, block["norm2.weight"], eps)
        h = h + swiglu(x, {name: block[f"mlp.{name}"] for name in ("w_gate", "w_up", "w_down")})
        n += 1
    h = rms_norm(h, w["norm_f.weight"], eps)
    return (h @ w.get("lm_head", w["wte"]).T).to(weights["wte"].dtype)


@variations.right("llama")
def block_after_block_of_each_prefix(tokens: Tensor, weights: Weights, n_heads: int, n_kv_heads: int,
                                     base: float = 10000.0, eps: float = 1e-6) -> Tensor:  # fmt: skip
    """Recomputes the model for every prefix and keeps the last row, as decoding without a cache does."""
    blocks = [own(weights, n) for n in range(len({key.split(".")[1] for key in weights if "blocks." in key}))]
    table = weights.get("lm_head", weights["wte"])
    rows = []
    for t in range(1, tokens.shape[1] + 1):
        h = weights["wte"][tokens[:, :t]]
        for block in blocks:
            h = llama_block(h, block, n_heads, n_kv_heads, torch.arange(t), base, eps)
        rows.append(rms_norm(h[:, -1], weights["norm_f.weight"], eps) @ table.T)
    return torch.stack(rows, dim=1)


@variations.right("count_parameters")
def by_shapes(config: dict[str, Any]) -> int:
    """Lists the shape of every tensor and multiplies."""
    D, F_, H = config["d_model"], config["d_hidden"], config["n_heads"]
    shapes: list[tuple[int, ...]] = [(config["vocab"], D)] * (1 if config["tied"] else 2)
    if config["family"] == "gpt2":
        shapes += [(config["max_positions"], D), (2, D)]
        block: list[tuple[int, ...]] = [(D, D), (D,)] * 4 + [(D,)] * 4 + [(F_, D), (F_,), (D, F_), (D,)]
    else:
        kv = config["n_kv_heads"] * (D // H)
        shapes += [(D,)]
        block = [(D, D), (kv, D), (kv, D), (D, D), (D,), (D,), (F_, D), (F_, D), (D, F_)]
    return sum(math.prod(shape) for shape in shapes + block * config["n_blocks"])


@variations.right("count_parameters")
def by_modules(config: dict[str, Any]) -> int:
    """Builds the layers of one block without memory and asks for their parameters."""
    D, hidden, gpt2_family = config["d_model"], config["d_hidden"], config["family"] == "gpt2"
    kv = D if gpt2_family else D * config["n_kv_heads"] // config["n_heads"]
    with torch.device("meta"):
        block = nn.ModuleList(nn.Linear(D, rows, bias=gpt2_family) for rows in (D, kv, kv, D))
        block.extend(nn.Linear(D, hidden, bias=gpt2_family) for _ in range(1 if gpt2_family else 2))
        block.append(nn.Linear(hidden, D, bias=gpt2_family))
        norm = nn.LayerNorm(D) if gpt2_family else nn.RMSNorm(D)
    own_numbers, in_norm = (sum(p.numel() for p in module.parameters()) for module in (block, norm))
    tables = config["vocab"] * (2 - config["tied"]) + (config["max_positions"] if gpt2_family else 0)
    return int(config["n_blocks"] * own_numbers + (2 * config["n_blocks"] + 1) * in_norm + tables * D)


@variations.right("count_parameters")
def by_a_polynomial(config: dict[str, Any]) -> int:
    """One formula for each family."""
    V, D, N, F_ = (int(config[key]) for key in ("vocab", "d_model", "n_blocks", "d_hidden"))
    if config["family"] == "gpt2":
        total = V * D + config["max_positions"] * D + N * (4 * D**2 + 2 * D * F_ + 9 * D + F_) + 2 * D
    else:
        ratio = config["n_heads"] // config["n_kv_heads"]
        total = V * D + N * (2 * D**2 + 2 * D**2 // ratio + 3 * D * F_ + 2 * D) + D
    return int(total if config["tied"] else total + V * D)


@variations.right("count_parameters")
def as_a_tensor_sum(config: dict[str, Any]) -> int:
    """Adds the parts up in an int64 tensor and takes the number out."""
    D, hidden = config["d_model"], config["d_hidden"]
    old = config["family"] != "llama"
    kv = D if old else D // config["n_heads"] * config["n_kv_heads"]
    of_block = [D * D, kv * D, kv * D, D * D, 2 * D, hidden * D, hidden * D]
    of_block += [D, D, D, D, 2 * D, hidden, D] if old else [hidden * D]
    total = torch.tensor(of_block).sum() * config["n_blocks"] + D + config["vocab"] * D
    total += config["max_positions"] * D + D if old else 0
    return int(total + (0 if config["tied"] else config["vocab"] * D))


def zeros_and_ones(config: dict[str, Any]) -> Weights:
    """What is not drawn."""
    D, hidden = config["d_model"], config["d_hidden"]
    fixed = {"ln_f.gamma": torch.ones(D), "ln_f.beta": torch.zeros(D)}
    for n in range(config["n_blocks"]):
        sizes = {"attn.bq": D, "attn.bk": D, "attn.bv": D, "attn.bo": D, "mlp.b_in": hidden, "mlp.b_out": D}
        fixed |= {f"blocks.{n}.{name}": torch.zeros(size) for name, size in sizes.items()}
        for norm in ("ln1", "ln2"):
            fixed |= {f"blocks.{n}.{norm}.gamma": torch.ones(D), f"blocks.{n}.{norm}.beta": torch.zeros(D)}
    return fixed


def matrices(config: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """What is drawn, with its shape."""
    D, hidden = config["d_model"], config["d_hidden"]
    sizes = {f"attn.w{letter}": (D, D) for letter in "qkvo"} | {"mlp.w_in": (hidden, D), "mlp.w_out": (D, hidden)}
    whole = {"wte": (config["vocab"], D), "wpe": (config["max_positions"], D)}
    return whole | {f"blocks.{n}.{name}": size for n in range(config["n_blocks"]) for name, size in sizes.items()}


def deviation(key: str, config: dict[str, Any]) -> float:
    """What is wanted for a key."""
    return 0.02 / math.sqrt(2 * config["n_blocks"]) if key.endswith(("attn.wo", "mlp.w_out")) else 0.02


@variations.right("init_gpt2")
def in_place_normal(config: dict[str, Any], seed: int) -> Weights:
    """Fills empty tensors with normal_, the last keys first."""
    generator = torch.Generator()
    generator.manual_seed(seed)
    weights = zeros_and_ones(config)
    for key, size in reversed(matrices(config).items()):
        weights[key] = torch.empty(size).normal_(0.0, deviation(key, config), generator=generator)
    return weights


@variations.right("init_gpt2")
def with_forked_state(config: dict[str, Any], seed: int) -> Weights:
    """Seeds the global generator inside fork_rng, which puts it back."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        drawn = {key: nn.init.normal_(torch.empty(size), std=deviation(key, config)) for key, size in
                 matrices(config).items()}  # fmt: skip
    return zeros_and_ones(config) | drawn


@variations.right("init_gpt2")
def a_seed_for_every_tensor(config: dict[str, Any], seed: int) -> Weights:
    """Draws a seed for every tensor from Python's generator."""
    source = random.Random(seed)
    drawn = {}
    for key, size in matrices(config).items():
        generator = torch.Generator().manual_seed(source.getrandbits(60))
        drawn[key] = torch.normal(0.0, deviation(key, config), size, generator=generator)
    return drawn | zeros_and_ones(config)


@variations.right("init_gpt2")
def one_long_vector(config: dict[str, Any], seed: int) -> Weights:
    """Draws all numbers at once in float64 and cuts them up."""
    sizes = matrices(config)
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.randn(sum(map(math.prod, sizes.values())), generator=generator, dtype=torch.float64)
    parts = torch.split(numbers, [math.prod(size) for size in sizes.values()])
    drawn = {
        key: (part * deviation(key, config)).reshape(size).float()
        for (key, size), part in zip(sizes.items(), parts, strict=True)
    }
    return zeros_and_ones(config) | drawn


@variations.right("init_gpt2")
def cut_far_out(config: dict[str, Any], seed: int) -> Weights:
    """Cuts the normal off at three standard deviations, which moves the deviation by 1.3 %."""
    generator = torch.Generator().manual_seed(seed)
    weights = zeros_and_ones(config)
    for key, size in matrices(config).items():
        std = deviation(key, config)
        weights[key] = nn.init.trunc_normal_(torch.empty(size), 0.0, std, -3 * std, 3 * std, generator=generator)
    return weights
