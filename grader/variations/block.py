"""Right answers to the lesson on the block, written in other ways."""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grader.judge.variation import Variations

variations = Variations("block")

Layer = Callable[[Tensor], Tensor]
Weights = dict[str, Tensor]


@variations.right("pre_norm")
def residual_set_aside(h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Keeps the residual under another name and adds it in the other order."""
    residual = h
    h = norm(h)
    h = sublayer(h)
    return h + residual


@variations.right("pre_norm")
def added_into_a_copy(h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Adds in place, into a copy of its own."""
    out = h.clone()
    out += sublayer(norm(h))
    return out


@variations.right("pre_norm")
def composed_first(h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Composes the two functions before applying them."""

    def branch(x: Tensor) -> Tensor:
        return sublayer(norm(x))

    return torch.add(h, branch(h))


@variations.right("pre_norm")
def summed_in_float32(h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Adds in float32, whatever comes in."""
    return (h.float() + sublayer(norm(h)).float()).to(h.dtype)


@variations.right("pre_norm")
def stacked(h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Stacks the two summands."""
    return torch.stack((h, sublayer(norm(h)))).sum(0)


@variations.right("post_norm")
def sum_set_aside(h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Takes it in steps."""
    branch = sublayer(h)
    total = branch + h
    return norm(total)


@variations.right("post_norm")
def normed_copy(h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Adds in place, into a copy of its own."""
    out = h.clone()
    out.add_(sublayer(h))
    return norm(out)


@variations.right("post_norm")
def norm_of_a_stacked_sum(h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Stacks the two summands."""
    return norm(torch.stack([h, sublayer(h)], dim=-1).sum(-1))


@variations.right("post_norm")
def norm_of_a_float32_sum(h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """Adds in float32, whatever comes in."""
    return norm((h.float() + sublayer(h).float()).type_as(h))


def causal(seq: int) -> Tensor:
    """Keys at or before each query."""
    return torch.ones(seq, seq, dtype=torch.bool).tril()


def split(x: Tensor, count: int) -> Tensor:
    """`(B, T, count*K)` -> `(B, count, T, K)`."""
    return torch.unflatten(x, -1, (count, x.shape[-1] // count)).transpose(1, 2)


@variations.right("gpt2_block")
def by_torchs_functions(h: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """Every step by a function of torch.nn.functional, in the dtype of h."""
    x = F.layer_norm(h, h.shape[-1:], weights["ln1.gamma"], weights["ln1.beta"])
    q, k, v = (split(F.linear(x, weights[f"attn.w{n}"], weights[f"attn.b{n}"]), n_heads) for n in "qkv")
    context = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(h.shape)
    h = h + F.linear(context, weights["attn.wo"], weights["attn.bo"])
    x = F.layer_norm(h, h.shape[-1:], weights["ln2.gamma"], weights["ln2.beta"])
    x = F.gelu(F.linear(x, weights["mlp.w_in"], weights["mlp.b_in"]), approximate="tanh")
    return h + F.linear(x, weights["mlp.w_out"], weights["mlp.b_out"])


def centred_and_scaled(x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    """LayerNorm by torch.var_mean."""
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + 1e-5) * gamma + beta


def softmax_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Merged contexts of causal attention, spelled out with an additive mask."""
    blocked = torch.zeros(q.shape[-2], q.shape[-2], dtype=q.dtype).masked_fill(~causal(q.shape[-2]), -torch.inf)
    weights = (q @ k.mT / math.sqrt(q.shape[-1]) + blocked).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2)


@variations.right("gpt2_block")
def by_two_pre_norms(h: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """Calls pre_norm with functions made for each part; attention spelled out, in the dtype of h."""

    def norm(name: str) -> Layer:
        return partial(centred_and_scaled, gamma=weights[f"{name}.gamma"], beta=weights[f"{name}.beta"])

    def project(x: Tensor, n: str) -> Tensor:
        return x @ weights[f"attn.w{n}"].T + weights[f"attn.b{n}"]

    def attend(x: Tensor) -> Tensor:
        return project(softmax_attention(*(split(project(x, n), n_heads) for n in "qkv")), "o")

    def network(x: Tensor) -> Tensor:
        z = x @ weights["mlp.w_in"].T + weights["mlp.b_in"]
        z = z * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (z + 0.044715 * z.pow(3)))  # (1 + tanh u) / 2
        return z @ weights["mlp.w_out"].T + weights["mlp.b_out"]

    stream: Tensor = composed_first(h, norm("ln1"), attend)
    result: Tensor = composed_first(stream, norm("ln2"), network)
    return result


@variations.right("gpt2_block")
def one_fused_product_in_float32(h: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """Queries, keys and values in one product; everything in float32, whatever comes in."""
    w = {name: weight.float() for name, weight in weights.items()}
    stream = h.float()
    fused = torch.cat([w[f"attn.w{n}"] for n in "qkv"]), torch.cat([w[f"attn.b{n}"] for n in "qkv"])
    qkv = F.linear(centred_and_scaled(stream, w["ln1.gamma"], w["ln1.beta"]), *fused)
    q, k, v = (split(part, n_heads) for part in qkv.chunk(3, dim=-1))
    stream = stream + F.linear(softmax_attention(q, k, v), w["attn.wo"], w["attn.bo"])
    x = centred_and_scaled(stream, w["ln2.gamma"], w["ln2.beta"])
    stream = stream + F.linear(
        F.gelu(F.linear(x, w["mlp.w_in"], w["mlp.b_in"]), approximate="tanh"), w["mlp.w_out"], w["mlp.b_out"]
    )
    return stream.to(h.dtype)


@variations.right("gpt2_block")
def head_by_head_in_float64(h: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """One head at a time, each added to the stream by its block of wo; in float64, in place on a copy."""
    w = {name: weight.double() for name, weight in weights.items()}
    stream = h.double().clone()
    x = centred_and_scaled(stream, w["ln1.gamma"], w["ln1.beta"])
    for rows in torch.arange(h.shape[-1]).chunk(n_heads):
        q, k, v = (x @ w[f"attn.w{n}"][rows].T + w[f"attn.b{n}"][rows] for n in "qkv")
        scores = torch.einsum("btk,bsk->bts", q, k) / len(rows) ** 0.5
        shares = scores.masked_fill(~causal(h.shape[1]), -1e30).softmax(-1)
        stream = stream + torch.einsum("bts,bsk,dk->btd", shares, v, w["attn.wo"][:, rows])
    stream += w["attn.bo"]
    x = centred_and_scaled(stream, w["ln2.gamma"], w["ln2.beta"])
    z = torch.einsum("btd,fd->btf", x, w["mlp.w_in"]) + w["mlp.b_in"]
    z = 0.5 * z * (1 + torch.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3)))
    return (stream + torch.einsum("btf,df->btd", z, w["mlp.w_out"]) + w["mlp.b_out"]).to(h.dtype)


@variations.right("gpt2_block")
def by_modules(h: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """Norms and network as modules that are given the weights."""
    width, hidden = h.shape[-1], len(weights["mlp.b_in"])
    with torch.device("meta"):
        norm = nn.LayerNorm(width)
        network = nn.Sequential(nn.Linear(width, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, width))

    def called(module: nn.Module, names: dict[str, str], x: Tensor) -> Tensor:
        result: Tensor = torch.func.functional_call(module, {own: weights[name] for own, name in names.items()}, x)
        return result

    x = called(norm, {"weight": "ln1.gamma", "bias": "ln1.beta"}, h)
    q, k, v = (split(F.linear(x, weights[f"attn.w{n}"], weights[f"attn.b{n}"]), n_heads) for n in "qkv")
    h = h + F.linear(softmax_attention(q, k, v), weights["attn.wo"], weights["attn.bo"])
    x = called(norm, {"weight": "ln2.gamma", "bias": "ln2.beta"}, h)
    layers = {"0.weight": "mlp.w_in", "0.bias": "mlp.b_in", "2.weight": "mlp.w_out", "2.bias": "mlp.b_out"}
    return called(network, layers, x) + h


def frequencies(base: float, k: int) -> Tensor:
    """One for each pair, float64."""
    return torch.exp(torch.arange(0, k, 2, dtype=torch.float64) * (-math.log(base) / k))


def rotated_half(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """`x cos + rotate_half(x) sin`, with tables as wide as a head, in the dtype of x."""
    angles = torch.outer(positions.double(), frequencies(base, x.shape[-1])).repeat(1, 2).float()
    wide = torch.promote_types(x.dtype, torch.float32)
    cos, sin = angles.to(wide).cos().to(x.dtype), angles.to(wide).sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


def root_mean_square(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as LLaMA's own code has it: float32 inside (or better), cast before the gain."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).type_as(x) * weight


@variations.right("llama_block")
def by_torchs_kernels(
    h: Tensor,
    weights: Weights,
    n_heads: int,
    n_kv_heads: int,
    positions: Tensor,
    base: float = 10000.0,
    eps: float = 1e-6,
) -> Tensor:
    """Torch's RMSNorm, and its attention with grouped heads, in the dtype of h."""
    x = F.rms_norm(h, h.shape[-1:], weights["norm1.weight"], eps)
    q, k, v = (split(F.linear(x, weights[f"attn.w{n}"]), n_heads if n == "q" else n_kv_heads) for n in "qkv")
    q, k = (rotated_half(t, positions, base) for t in (q, k))
    context = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    h = h + F.linear(context.transpose(1, 2).flatten(2), weights["attn.wo"])
    x = F.rms_norm(h, h.shape[-1:], weights["norm2.weight"], eps)
    hidden = F.silu(F.linear(x, weights["mlp.w_gate"])) * F.linear(x, weights["mlp.w_up"])
    return h + F.linear(hidden, weights["mlp.w_down"])


@variations.right("llama_block")
def as_the_published_code(
    h: Tensor,
    weights: Weights,
    n_heads: int,
    n_kv_heads: int,
    positions: Tensor,
    base: float = 10000.0,
    eps: float = 1e-6,
) -> Tensor:
    """Softmax in float32, everything else in the dtype of h; heads repeated by expanding; turned after repeating."""
    batch, seq, width = h.shape

    def expanded(x: Tensor) -> Tensor:
        group = n_heads // n_kv_heads
        return x[:, :, None].expand(batch, n_kv_heads, group, seq, x.shape[-1]).flatten(1, 2)

    x = root_mean_square(h, weights["norm1.weight"], eps)
    q = rotated_half(split(x @ weights["attn.wq"].T, n_heads), positions, base)
    k, v = (expanded(split(x @ weights[f"attn.w{n}"].T, n_kv_heads)) for n in "kv")
    scores = q @ rotated_half(k, positions, base).mT / math.sqrt(width // n_heads)
    scores = scores.masked_fill(~causal(seq), torch.finfo(scores.dtype).min)
    shares = scores.softmax(-1, dtype=torch.promote_types(h.dtype, torch.float32)).to(h.dtype)
    h = h + (shares @ v).transpose(1, 2).reshape(batch, seq, width) @ weights["attn.wo"].T
    x = root_mean_square(h, weights["norm2.weight"], eps)
    return h + (F.silu(x @ weights["mlp.w_gate"].T) * (x @ weights["mlp.w_up"].T)) @ weights["mlp.w_down"].T


@variations.right("llama_block")
def turned_as_complex_numbers(
    h: Tensor,
    weights: Weights,
    n_heads: int,
    n_kv_heads: int,
    positions: Tensor,
    base: float = 10000.0,
    eps: float = 1e-6,
) -> Tensor:
    """Complex rotation with float64 angles, groups as an axis of their own, gate and up in one product; in float64."""
    w = {name: weight.double() for name, weight in weights.items()}
    stream, group = h.double(), n_heads // n_kv_heads
    turns = torch.exp(1j * torch.outer(positions.double(), frequencies(base, h.shape[-1] // n_heads)))
    x = root_mean_square(stream, w["norm1.weight"], eps)

    def turned(x: Tensor) -> Tensor:
        z = torch.complex(*x.chunk(2, dim=-1)) * turns
        return torch.cat((z.real, z.imag), dim=-1)

    q = torch.unflatten(turned(split(x @ w["attn.wq"].T, n_heads)), 1, (n_kv_heads, group))
    k, v = (split(x @ w[f"attn.w{n}"].T, n_kv_heads) for n in "kv")
    scores = torch.einsum("bgmtk,bgsk->bgmts", q, turned(k)) / q.shape[-1] ** 0.5
    shares = scores.masked_fill(~causal(h.shape[1]), -torch.inf).softmax(-1)
    context = torch.einsum("bgmts,bgsk->btgmk", shares, v).flatten(2)
    stream = stream + context @ w["attn.wo"].T
    x = root_mean_square(stream, w["norm2.weight"], eps)
    gate, up = (x @ torch.cat((w["mlp.w_gate"], w["mlp.w_up"])).T).chunk(2, dim=-1)
    return (stream + (gate / (1 + torch.exp(-gate)) * up) @ w["mlp.w_down"].T).to(h.dtype)


@variations.right("llama_block")
def reordered_to_neighbours(
    h: Tensor,
    weights: Weights,
    n_heads: int,
    n_kv_heads: int,
    positions: Tensor,
    base: float = 10000.0,
    eps: float = 1e-6,
) -> Tensor:
    """Brings the pairs of queries and keys side by side and turns neighbours; scores do not change. In float32."""
    w = {name: weight.float() for name, weight in weights.items()}
    stream, k_width = h.float(), h.shape[-1] // n_heads
    angles = torch.outer(positions.double(), frequencies(base, k_width)).float()
    cos, sin = angles.cos(), angles.sin()

    def turned(x: Tensor) -> Tensor:
        a, b = torch.unflatten(x, -1, (2, k_width // 2)).unbind(-2)
        return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)

    x = root_mean_square(stream, w["norm1.weight"], eps)
    q = turned(split(x @ w["attn.wq"].T, n_heads))
    k, v = turned(split(x @ w["attn.wk"].T, n_kv_heads)), split(x @ w["attn.wv"].T, n_kv_heads)
    served = torch.arange(n_heads) // (n_heads // n_kv_heads)
    stream = stream + softmax_attention(q, k[:, served], v[:, served]) @ w["attn.wo"].T
    x = root_mean_square(stream, w["norm2.weight"], eps)
    hidden = x @ w["mlp.w_gate"].T
    hidden = hidden * hidden.sigmoid() * (x @ w["mlp.w_up"].T)
    return torch.add(stream, hidden @ w["mlp.w_down"].T).to(h.dtype)


Config = dict[str, int]
HEAD_SHAPES = {"q": "B H T K", "k": "B G T K", "v": "B G T K", "scores": "B H T T", "weights": "B H T T"}
ATTENTION = ("input", "norm1", "q", "k", "v", "scores", "weights", "context", "attn_out", "residual1")
STAGES = (*ATTENTION, "norm2", "gate", "up", "hidden", "mlp_out", "residual2")


class Stage(NamedTuple):
    """A stage with names for its two parts."""

    name: str
    shape: torch.Size


@variations.right("trace_block")
def letters_looked_up(config: Config) -> list[list[object]]:
    """Spells each shape with letters and looks them up; pairs and shapes are lists."""
    size = {"B": config["batch"], "T": config["seq"], "D": config["d_model"], "F": config["d_hidden"]}
    size |= {"H": config["n_heads"], "G": config["n_kv_heads"], "K": config["d_model"] // config["n_heads"]}
    spelled = dict.fromkeys(STAGES, "B T D") | HEAD_SHAPES | {"context": "B H T K"}
    spelled |= dict.fromkeys(("gate", "up", "hidden"), "B T F")
    return [[stage, [size[letter] for letter in spelled[stage].split()]] for stage in STAGES]


@variations.right("trace_block")
def shapes_of_real_tensors(config: Config) -> list[Stage]:
    """Runs a block without numbers and notes the shapes; pairs are named tuples, shapes torch.Size."""
    width, d_hidden = config["d_model"], config["d_hidden"]
    kv_width = width // config["n_heads"] * config["n_kv_heads"]
    with torch.device("meta"):
        x = torch.empty(config["batch"], config["seq"], width)
        q = split(x @ torch.empty(width, width), config["n_heads"])
        k = split(x @ torch.empty(width, kv_width), config["n_kv_heads"])
        scores = q @ k.repeat_interleave(config["n_heads"] // config["n_kv_heads"], 1).mT
        gate = x @ torch.empty(width, d_hidden)
    made = {"q": q, "k": k, "v": k, "scores": scores, "weights": scores, "context": q}
    made |= dict.fromkeys(("gate", "up", "hidden"), gate)
    return [Stage(stage, made.get(stage, x).shape) for stage in STAGES]


@variations.right("trace_block")
def appended_in_order(config: Config) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Appends one stage after another; the result is a tuple."""
    b, t, d, n, g, f = (config[k] for k in ("batch", "seq", "d_model", "n_heads", "n_kv_heads", "d_hidden"))
    k = int(d / n)
    trace: list[tuple[str, tuple[int, ...]]] = [("input", (b, t, d)), ("norm1", (b, t, d))]
    trace += [("q", (b, n, t, k)), ("k", (b, g, t, k)), ("v", (b, g, t, k))]
    trace += [(name, (b, n, t, t)) for name in ("scores", "weights")]
    trace.append(("context", (b, n, t, k)))
    trace += [(name, (b, t, d)) for name in ("attn_out", "residual1", "norm2")]
    trace += [(name, (b, t, f)) for name in ("gate", "up", "hidden")]
    return (*trace, ("mlp_out", (b, t, d)), ("residual2", (b, t, d)))


@variations.right("trace_block")
def items_of_a_dict(config: Config) -> list[tuple[str, tuple[int, ...]]]:
    """Collects shapes in a dict and hands back its items."""
    stream = tuple(config[key] for key in ("batch", "seq", "d_model"))
    own = (stream[0], config["n_heads"], stream[1], stream[2] // config["n_heads"])
    kv = (own[0], config["n_kv_heads"], *own[2:])
    hidden = (*stream[:2], config["d_hidden"])
    shapes: dict[str, tuple[int, ...]] = {"input": stream, "norm1": stream, "q": own, "k": kv, "v": kv}
    shapes |= {"scores": (*own[:3], own[2]), "weights": (*own[:3], own[2]), "context": own}
    shapes |= {"attn_out": stream, "residual1": stream, "norm2": stream, "gate": hidden, "up": hidden, "hidden": hidden}
    return [*shapes.items(), ("mlp_out", stream), ("residual2", stream)]
