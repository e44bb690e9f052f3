"""The whole model: GPT-2 and LLaMA from token ids to logits, how many parameters they have, and how GPT-2 begins.

Symbols: B batch, T sequence length, D model width, H heads, Hkv key-value heads, K head width, F hidden width, V
vocabulary, N blocks, T_max positions of a learned table.
"""

import math
from typing import Any

import torch
from torch import Tensor

from .block import gpt2_block, llama_block
from .normalization import layer_norm, rms_norm
from .objective import embed, unembed


def gpt2(tokens: Tensor, weights: dict[str, Tensor], n_heads: int) -> Tensor:
    """GPT-2: token and position embeddings, N blocks, a final LayerNorm, and the token table again as the output.

    Args:
        tokens: `(B, T)` int64 ids in `0..V-1`; B may be 0. The positions are 0..T-1 in every row.
        weights: `wte` `(V, D)` and `wpe` `(T_max, D)`, the tables of tokens and positions; the weights of block n under
            `blocks.{n}.` and the keys of `gpt2_block`; `ln_f.gamma` and `ln_f.beta` `(D,)`. All share a dtype. N is
            read from the keys, which may come in any order; blocks run in the order of their numbers.
        n_heads: H.

    Returns:
        `(B, T, V)` logits in the dtype of the weights. Row t rests on tokens 0..t only and scores token t + 1.

    Raises:
        ValueError: T is larger than T_max, so that a position would have no embedding.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners, section 2.3, and the code
        published with it.
    """
    seq, n_positions = tokens.shape[1], weights["wpe"].shape[0]
    if seq > n_positions:
        raise ValueError(f"{seq} tokens are more than the {n_positions} positions of wpe")
    h = embed(tokens, weights["wte"]) + weights["wpe"][:seq]  # (B, T, D)
    for block in _blocks(weights):
        h = gpt2_block(h, block, n_heads)  # (B, T, D)
    h = layer_norm(h, weights["ln_f.gamma"], weights["ln_f.beta"])  # (B, T, D)
    return unembed(h, weights["wte"])  # (B, T, V)


def llama(
    tokens: Tensor,
    weights: dict[str, Tensor],
    n_heads: int,
    n_kv_heads: int,
    base: float = 10000.0,
    eps: float = 1e-6,
) -> Tensor:
    """LLaMA: token embeddings, N blocks that turn queries and keys by position, a final RMSNorm, and an output matrix.

    Args:
        tokens: `(B, T)` int64 ids in `0..V-1`; B may be 0. The positions are 0..T-1 in every row.
        weights: `wte` `(V, D)`; the weights of block n under `blocks.{n}.` and the keys of `llama_block`;
            `norm_f.weight` `(D,)`; `lm_head` `(V, D)`, or absent: then `wte` takes its place. All share a dtype. N is
            read from the keys, which may come in any order; blocks run in the order of their numbers.
        n_heads: H.
        n_kv_heads: Hkv.
        base: of the rotary angles, in every block.
        eps: of every RMSNorm, the final one included.

    Returns:
        `(B, T, V)` logits in the dtype of the weights. Row t rests on tokens 0..t only and scores token t + 1.

    Source: Touvron et al. (2023), LLaMA, arXiv:2302.13971, section 2.2.
    """
    positions = torch.arange(tokens.shape[1], device=tokens.device)  # (T,)
    h = embed(tokens, weights["wte"])  # (B, T, D)
    for block in _blocks(weights):
        h = llama_block(h, block, n_heads, n_kv_heads, positions, base, eps)  # (B, T, D)
    h = rms_norm(h, weights["norm_f.weight"], eps)  # (B, T, D)
    return unembed(h, weights.get("lm_head", weights["wte"]))  # (B, T, V)


def count_parameters(config: dict[str, Any]) -> int:
    """Count the numbers that are learned, each once, exactly.

    Args:
        config: `family` ("gpt2" or "llama"), `vocab` V, `d_model` D, `n_blocks` N, `n_heads` H, `n_kv_heads` Hkv
            (ignored for gpt2), `d_hidden` F, `max_positions` T_max (ignored for llama), and `tied`: whether the token
            table is the output matrix too. All nine keys are there.

    Returns:
        124,439,808 for GPT-2 small; 6,738,415,616 for LLaMA-7B.

    Source: the shapes of `gpt2` and `llama`, added up.
    """
    width, hidden = config["d_model"], config["d_hidden"]
    tables = config["vocab"] * width * (1 if config["tied"] else 2)
    if config["family"] == "gpt2":
        norm = 2 * width
        attention = 4 * (width * width + width)
        mlp = (hidden * width + hidden) + (width * hidden + width)
        tables += config["max_positions"] * width
    else:
        norm = width
        kv_width = config["n_kv_heads"] * (width // config["n_heads"])
        attention = 2 * width * width + 2 * kv_width * width
        mlp = 3 * hidden * width
    total: int = tables + config["n_blocks"] * (attention + mlp + 2 * norm) + norm
    return total


def init_gpt2(config: dict[str, Any], seed: int) -> dict[str, Tensor]:
    """Draw the weights with which the training of a GPT-2 begins.

    Matrices and tables are normal with standard deviation 0.02, but for the two matrices of each block that write to
    the residual stream, `attn.wo` and `mlp.w_out`: theirs is `0.02 / sqrt(2N)`. Biases and shifts are 0, gains 1.

    Args:
        config: as `count_parameters` takes it, family gpt2; `n_kv_heads` and `tied` are ignored.
        seed: the same seed gives the same weights. The global random state is neither read nor changed.

    Returns:
        What `gpt2` takes as `weights`: float32, without gradients; no two matrices or tables are the
        same numbers.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners, section 2.3; the standard
        deviation of 0.02 is that of the code published with it and of Radford et al. (2018), section 4.1.
    """
    generator = torch.Generator().manual_seed(seed)
    width, hidden, n_blocks = config["d_model"], config["d_hidden"], config["n_blocks"]
    to_stream = 0.02 / math.sqrt(2 * n_blocks)

    def normal(rows: int, columns: int, std: float = 0.02) -> Tensor:
        return torch.randn(rows, columns, generator=generator, dtype=torch.float32) * std  # (rows, columns)

    def norm(name: str) -> dict[str, Tensor]:
        return {f"{name}.gamma": _filled(1.0, width), f"{name}.beta": _filled(0.0, width)}  # (D,) each

    weights = {
        "wte": normal(config["vocab"], width),
        "wpe": normal(config["max_positions"], width),
    }  # (V, D), (T_max, D)
    for n in range(n_blocks):
        block = norm("ln1")
        for letter in "qkvo":
            block[f"attn.w{letter}"] = normal(width, width, to_stream if letter == "o" else 0.02)  # (D, D)
            block[f"attn.b{letter}"] = _filled(0.0, width)  # (D,)
        block |= norm("ln2")
        block["mlp.w_in"], block["mlp.b_in"] = normal(hidden, width), _filled(0.0, hidden)  # (F, D), (F,)
        block["mlp.w_out"], block["mlp.b_out"] = normal(width, hidden, to_stream), _filled(0.0, width)  # (D, F), (D,)
        weights |= {f"blocks.{n}.{key}": weight for key, weight in block.items()}
    return weights | norm("ln_f")


def _blocks(weights: dict[str, Tensor]) -> list[dict[str, Tensor]]:
    """The weights of each block, without their prefix, in the order of the blocks' numbers: 10 comes after 9."""
    blocks: dict[int, dict[str, Tensor]] = {}
    for key, weight in weights.items():
        if key.startswith("blocks."):
            _, number, name = key.split(".", 2)
            blocks.setdefault(int(number), {})[name] = weight
    return [blocks[number] for number in sorted(blocks)]


def _filled(value: float, size: int) -> Tensor:
    """A float32 vector of one value."""
    return torch.full((size,), value, dtype=torch.float32)  # (size,)
