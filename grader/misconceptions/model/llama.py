"""Known mistakes of Llama."""

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.model.blocks import llama_block
from grader.misconceptions.model.shared import Weights, about, catalogue
from grader.misconceptions.model.stack import (
    DRIFT,
    OUTPUTS,
    SCALED_TABLE,
    STACK,
    final_norm,
    logits_of,
    looked_up,
    run,
    stack_of,
)


@catalogue.flawed(
    "llama",
    *STACK,
    *about(
        "which-position-a-token-has",
        {
            "no-rotation": "Every token is given position 0, so that nothing is turned; positions are 0 to T - 1.",
            "positions-reversed": "The positions run from T - 1 down to 0; they run upwards.",
            "positions-by-token": "The token ids are taken for positions; positions are 0 to T - 1.",
            "sinusoids-added": "Sinusoids are added to the embeddings; here positions come in by rotation alone.",
            **SCALED_TABLE,
        },
    ),
    *about(
        "arguments-that-must-be-passed-on",
        {
            "base-ignored": "The base is not passed on: the blocks turn with 10000 whatever is asked.",
            "eps-ignored": "eps is not passed on: all norms use 1e-6 whatever is asked.",
            "eps-not-in-blocks": "eps reaches the final norm only; the norms of the blocks need it too.",
            "eps-not-in-final-norm": "eps reaches the blocks only; it is the final norm's too.",
            "eps-of-gpt2": "Your default for eps is 1e-5; it should be 1e-6.",
        },
    ),
    *about(
        "tied-or-not",
        {
            "always-tied": "lm_head has no effect: the logits come from wte even when the model has a matrix for them.",
            "tables-swapped": "Tokens are embedded with lm_head and scored with wte; it is the other way round.",
            "head-for-both": "lm_head is used at both ends; tokens are embedded with wte.",
        },
    ),
    *final_norm(
        {
            "final-norm-is-layer-norm": "The final norm removes the mean; LLaMA ends with an RMSNorm.",
            "final-gain-missing": "The final norm does not multiply by norm_f.weight.",
            "final-norm-is-the-blocks": "The final norm uses the gain of the last block's second norm; it has its own.",
        }
    ),
    *OUTPUTS,
    *DRIFT,
)
def llama(
    wrong: Wrong,
    tokens: Tensor,
    weights: Weights,
    n_heads: int,
    n_kv_heads: int,
    base: float = 10000.0,
    eps: float | None = None,
) -> Tensor:
    """LLaMA with switches."""
    default = 1e-5 if wrong("eps-of-gpt2") else 1e-6
    given = default if eps is None or wrong("eps-ignored") else eps
    in_blocks = default if wrong("eps-not-in-blocks") else given
    at_the_end = default if wrong("eps-not-in-final-norm") else given
    base = 10000.0 if wrong("base-ignored") else base
    wte, head = weights["wte"], weights.get("lm_head", weights["wte"])
    if wrong("tables-swapped"):
        wte, head = head, wte
    if wrong("head-for-both"):
        wte = head
    if wrong("always-tied"):
        head = weights["wte"]
    positions = torch.arange(tokens.shape[1])
    if wrong("no-rotation"):
        positions = positions * 0
    if wrong("positions-reversed"):
        positions = positions.flip(0)
    if wrong("positions-by-token"):
        positions = tokens.flatten()[: len(positions)] if len(tokens) else positions
    gain = weights["norm_f.weight"]
    if wrong("final-norm-is-the-blocks"):
        gain = stack_of(wrong, weights)[-1]["norm2.weight"]

    def norm(x: Tensor) -> Tensor:
        x = x - x.mean(-1, keepdim=True) if wrong("final-norm-is-layer-norm") else x
        y = F.rms_norm(x, x.shape[-1:], eps=at_the_end)
        return y if wrong("final-gain-missing") else y * gain

    def block(x: Tensor, own: Weights) -> Tensor:
        return llama_block(x, own, n_heads, n_kv_heads, positions, base, in_blocks)

    h = looked_up(wrong, tokens, wte)
    h = run(wrong, h + sinusoids(h) if wrong("sinusoids-added") else h, weights, block, norm)
    return logits_of(wrong, h, head, weights)


def sinusoids(rows: Tensor) -> Tensor:
    """The position table of the 2017 Transformer for `(B, T, D)`, sines and cosines in turn: `(T, D)`."""
    seq, width = rows.shape[-2:]
    columns = torch.arange(width, dtype=torch.float64)
    angles = torch.arange(seq, dtype=torch.float64)[:, None] / 10000.0 ** ((columns - columns % 2) / width)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos()).to(rows.dtype)
