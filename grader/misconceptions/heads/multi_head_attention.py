"""Known mistakes of multi-head attention."""

from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.heads.layer import (
    ATTENTION_DRIFT,
    BIASES,
    BOTH_CUTS,
    COMPETING,
    EMPTY_ROWS,
    MASKS,
    PROJECTIONS,
    SCALE,
    attended,
    cut,
    linear,
    meddle,
    result_of,
    sources,
    widened,
)
from grader.misconceptions.heads.shared import about, catalogue, refusal, refuse


@catalogue.flawed(
    "multi_head_attention",
    *BOTH_CUTS,
    *about(
        "heads-are-cut-across-tokens",
        {"one-wide-head": "There is one head as wide as the model; n_heads has no effect."},
    ),
    *PROJECTIONS,
    *about(
        "projections-transposed-swapped-missing",
        {
            "untransposed": "The projections are applied without their transpose; weights are stored as (out, in).",
            "queries-and-keys-swapped": "wq makes the keys and wk the queries: they have changed places.",
        },
    ),
    *BIASES,
    *SCALE,
    *MASKS,
    *EMPTY_ROWS,
    *COMPETING,
    *refusal("test_width_not_divisible"),
    *ATTENTION_DRIFT,
)
def multi_head_attention(
    wrong: Wrong, x: Tensor, weights: dict[str, Tensor], n_heads: int, mask: Tensor | None = None
) -> Tensor:
    """Four projections around an attention in every head."""
    refuse(wrong, x.shape[-1] % n_heads != 0, "width not divisible")
    meddle(wrong, weights, x.shape[-1] // n_heads)
    count = 1 if wrong("one-wide-head") else n_heads
    wide, wide_weights = widened(x, weights)
    made_by = {"q": "k", "k": "q", "v": "v"} if wrong("queries-and-keys-swapped") else sources(wrong)
    untransposed = wrong("untransposed")
    q, k, v = (cut(wrong, linear(wrong, wide, wide_weights, made_by[letter], untransposed), count) for letter in "qkv")
    if count < n_heads and mask is not None and mask.dim() > 2:
        mask = mask[..., :1, :, :]
    return result_of(wrong, x, wide_weights, attended(wrong, q, k, v, mask), mask, untransposed)
