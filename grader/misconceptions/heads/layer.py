"""What both attention layers share: their mistakes, and their steps with a switch at every fork."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.heads.shared import about, drift

BOTH_CUTS = about(
    "heads-are-cut-across-tokens",
    {
        "splits-without-swap": "The heads are cut out of the wrong order of numbers, so that a head is filled from "
        "neighbouring tokens.",
        "merges-without-swap": "The heads are merged in the wrong order: heads and time change places first.",
        "heads-interleaved": "Neighbouring features go to different heads; head h owns rows h*K to (h+1)*K - 1 of each "
        "projection.",
    },
)
PROJECTIONS = about(
    "projections-transposed-swapped-missing",
    {
        "output-untransposed": "The output projection is applied without its transpose; weights are (out, in).",
        "output-missing": "The output projection wo is missing: merged heads are not the result yet.",
        "keys-and-values-swapped": "wk makes the values and wv the keys: they have changed places.",
        "values-from-wk": "The values are projected with wk; they have wv.",
    },
)
BIASES = about(
    "biases-are-optional",
    {
        "biases-ignored": "The biases are never added.",
        "output-bias-ignored": "The bias of the output projection, bo, is never added.",
        "value-bias-ignored": "The bias of the values, bv, is never added.",
        "empty-row-without-output-bias": "The whole result of a query that may attend to nothing is set to 0; only its "
        "context is 0, and bo is still added.",
    },
)
SCALE = about(
    "the-scale-is-that-of-one-head",
    {
        "no-scale": "The scores are not divided by the square root of the head width.",
        "divides-by-head-width": "The scores are divided by the head width itself: the root is missing, or the scale "
        "is applied twice.",
        "root-of-model-width": "The scores are divided by the root of the model width D; a head compares vectors of "
        "its own width K.",
        "root-of-head-count": "The scores are divided by the root of the number of heads; the head width K belongs "
        "there.",
    },
)
MASKS = about(
    "a-given-mask-replaces-the-causal-one",
    {
        "given-mask-ignored": "The mask that is passed has no effect: attention stays causal.",
        "causal-on-top": "The causal mask is applied on top of the one that is passed; that one replaces it.",
        "not-causal-by-default": "Without a mask every position sees every other; None means causal here.",
        "hides-own-position": "Without a mask a position does not see itself; it should.",
        "given-mask-inverted": "The mask that is passed is read upside down: True means may attend.",
        "first-sample-mask": "Every sample is given the mask of the first one.",
        "first-head-mask": "Every head is given the mask of the first one.",
        "zeroed-afterwards": "Hidden weights are set to 0 after the softmax, so that the others no longer sum to 1.",
    },
)
EMPTY_ROWS = (
    *about(
        "a-query-that-sees-nothing",
        {
            "empty-row-nan": "A query that may attend to nothing gives NaN; its context should be 0.",
            "empty-row-even": "A query that may attend to nothing gets a mean of hidden values; its context is 0.",
        },
    ),
    *about(
        "a-query-that-sees-nothing",
        {
            "empty-row-patched": "The NaN of a query that sees nothing is replaced in the value, but its gradient is "
            "still NaN; mend the scores before the softmax.",
        },
        fails="test_empty_row_gradient",
    ),
)
COMPETING = about(
    "what-competes-with-what",
    {
        "over-queries": "The softmax runs over the queries; each query's weights over the keys sum to 1.",
        "over-heads": "The softmax runs over the heads; each head has distributions of its own.",
        "nothing-subtracted": "Scores of a hundred overflow: the largest visible score of each row must be subtracted.",
    },
)
ATTENTION_DRIFT = (
    *drift(
        {
            "changes-weights": "The caller's weights are changed in place, so that the next call sees others.",
            "adds-keys": "Missing biases are written into the caller's dict; read with a default instead.",
        },
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {"detached": "The attention weights are cut off from queries and keys: wq and wk get no gradient."},
        fails="test_gradient",
    ),
    *drift({"returns-float32": "The result is float32 although x is not: give back its dtype."}, fails="test_dtype"),
)


def linear(wrong: Wrong, x: Tensor, weights: Mapping[str, Tensor], letter: str, untransposed: bool = False) -> Tensor:
    """`x W^T`, and the bias if there is one."""
    matrix = weights[f"w{letter}"]
    out = x @ (matrix if untransposed else matrix.mT)
    ignored = {"o": "output-bias-ignored", "v": "value-bias-ignored"}.get(letter)
    if f"b{letter}" not in weights or wrong("biases-ignored") or (ignored and wrong(ignored)):
        return out
    return out + weights[f"b{letter}"]


def cut(wrong: Wrong, x: Tensor, count: int) -> Tensor:
    """`(B, T, count*K)` -> `(B, count, T, K)`."""
    batch, seq, width = x.shape
    if wrong("heads-interleaved"):
        return x.reshape(batch, seq, width // count, count).permute(0, 3, 1, 2)
    if wrong("splits-without-swap"):
        return x.reshape(batch, count, seq, width // count)
    return x.reshape(batch, seq, count, width // count).transpose(1, 2)


def joined(wrong: Wrong, x: Tensor) -> Tensor:
    """`(B, H, T, K)` -> `(B, T, H*K)`."""
    batch, count, seq, k = x.shape
    if wrong("heads-interleaved"):
        return x.permute(0, 2, 3, 1).reshape(batch, seq, count * k)
    return (x if wrong("merges-without-swap") else x.transpose(1, 2)).reshape(batch, seq, count * k)


def visible_keys(wrong: Wrong, mask: Tensor | None, scores: Tensor) -> Tensor:
    """Which key each query may attend to, in the shape of the scores."""
    causal = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-1 if wrong("hides-own-position") else 0)
    if wrong("not-causal-by-default"):
        causal = torch.ones_like(causal)
    if mask is None or wrong("given-mask-ignored"):
        return causal.expand(scores.shape)
    if wrong("given-mask-inverted"):
        mask = ~mask
    if wrong("causal-on-top"):
        mask = mask & causal
    if wrong("first-sample-mask") and mask.dim() == 4:
        mask = mask[:1]
    if wrong("first-head-mask") and mask.dim() > 2:
        mask = mask[..., :1, :, :]
    return mask.expand(scores.shape)


def distribution(wrong: Wrong, scores: Tensor, visible: Tensor) -> Tensor:
    """Weights over the visible keys."""
    axis = -2 if wrong("over-queries") else 1 if wrong("over-heads") else -1
    empty = ~visible.any(-1, keepdim=True)
    if wrong("zeroed-afterwards"):
        return scores.softmax(axis) * visible
    if wrong("empty-row-patched"):
        return (scores + torch.zeros_like(scores).masked_fill(~visible, -math.inf)).softmax(-1).masked_fill(empty, 0.0)
    if wrong("empty-row-even"):
        return scores.masked_fill(~visible, -1e9).softmax(axis)
    masked = scores.masked_fill(~visible, -math.inf)
    if wrong("nothing-subtracted"):
        exponentials = masked.exp()
        total = exponentials.sum(axis, keepdim=True)
        return exponentials / (total if wrong("empty-row-nan") else total.masked_fill(total == 0, 1.0))
    if axis != -1:
        # 0 and not NaN where nothing competes: a variant that is NaN everywhere resembles every wrong answer.
        nothing = ~visible.any(axis, keepdim=True)
        return masked.masked_fill(nothing, 0.0).softmax(axis).masked_fill(nothing, 0.0)
    if wrong("empty-row-nan"):
        return masked.softmax(axis)
    return masked.masked_fill(empty, 0.0).softmax(axis).masked_fill(empty, 0.0)


def attended(wrong: Wrong, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """The context of every head, `(B, H, T, K)`."""
    _, n_heads, _, width = q.shape
    divisor = math.sqrt(width)
    if wrong("no-scale") or wrong("changes-weights"):
        divisor = 1.0
    if wrong("divides-by-head-width"):
        divisor = width
    if wrong("root-of-model-width"):
        divisor = math.sqrt(width * n_heads)
    if wrong("root-of-head-count"):
        divisor = math.sqrt(n_heads)
    scores = q @ k.mT / divisor
    weights = distribution(wrong, scores, visible_keys(wrong, mask, scores))
    return (weights.detach() if wrong("detached") else weights) @ v


def result_of(
    wrong: Wrong,
    x: Tensor,
    weights: Mapping[str, Tensor],
    context: Tensor,
    mask: Tensor | None,
    untransposed: bool = False,
) -> Tensor:
    """Merged heads, projected."""
    merged = joined(wrong, context)
    untransposed = untransposed or wrong("output-untransposed")
    out = merged if wrong("output-missing") else linear(wrong, merged, weights, "o", untransposed)
    if mask is not None and wrong("empty-row-without-output-bias"):
        sees = mask.expand(context.shape[0], context.shape[1], *mask.shape[-2:]).any(-1).any(1)
        out = out * sees.expand(out.shape[:2])[..., None]
    return out.to(torch.float32 if wrong("returns-float32") else x.dtype)


def widened(x: Tensor, weights: Mapping[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
    """16-bit arguments in float32, all others as they are."""
    wide = torch.promote_types(x.dtype, torch.float32)
    return x.to(wide), {name: weight.to(wide) for name, weight in weights.items()}


def meddle(wrong: Wrong, weights: dict[str, Tensor], head_width: int) -> None:
    """What is done to the caller's dict."""
    if wrong("changes-weights"):
        weights["wq"] /= math.sqrt(head_width)
        if "bq" in weights:
            weights["bq"] /= math.sqrt(head_width)
    if wrong("adds-keys"):
        for letter in "qkvo":
            weights.setdefault(f"b{letter}", torch.zeros(len(weights[f"w{letter}"]), dtype=weights["wq"].dtype))


def sources(wrong: Wrong) -> dict[str, str]:
    """Which projection makes queries, keys and values."""
    if wrong("keys-and-values-swapped"):
        return {"q": "q", "k": "v", "v": "k"}
    return {"q": "q", "k": "k", "v": "k" if wrong("values-from-wk") else "v"}
