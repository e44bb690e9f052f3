"""The whole model: Assemble GPT-2 and LLaMA from your own blocks, count their parameters to the last one, and draw
GPT-2's first weights.

Read lessons/model/lesson.md, then fill in the functions from top to bottom.

Your functions of earlier lessons may be used here: `from .objective import ...` and `from .normalization import ...`
and `from .attention import ...` and `from .heads import ...` and `from .positions import ...` and `from .feedforward
import ...` and `from .block import ...`.

    anatomy grade model       grade the whole lesson
    anatomy grade model.gpt2  grade one function
    anatomy hint model.gpt2   when you are stuck
"""

from typing import Any

import torch
from torch import Tensor


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
    # TODO: Embed tokens and positions, run the blocks in the order of their numbers, normalise once, unembed with wte.
    raise NotImplementedError


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
    # TODO: Embed tokens, run the llama blocks with positions 0..T-1, normalise once with eps, unembed with lm_head or
    # wte.
    raise NotImplementedError


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
    # TODO: Add up the sizes of all tensors of the family, each counted once.
    raise NotImplementedError


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
    # TODO: Draw every tensor that gpt2 reads from a generator of your own, seeded once.
    raise NotImplementedError
