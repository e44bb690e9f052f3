"""Known mistakes of attention as a whole."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.attention.masked_softmax import MASKING, masked_softmax
from grader.misconceptions.attention.scaling import SCALE, SCALES_Q_IN_PLACE, products
from grader.misconceptions.attention.shared import about, catalogue, drift


@catalogue.flawed(
    "attention",
    *SCALE,
    *MASKING,
    *about(
        "the-scale",
        {
            "root-of-value-width": "You divide by the root of the width of the values; take that of the queries.",
            "scales-weights": "The scale is applied to the weights, which no longer sum to 1; it belongs to the "
            "scores.",
        },
    ),
    *about(
        "queries-keys-and-values-change-places",
        {
            "mixes-keys": "The weights mix the keys; they should mix the values.",
            "compares-with-values": "The queries are compared with the values; compare them with the keys.",
            "weights-transposed": "The weights are transposed before they meet the values; leave queries as rows.",
        },
    ),
    *about(
        "attention-put-together",
        {"returns-weights-too": "You return the weights as well; return the output alone."},
        fails="test_two_queries_four_keys",
    ),
    *SCALES_Q_IN_PLACE,
    *drift(
        {"detached": "The weights are cut off from q and k (by detach, no_grad or .data), so only v gets a gradient."},
        fails="test_gradient",
    ),
    *drift(
        {"returns-float32": "The result is float32 although the arguments are not: give back their dtype."},
        fails="test_bfloat16",
    ),
)
def attention(
    wrong: Wrong, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """Scores, weights, mixed values."""
    if wrong("mixes-keys"):
        v = k
    width = v.shape[-1] if wrong("root-of-value-width") else q.shape[-1]
    wide = torch.promote_types(q.dtype, torch.float32)
    compared = v if wrong("compares-with-values") else k
    if wrong("scales-weights"):
        scores = q.to(wide) @ compared.to(wide).mT
    else:
        scores = products(wrong, q.to(wide), compared.to(wide), width)
    declared = {mistake.name for mistake in MASKING}
    weights = masked_softmax(lambda name: name in declared and wrong(name), scores, mask)
    if wrong("scales-weights"):
        weights = weights / math.sqrt(width)
    if wrong("weights-transposed"):
        weights = weights.mT
    if wrong("detached"):
        weights = weights.detach()
    mixed = (weights @ v.to(wide)).to(torch.float32 if wrong("returns-float32") else q.dtype)
    return (mixed, weights) if wrong("returns-weights-too") else mixed
