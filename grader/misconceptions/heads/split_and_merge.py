"""Known mistakes of cutting features into heads and of joining them again."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.heads.shared import about, as_returned, catalogue, moved_only, refusal, refuse


@catalogue.flawed(
    "split_heads",
    *about(
        "heads-are-cut-across-tokens",
        {
            "no-swap": "The features are cut into the final shape at once, so that a head is filled from neighbouring "
            "tokens. Cut the last axis where it stands, then let time and heads change places.",
            "heads-interleaved": "Neighbouring features go to different heads; head h owns a stretch of K neighbours.",
            "time-runs-along-features": "Time and width change places before the cut, and the numbers are then read in "
            "the wrong order: cut first, swap afterwards.",
        },
    ),
    *about(
        "axes-in-another-order",
        {
            "time-before-heads": "The head axis stands behind time; it belongs in front of it.",
            "heads-first": "The head axis stands in front of the batch; it belongs behind it.",
            "folded-into-batch": "Batch and heads are folded into one axis; they are two.",
            "keys-transposed": "Time and head width have changed places; K is the last axis.",
            "width-taken-for-count": "The second argument is the number of heads, not their width.",
        },
        fails="test_two_tokens_three_heads",
    ),
    *refusal("test_width_not_divisible"),
    *moved_only("test_two_tokens_three_heads"),
)
def split_heads(wrong: Wrong, x: Tensor, n_heads: int) -> Tensor:
    """Cut the last axis, bring heads forward."""
    batch, seq, width = x.shape
    refuse(wrong, width % n_heads != 0, "width not divisible")
    count, k = (width // n_heads, n_heads) if wrong("width-taken-for-count") else (n_heads, width // n_heads)
    if wrong("heads-interleaved"):
        heads = x.reshape(batch, seq, k, count).permute(0, 3, 1, 2)
    elif wrong("no-swap"):
        heads = x.reshape(batch, count, seq, k)
    elif wrong("time-runs-along-features"):
        heads = x.transpose(1, 2).reshape(batch, count, seq, k)
    else:
        heads = torch.unflatten(x, 2, (count, k)).transpose(1, 2)
    if wrong("time-before-heads"):
        heads = heads.transpose(1, 2)
    if wrong("keys-transposed"):
        heads = heads.mT
    if wrong("heads-first"):
        heads = heads.transpose(0, 1)
    if wrong("folded-into-batch"):
        heads = heads.flatten(0, 1)
    return as_returned(wrong, heads)


@catalogue.flawed(
    "merge_heads",
    *about(
        "heads-are-cut-across-tokens",
        {
            "no-swap": "The heads are read off in the order in which they lie, so that a token is filled from several "
            "positions of one head. Time and heads change places first.",
            "heads-interleaved": "The heads are woven together feature by feature; each keeps its stretch of K "
            "neighbours.",
            "other-axes-swapped": "Time and head width change places; it is heads and time that must.",
            "heads-reversed": "The last head stands first; head 0 owns the first features.",
        },
    ),
    *about(
        "axes-in-another-order",
        {
            "not-flattened": "Heads and features are still two axes; make them one.",
            "time-folded": "Time and head width are folded together; it is the heads and their width that become one.",
            "heads-in-time": "The heads are laid one after another along time; they belong side by side in a token.",
            "heads-summed": "The heads are added up; they stand side by side, and the output projection mixes them.",
            "heads-averaged": "The heads are averaged; they stand side by side, and the output projection mixes them.",
        },
        fails="test_three_heads_two_tokens",
    ),
    *moved_only("test_three_heads_two_tokens"),
)
def merge_heads(wrong: Wrong, x: Tensor) -> Tensor:
    """Bring heads next to features, make one axis of both."""
    batch, count, seq, k = x.shape
    if wrong("no-swap"):
        merged = x.reshape(batch, seq, count * k)
    elif wrong("heads-interleaved"):
        merged = x.permute(0, 2, 3, 1).reshape(batch, seq, count * k)
    elif wrong("other-axes-swapped"):
        merged = x.mT.reshape(batch, seq, count * k)
    elif wrong("heads-reversed"):
        merged = torch.cat(x.flip(1).unbind(1), dim=-1)
    elif wrong("time-folded"):
        merged = x.flatten(2)
    elif wrong("heads-in-time"):
        merged = x.flatten(1, 2)
    elif wrong("heads-summed"):
        merged = x.sum(1)
    elif wrong("heads-averaged"):
        merged = x.mean(1)
    else:
        merged = torch.cat(x.unbind(1), dim=-1)
    if wrong("not-flattened"):
        merged = merged.reshape(batch, seq, count, -1)
    return as_returned(wrong, merged)
