"""Known mistakes of the entropy of attention."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.attention.masked_softmax import competing_axes
from grader.misconceptions.attention.shared import about, catalogue, drift

EPSILONS = ("1e-7", "1e-6", "1e-5", "1e-4", "1e-3")
"""What people add inside a logarithm; 1e-8 and less disappears in rounding and is no mistake."""
BIASED = "{} is added inside the logarithm and biases every term; handle zeros alone."


@catalogue.flawed(
    "attention_entropy",
    *about(
        "entropy-of-what-along-what-in-which-unit",
        {
            "nats": "The logarithm is natural, so the entropy is in nats; bits have base 2.",
            "negative": "The minus sign is missing: an entropy is never below 0.",
            "mean-over-keys": "The terms are averaged over the keys; entropy is their sum.",
            "over-queries": "The sum runs over the queries; it should run over the keys, the last axis.",
            "softmax-again": "Softmax is applied to the weights; they are a distribution already.",
            "weight-forgotten": "The logarithms are summed without their weights: each term is p log p.",
            "share-of-all-keys": "The entropy is divided by the logarithm of the number of keys; return it undivided.",
            "share-of-seen-keys": "The entropy is divided by the logarithm of the number of keys with a weight; return "
            "it undivided.",
            "effective-keys": "You return 2 to the power of the entropy, a number of keys; return the bits.",
            "largest-weight-only": "Only the largest weight of each query enters; every weight counts.",
        },
    ),
    *about(
        "entropy-of-what-along-what-in-which-unit",
        {
            "over-everything": "The whole map is summed into one number; return one for each query.",
            "mean-over-queries": "The entropies of all queries are averaged; return one for each query.",
            "key-axis-kept": "The summed axis stays, with size 1; it should disappear (no keepdim).",
        },
        fails="test_three_small_rows",
    ),
    *about(
        "entropy-of-what-along-what-in-which-unit",
        {
            "over-axis-one": "The sum runs over axis 1, which holds the keys only while there are two axes; count from "
            "the end.",
        },
        fails="test_batch_and_heads",
    ),
    *about(
        "the-logarithm-of-zero",
        {
            "nan-at-zero": "A weight of 0 gives NaN; it should add nothing.",
            **{f"eps-{eps}-inside": BIASED.format(eps) for eps in EPSILONS[1:]},
        },
    ),
    *about("the-logarithm-of-zero", {"eps-1e-7-inside": BIASED.format("1e-7")}, fails="test_many_keys"),
    *about(
        "the-logarithm-of-zero",
        {
            "gradient-at-zero": "The value is right, but the gradient at a weight of 0 is not finite: take the zero "
            "out before the logarithm, not after it.",
        },
        fails="test_gradient_at_zero",
    ),
    *drift(
        {"changes-weights": "Your function writes into weights, which belongs to the caller; work on a new tensor."},
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {"detached": "The result is cut off from the weights (by detach, no_grad or .data); no gradient flows back."},
        fails="test_gradient",
    ),
    *drift(
        {"returns-float32": "The result is float32 although the weights are not: give back their dtype."},
        fails="test_bfloat16",
    ),
)
def attention_entropy(wrong: Wrong, weights: Tensor) -> Tensor:
    """Surprise in bits, weighted and summed over the keys."""
    if wrong("changes-weights"):
        weights.clamp_(min=1e-9)
    p = weights.to(torch.promote_types(weights.dtype, torch.float32))
    if wrong("softmax-again"):
        p = p.softmax(-1)
    axes = competing_axes(wrong)
    if wrong("gradient-at-zero"):
        terms = torch.special.entr(p) / math.log(2)
    else:
        surprise = -(p if wrong("nan-at-zero") else p.masked_fill(p == 0, 1.0)).log2()
        for eps in EPSILONS:
            if wrong(f"eps-{eps}-inside"):
                surprise = -(p + float(eps)).log2()
        terms = surprise if wrong("weight-forgotten") else p * surprise
    bits: Tensor = terms.mean(axes) if wrong("mean-over-keys") else terms.sum(axes)
    if wrong("largest-weight-only"):
        bits = -p.amax(axes).log2()
    if wrong("nats"):
        bits = bits * math.log(2)
    if wrong("share-of-all-keys"):
        bits = bits / math.log2(p.shape[-1])
    if wrong("share-of-seen-keys"):
        bits = bits / (p > 0).sum(-1).clamp(min=2).log2()
    if wrong("negative"):
        bits = -bits
    if wrong("effective-keys"):
        bits = torch.exp2(bits)
    if wrong("mean-over-queries"):
        bits = bits.mean()
    if wrong("key-axis-kept"):
        bits = bits[..., None]
    if wrong("detached"):
        bits = bits.detach()
    return bits.to(torch.float32 if wrong("returns-float32") else weights.dtype)
