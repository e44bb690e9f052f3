"""Known mistakes of cross-entropy: which targets count, and the loss of one row."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.objective.shared import (
    EPSILONS,
    STALLING_SUM,
    about,
    catalogue,
    changes,
    cut_off,
    epsilons,
    float32_results,
    given_back,
    stalling_sum,
    widened,
)

COUNTING_MISTAKES = (
    *about(
        "divide-by-what-counts",
        {
            "ignored-in-denominator": "The sum is divided by the number of all positions; divide by the number of "
            "those that count.",
            "mean-of-row-means": "You average the means of rows, so tokens of short rows weigh more; average over all "
            "counted tokens at once.",
            "sum-not-mean": "The losses are summed; the mean over the counted targets was asked for.",
        },
    ),
    *about(
        "divide-by-what-counts",
        {
            "divided-by-vocabulary": "The mean runs over the vocabulary too, so the loss is V times too small; it runs "
            "over positions only.",
            "logarithm-of-the-mean": "The probabilities are averaged before the logarithm; average the losses.",
        },
        alone=True,
    ),
    *about(
        "leave-ignored-rows-out",
        {
            "ignore-index-fixed": "The argument ignore_index has no effect; the targets that equal it, and no others, "
            "are ignored."
        },
    ),
    *about(
        "leave-ignored-rows-out",
        {
            "nan-when-nothing-counts": "When no target counts you return NaN; there is no mean: raise ValueError.",
            "zero-when-nothing-counts": "When no target counts you return 0, a perfect score; raise ValueError.",
        },
        fails="test_nothing_counts",
    ),
    *about(
        "leave-ignored-rows-out",
        {
            "ignored-multiplied-by-0": "The losses of ignored rows are multiplied by 0, but 0 times inf is NaN; leave "
            "those rows out before anything is computed.",
            "ignored-replaced-afterwards": "The losses of ignored rows are computed and then replaced. The value is "
            "right, but an inf or NaN in those rows still reaches the gradient; leave them out before anything is "
            "computed.",
        },
        fails="test_ignored_rows_are_left_out",
    ),
    *about(
        "ids-are-checked-never-bent",
        {
            "negative-targets-ignored": "Every negative target is ignored; only ignore_index is to be, any other "
            "raises ValueError.",
            "unchecked-targets": "Targets are not checked: a negative one picks a token from the end and one of V or "
            "more raises an IndexError. Both must raise ValueError.",
            "unchecked-gather": "Targets are not checked, and torch raises its own RuntimeError for one outside the "
            "vocabulary; raise ValueError.",
            "negative-targets-from-the-end": "A negative target picks a token from the end; raise ValueError for it "
            "too.",
            "clamped-targets": "Targets outside the vocabulary are clamped to its first or last id; raise ValueError "
            "instead.",
        },
        fails="test_target_outside_the_vocabulary",
    ),
)
"""What cross-entropy can get wrong about which targets count, and for how much."""

LOSS_MISTAKES = (
    *about(
        "one-peak-per-slice",
        {
            "no-peak-removed": "Exponentials of raw logits overflow or underflow; subtract each row's largest logit "
            "first.",
            "logarithm-of-underflow": "A small probability underflows to 0 before its logarithm is taken. Do not form "
            "the probability: its logarithm is a difference of two terms.",
        },
    ),
    *about(
        "one-peak-per-slice",
        epsilons(
            ("epsilon-1e-8", "epsilon-1e-9", "epsilon-1e-12"),
            "{} is added inside the logarithm, which caps the loss. Do not form the probability: its logarithm is a "
            "difference of two terms.",
        ),
        alone=True,
    ),
    *about(
        "compare-v-with-t-before-you-reshape",
        {
            "viewed-not-transposed": "Logits are viewed as (B, V, T), which mixes tokens: view and reshape keep memory "
            "order and move no axis.",
            "softmax-over-positions": "Your probabilities sum to 1 over the positions; they must sum to 1 over the "
            "vocabulary.",
        },
        alone=True,
    ),
    *about(
        "compare-v-with-t-before-you-reshape",
        {
            "one-hot-product": "A one-hot row times log-probabilities gives 0 times inf, which is NaN, at impossible "
            "tokens; pick the target's entry alone.",
        },
        fails="test_impossible_tokens",
    ),
    *about(
        "shift-inside-the-row",
        {"shifted-again": "Targets are shifted once more inside the loss; they are the next tokens already."},
    ),
    *about(
        "logits-are-raw-scores",
        {
            "softmax-twice": "Softmax is applied twice, so the loss hardly leaves ln V; logits go in raw.",
            "logits-as-probabilities": "The target's logit is taken for its log-probability; the softmax is missing.",
        },
        alone=True,
    ),
    *about(
        "nats-or-bits",
        {
            "bits-not-nats": "The logarithm has base 2, so the loss is in bits; nats were asked for.",
            "minus-missing": "The minus sign is missing: the loss is -log p and never below 0.",
        },
    ),
)
"""What cross-entropy can get wrong about the loss of one row."""


@catalogue.flawed(
    "cross_entropy",
    *COUNTING_MISTAKES,
    *LOSS_MISTAKES,
    STALLING_SUM,
    *float32_results("logits", "test_bfloat16", "test_small_batch"),
    cut_off("loss is", "test_gradients"),
    changes("targets"),
)
def cross_entropy(wrong: Wrong, logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """The mean of -log p(target) over the targets that count."""
    counted = targets != (-100 if wrong("ignore-index-fixed") else ignore_index)
    if wrong("negative-targets-ignored"):
        counted = counted & (targets >= 0)
    if wrong("shifted-again") and targets.dim() > 0 and targets.shape[-1] > 1:
        logits, targets, counted = logits[..., :-1, :], targets[..., 1:], counted[..., 1:]
    if not bool(counted.any()):
        if wrong("nan-when-nothing-counts") or wrong("zero-when-nothing-counts"):
            return logits.new_tensor(math.nan if wrong("nan-when-nothing-counts") else 0.0)
        raise ValueError("no target counts")
    chosen = _checked(wrong, targets[counted], logits.shape[-1])
    x = widened(wrong, logits)
    losses = _losses(wrong, x, counted, chosen, logits.dtype)
    if wrong("ignored-multiplied-by-0") or wrong("ignored-replaced-afterwards"):
        ignored = _losses(wrong, x, ~counted, torch.zeros_like(targets[~counted]), logits.dtype)
        if wrong("ignored-replaced-afterwards"):
            ignored = torch.where(torch.ones_like(ignored, dtype=torch.bool), torch.zeros_like(ignored), ignored)
        losses = losses + (0 * ignored).sum()
    if wrong("changes-targets"):
        targets[~counted] = 0
    return given_back(wrong, _averaged(wrong, losses, counted, logits.shape[-1]), logits.dtype)


def _checked(wrong: Wrong, chosen: Tensor, vocabulary: int) -> Tensor:
    """The targets that count, refused or bent if outside the vocabulary."""
    if wrong("clamped-targets"):
        chosen = chosen.clamp(0, vocabulary - 1)
    if wrong("unchecked-targets"):
        chosen = torch.arange(vocabulary)[chosen]
    if wrong("negative-targets-from-the-end"):
        chosen = torch.where(chosen < 0, chosen + vocabulary, chosen)
    if bool(((chosen < 0) | (chosen >= vocabulary)).any()):
        raise RuntimeError("out of bounds") if wrong("unchecked-gather") else ValueError("outside the vocabulary")
    return chosen


def _losses(wrong: Wrong, x: Tensor, counted: Tensor, chosen: Tensor, dtype: torch.dtype) -> Tensor:
    """The loss of each counted target, in the order of `chosen`."""
    if wrong("viewed-not-transposed") and x.dim() > 1:
        x = x.reshape(*x.shape[:-2], x.shape[-1], x.shape[-2]).transpose(-1, -2)
    if wrong("softmax-over-positions") and x.dim() > 1:
        log_p = (x - x.logsumexp(-2, keepdim=True))[counted]
    elif wrong("logits-as-probabilities"):
        log_p = x[counted]
    else:
        log_p = _log_softmax(wrong, x[counted].softmax(-1) if wrong("softmax-twice") else x[counted], dtype)
    if wrong("one-hot-product"):
        losses = -(log_p * torch.nn.functional.one_hot(chosen, x.shape[-1])).sum(-1)
    else:
        losses = -log_p.gather(-1, chosen[:, None])[:, 0]
    losses = losses / math.log(2) if wrong("bits-not-nats") else losses
    return -losses if wrong("minus-missing") else losses


def _log_softmax(wrong: Wrong, rows: Tensor, dtype: torch.dtype) -> Tensor:
    """The logarithms of the probabilities of each row; of a row of nothing but -inf, -inf."""
    peak = torch.zeros_like(rows[:, :1]) if wrong("no-peak-removed") else rows.amax(-1, keepdim=True).detach()
    hopeless = peak == -math.inf
    shifted = rows - peak.masked_fill(hopeless, 0.0)
    powers = shifted.exp()
    total = stalling_sum(powers, dtype).to(powers.dtype) if wrong("sum-stalls-in-16-bits") else powers.sum(-1)
    for name in ("epsilon-1e-8", "epsilon-1e-9", "epsilon-1e-12"):
        if wrong(name):
            return (powers / total[:, None] + EPSILONS[name]).log()
    if wrong("logarithm-of-underflow"):
        return (powers / total[:, None]).log()
    return (shifted - total.log()[:, None]).masked_fill(hopeless, -math.inf)


def _averaged(wrong: Wrong, losses: Tensor, counted: Tensor, vocabulary: int) -> Tensor:
    """One number for all counted targets."""
    if wrong("logarithm-of-the-mean"):
        return -losses.neg().exp().mean().log()
    if wrong("sum-not-mean"):
        return losses.sum()
    if wrong("mean-of-row-means"):
        table = losses.new_zeros(counted.shape).masked_scatter(counted, losses)
        sizes = counted.sum(-1)
        return (table.sum(-1)[sizes > 0] / sizes[sizes > 0]).mean()
    loss = losses.sum() / (counted.numel() if wrong("ignored-in-denominator") else losses.numel())
    return loss / vocabulary if wrong("divided-by-vocabulary") else loss
