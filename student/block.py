"""The block: Assemble norms, attention and feed-forward network into the blocks of GPT-2 and LLaMA, and trace every
shape.

Read lessons/block/lesson.md, then fill in the functions from top to bottom.

Your functions of earlier lessons may be used here: `from .normalization import ...` and `from .attention import ...`
and `from .heads import ...` and `from .positions import ...` and `from .feedforward import ...`.

    anatomy grade block           grade the whole lesson
    anatomy grade block.pre_norm  grade one function
    anatomy hint block.pre_norm   when you are stuck
"""

from collections.abc import Callable

import torch
from torch import Tensor


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
    # TODO: Add to h what the sublayer makes of the normalized h.
    raise NotImplementedError


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
    # TODO: Normalize the sum of h and what the sublayer makes of h.
    raise NotImplementedError


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
    # TODO: Attention and feed-forward network, each with its own LayerNorm, each added by pre_norm.
    raise NotImplementedError


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
    # TODO: RMSNorm and rotary grouped-query attention, then RMSNorm and SwiGLU, each added by pre_norm.
    raise NotImplementedError


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
    # TODO: List the sixteen stages of a LLaMA block in order, each with its shape.
    raise NotImplementedError
