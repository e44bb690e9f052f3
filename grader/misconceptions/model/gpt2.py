"""Known mistakes of GPT-2."""

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.model.blocks import gpt2_block
from grader.misconceptions.model.shared import Weights, about, catalogue
from grader.misconceptions.model.stack import DRIFT, OUTPUTS, SCALED_TABLE, STACK, final_norm, logits_of, looked_up, run


@catalogue.flawed(
    "gpt2",
    *STACK,
    *about(
        "which-position-a-token-has",
        {
            "positions-missing": "No position embeddings are added.",
            "positions-from-one": "The positions run from 1 to T; they run from 0 to T - 1.",
            "positions-by-token": "wpe is indexed by the token ids; its rows belong to positions 0 to T - 1.",
            "positions-by-sample": "wpe is indexed along the batch, so that every token of a sample has one position.",
            "positions-run-on": "The positions run on from one sample to the next; each sample starts at 0.",
            "positions-aligned-at-the-end": "You add the last T rows of wpe; a sequence starts at row 0.",
            "one-position-for-all": "Every token is given the position of the last one.",
            **SCALED_TABLE,
        },
    ),
    *about(
        "longer-than-the-table",
        {
            "no-check": "The length is not checked, so that torch complains later and about something else: raise a "
            "ValueError first, with a message.",
            "assertion": "A sequence that is too long is noticed, but not with a ValueError: raise one.",
            "cut-to-length": "A sequence that is too long is cut without a word; raise a ValueError.",
            "last-position-reused": "Tokens beyond the table share its last position; raise a ValueError.",
        },
        fails="test_too_long",
    ),
    *final_norm(
        {
            "final-norm-is-rms": "The final norm removes no mean; GPT-2 ends with a LayerNorm.",
            "final-shift-missing": "The final norm does not add ln_f.beta.",
            "final-gain-missing": "The final norm does not multiply by ln_f.gamma.",
            "final-norm-eps": "The eps of the final norm is 1e-6; in GPT-2 it is 1e-5, as in the blocks.",
        }
    ),
    *OUTPUTS,
    *DRIFT,
)
def gpt2(wrong: Wrong, tokens: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """GPT-2 with switches."""
    wte, wpe = weights["wte"], weights["wpe"]
    seq, n_positions = tokens.shape[1], len(wpe)
    lenient = wrong("cut-to-length") or wrong("last-position-reused") or wrong("no-check")
    if seq > n_positions and wrong("assertion"):
        raise AssertionError("too long")
    if seq > n_positions and not lenient:
        raise ValueError("too long")
    if wrong("cut-to-length"):
        tokens = tokens[:, -n_positions:]
        seq = tokens.shape[1]
    h = looked_up(wrong, tokens, wte)
    if not wrong("positions-missing"):
        h = h + wpe[position_rows(wrong, tokens, n_positions)]
    gamma, beta = weights["ln_f.gamma"], weights["ln_f.beta"]

    def norm(x: Tensor) -> Tensor:
        if wrong("final-norm-is-rms"):
            return F.rms_norm(x, x.shape[-1:], eps=1e-5) * gamma + beta
        eps = 1e-6 if wrong("final-norm-eps") else 1e-5
        y = F.layer_norm(x, x.shape[-1:], eps=eps)
        y = y if wrong("final-gain-missing") else y * gamma
        return y if wrong("final-shift-missing") else y + beta

    h = run(wrong, h, weights, lambda x, own: gpt2_block(x, own, n_heads), norm)
    return logits_of(wrong, h, wte, weights)


def position_rows(wrong: Wrong, tokens: Tensor, n_positions: int) -> Tensor:
    """Which row of wpe each token is given."""
    batch, seq = tokens.shape
    rows = torch.arange(seq)
    if wrong("positions-from-one"):
        rows = rows + 1
    if wrong("positions-by-token"):
        rows = tokens
    if wrong("positions-by-sample"):
        rows = torch.arange(batch)[:, None]
    if wrong("positions-run-on"):
        rows = torch.arange(batch * seq).view(batch, seq)
    if wrong("positions-aligned-at-the-end"):
        rows = rows + n_positions - seq
    if wrong("one-position-for-all"):
        rows = torch.tensor([seq - 1])
    return rows.clamp(max=n_positions - 1) if wrong("last-position-reused") else rows
