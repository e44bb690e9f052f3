"""One block of a decoder: two sublayers, attention and a feed-forward network, each added to the residual stream.

Symbols: B batch, T sequence length, D model width, H query heads, Hkv key-value heads, K = D / H head width, F hidden
width, `...` any number of leading axes, also none.
"""

from collections.abc import Callable

from torch import Tensor

from .attention import attention, causal_mask
from .feedforward import feed_forward, swiglu
from .heads import merge_heads, multi_head_attention, repeat_kv, split_heads
from .normalization import layer_norm, rms_norm
from .positions import apply_rope_half, rope_angles

_LAYER_NORM_EPS = 1e-5


def pre_norm(h: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """Add to the residual stream what a sublayer makes of the normalized stream: `h + sublayer(norm(h))`.

    The stream itself is not normalized: along it, values and gradients pass unchanged.

    Args:
        h: `(..., D)` residual stream.
        norm: takes and returns `(..., D)`; called exactly once.
        sublayer: takes and returns `(..., D)`; called exactly once.

    Returns:
        `(..., D)` in the dtype of `h`.

    Source: He et al. (2016), Identity Mappings in Deep Residual Networks, arXiv:1603.05027, figure 4(e);
    for transformers Xiong et al. (2020), arXiv:2002.04745, table 1.
    """
    return h + sublayer(norm(h))  # (..., D)


def post_norm(h: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    """Normalize the sum of the stream and what a sublayer makes of it, `norm(h + sublayer(h))`: the original order.

    Args:
        h: `(..., D)` hidden states.
        norm: takes and returns `(..., D)`; called exactly once.
        sublayer: takes and returns `(..., D)`; called exactly once.

    Returns:
        `(..., D)` in the dtype of `h`.

    Source: Vaswani et al. (2017), Attention Is All You Need, arXiv:1706.03762, section 3.1.
    """
    return norm(h + sublayer(h))  # (..., D)


def gpt2_block(h: Tensor, weights: dict[str, Tensor], n_heads: int) -> Tensor:
    """A block of GPT-2: LayerNorm, causal multi-head attention, add; LayerNorm, feed-forward network, add.

    Args:
        h: `(B, T, D)` residual stream, float64, float32, bfloat16 or float16; B may be 0.
        weights: in the dtype of `h`, matrices as `(out, in)`: `ln1.gamma, ln1.beta, ln2.gamma, ln2.beta` `(D,)`;
            `attn.wq, attn.wk, attn.wv, attn.wo` `(D, D)` and `attn.bq, attn.bk, attn.bv, attn.bo` `(D,)`;
            `mlp.w_in` `(F, D)`, `mlp.b_in` `(F,)`, `mlp.w_out` `(D, F)`, `mlp.b_out` `(D,)`.
        n_heads: H, a divisor of D.

    Returns:
        `(B, T, D)` in the dtype of `h`. The eps of both LayerNorms is 1e-5.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners, section 2.3.
    """
    attn, mlp = _part("attn", weights), _part("mlp", weights)
    h = pre_norm(
        h,
        lambda x: layer_norm(x, weights["ln1.gamma"], weights["ln1.beta"], _LAYER_NORM_EPS),
        lambda x: multi_head_attention(x, attn, n_heads),
    )  # (B, T, D)
    return pre_norm(
        h,
        lambda x: layer_norm(x, weights["ln2.gamma"], weights["ln2.beta"], _LAYER_NORM_EPS),
        lambda x: feed_forward(x, mlp),
    )  # (B, T, D)


def llama_block(
    h: Tensor,
    weights: dict[str, Tensor],
    n_heads: int,
    n_kv_heads: int,
    positions: Tensor,
    base: float = 10000.0,
    eps: float = 1e-6,
) -> Tensor:
    """A block of LLaMA: RMSNorm, rotary grouped-query causal attention, add; RMSNorm, SwiGLU, add.

    Args:
        h: `(B, T, D)` residual stream, float64, float32, bfloat16 or float16; B may be 0.
        weights: in the dtype of `h`, matrices as `(out, in)`: `norm1.weight, norm2.weight` `(D,)`; `attn.wq, attn.wo`
            `(D, D)`; `attn.wk, attn.wv` `(Hkv*K, D)`; `mlp.w_gate, mlp.w_up` `(F, D)`; `mlp.w_down` `(D, F)`.
        n_heads: H, a divisor of D; K = D / H is even.
        n_kv_heads: Hkv, a divisor of H.
        positions: int64 `(T,)`, for the rotation only (half layout). Causality goes by index: a query sees the keys
            that stand before it in `h` and its own, whatever their positions.
        base: of the rotation.
        eps: of both RMSNorms.

    Returns:
        `(B, T, D)` in the dtype of `h`.

    Source: Touvron et al. (2023), LLaMA, arXiv:2302.13971, section 2.2; grouped queries as in Touvron et al. (2023),
    Llama 2, arXiv:2307.09288, section 2.2.
    """
    attn, mlp = _part("attn", weights), _part("mlp", weights)
    h = pre_norm(
        h,
        lambda x: rms_norm(x, weights["norm1.weight"], eps),
        lambda x: _rotary_attention(x, attn, n_heads, n_kv_heads, positions, base),
    )  # (B, T, D)
    return pre_norm(h, lambda x: rms_norm(x, weights["norm2.weight"], eps), lambda x: swiglu(x, mlp))  # (B, T, D)


def trace_block(config: dict[str, int]) -> list[tuple[str, tuple[int, ...]]]:
    """Say which tensors a LLaMA block makes on its way, in order, and what shape each has.

    Args:
        config: `batch` B, `seq` T, `d_model` D, `n_heads` H, `n_kv_heads` Hkv, `d_hidden` F.

    Returns:
        Sixteen pairs `(stage, shape)`: `input, norm1, q, k, v, scores, weights, context, attn_out, residual1, norm2,
        gate, up, hidden, mlp_out, residual2`. q, k and v are those after splitting into heads, k and v before they are
        repeated; context is that of every head, before merging.

    Source: Touvron et al. (2023), LLaMA, arXiv:2302.13971, section 2.2.
    """
    batch, seq, d_model = config["batch"], config["seq"], config["d_model"]
    n_heads, n_kv_heads = config["n_heads"], config["n_kv_heads"]
    head_width = d_model // n_heads
    stream = (batch, seq, d_model)
    heads = (batch, n_heads, seq, head_width)
    kv_heads = (batch, n_kv_heads, seq, head_width)
    maps = (batch, n_heads, seq, seq)
    hidden = (batch, seq, config["d_hidden"])
    return [
        ("input", stream),
        ("norm1", stream),
        ("q", heads),
        ("k", kv_heads),
        ("v", kv_heads),
        ("scores", maps),
        ("weights", maps),
        ("context", heads),
        ("attn_out", stream),
        ("residual1", stream),
        ("norm2", stream),
        ("gate", hidden),
        ("up", hidden),
        ("hidden", hidden),
        ("mlp_out", stream),
        ("residual2", stream),
    ]


def _rotary_attention(
    x: Tensor, weights: dict[str, Tensor], n_heads: int, n_kv_heads: int, positions: Tensor, base: float
) -> Tensor:
    """Grouped-query causal attention, `(B, T, D)` -> `(B, T, D)`, queries and keys turned before they are compared."""
    q = split_heads(x @ weights["wq"].T, n_heads)  # (B, H, T, K)
    k = split_heads(x @ weights["wk"].T, n_kv_heads)  # (B, Hkv, T, K)
    v = split_heads(x @ weights["wv"].T, n_kv_heads)  # (B, Hkv, T, K)
    angles = rope_angles(positions, q.shape[-1], base)  # (T, K/2)
    group = n_heads // n_kv_heads
    context = attention(
        apply_rope_half(q, angles),
        repeat_kv(apply_rope_half(k, angles), group),  # turned before repeating: once for each key-value head
        repeat_kv(v, group),
        causal_mask(x.shape[1], x.shape[1]),
    )  # (B, H, T, K)
    return merge_heads(context) @ weights["wo"].T  # (B, T, D)


def _part(name: str, weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights of one part of the block under their own names: `attn.wq` as `wq`."""
    return {key.removeprefix(f"{name}."): weight for key, weight in weights.items() if key.startswith(f"{name}.")}
