"""Known mistakes of the scores."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.attention.scaling import SCALE, SCALES_Q_IN_PLACE, products
from grader.misconceptions.attention.shared import about, catalogue, drift


@catalogue.flawed(
    "attention_scores",
    *SCALE,
    *about(
        "the-scale",
        {
            "root-of-model-width": "You divide by the root of the width of all heads together; take that of one head, "
            "the last size of q.",
            "root-of-axis-one": "You divide by the root of the size of axis 1, which is the width only while there are "
            "two axes; count from the end.",
            "cosine": "Queries and keys are brought to length 1 first; a score is their plain dot product, divided by "
            "the root of the width.",
        },
    ),
    *about(
        "queries-keys-and-values-change-places",
        {"transposed": "Your scores have keys as rows; queries are rows and keys are columns."},
        fails="test_two_queries_four_keys",
    ),
    *about(
        "queries-keys-and-values-change-places",
        {
            "all-axes-reversed": "All axes of the keys are reversed, as `.T` does as soon as there is a batch; only "
            "the last two may change places.",
            "first-two-axes-swapped": "Axes 0 and 1 of the keys change places, which swaps the batch as soon as there "
            "is one; count from the end.",
        },
    ),
    *about(
        "the-softmax-runs-along-the-wrong-axis",
        {"already-weights": "These are weights, not scores: the softmax belongs to the next exercise."},
    ),
    *about(
        "causality-that-nobody-asked-for",
        {"already-masked": "Your scores hide later keys already; masks belong to the next exercise."},
    ),
    *SCALES_Q_IN_PLACE,
    *drift(
        {"detached": "The result is cut off from q and k (by detach, no_grad or .data), so nothing can be trained."},
        fails="test_gradient",
    ),
    *drift(
        {"returns-float32": "The result is float32 although queries and keys are not: give back their dtype."},
        fails="test_dtype",
    ),
)
def attention_scores(wrong: Wrong, q: Tensor, k: Tensor) -> Tensor:
    """Every query against every key."""
    width = max(q.shape[1], 1) if wrong("root-of-axis-one") else q.shape[-1]
    if wrong("root-of-model-width") and q.dim() == 4:
        width *= q.shape[1]
    if wrong("all-axes-reversed"):
        k = k.permute(*range(k.dim() - 1, -1, -1)).mT
    if wrong("first-two-axes-swapped"):
        k = k.transpose(0, 1).mT
    if wrong("cosine"):
        q, k = q / q.norm(dim=-1, keepdim=True), k / k.norm(dim=-1, keepdim=True)
    scores = products(wrong, q, k, width)
    if wrong("already-masked"):
        scores = scores.masked_fill(~torch.ones_like(scores).bool().tril(k.shape[-2] - q.shape[-2]), -math.inf)
    if wrong("already-weights"):
        scores = scores.softmax(-1)
    if wrong("transposed"):
        scores = scores.mT
    if wrong("detached"):
        scores = scores.detach()
    return scores.float() if wrong("returns-float32") else scores
