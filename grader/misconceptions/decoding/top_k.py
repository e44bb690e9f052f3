"""Known mistakes of keeping the k largest logits."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.decoding.shared import (
    LOGITS_DRIFT,
    RULED_OUT,
    about,
    catalogue,
    filtered,
    logits_back,
    refusal,
    refuse,
)

KTH_DROPPED = "The k-th largest logit is dropped: what equals the threshold stays."
ONE_THRESHOLD = "One threshold is taken from the whole batch; each row has a k-th largest logit of its own."


@catalogue.flawed(
    "top_k",
    *about(
        "which-tokens-stay",
        {
            "kth-dropped": KTH_DROPPED,
            "kth-dropped-unless-all-stay": KTH_DROPPED,
            "distinct-values-counted": "Equal logits are counted once, so that the k largest values stay; k counts "
            "tokens.",
            "one-too-many": "k + 1 tokens stay: counted from 0, the k-th largest is number k - 1.",
            "one-too-few": "k - 1 tokens stay (one if k is 1); k should.",
            "largest-is-the-threshold": "The largest logit is the threshold, so that only maxima stay; the k-th "
            "largest is.",
            "smallest-kept": "The k smallest logits are kept; the largest should be.",
            "first-places-kept": "The first k places of the vocabulary are kept; the logits decide, not the places.",
            "by-magnitude": "Logits are compared without their signs, so that very improbable tokens stay.",
        },
    ),
    *about(
        "a-threshold-for-each-row",
        {
            "one-threshold-for-all": ONE_THRESHOLD,
            "one-threshold-unless-all-stay": ONE_THRESHOLD,
            "first-rows-threshold": "Every row is cut at the threshold of the first one.",
            "over-another-axis": "Logits compete along the wrong axis; the vocabulary is the last one.",
        },
    ),
    *RULED_OUT,
    *about(
        "ties",
        {"ties-cut": "Of several logits that equal the k-th largest only some stay; all of them do."},
    ),
    *about(
        "back-to-the-order-of-the-vocabulary",
        {"returns-sorted": "The logits come back sorted; each token must keep its place."},
    ),
    *about(
        "back-to-the-order-of-the-vocabulary",
        {"returns-kept-only": "Only the k kept logits are returned; the result has all V places."},
        fails="test_small_rows",
    ),
    *refusal(
        {
            "no-check": "A k below 1 gets an answer, or an error of torch's own; raise a ValueError first.",
            "assertion": "A k below 1 is noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_fewer_than_one",
    ),
    *LOGITS_DRIFT,
)
def top_k(wrong: Wrong, logits: Tensor, k: int) -> Tensor:
    """All logits at or above the k-th largest."""
    refuse(wrong, k < 1 and not wrong("no-check"), "k below 1")
    vocabulary = logits.shape[-1]
    all_stay = k >= vocabulary and any(map(wrong, ("kth-dropped-unless-all-stay", "one-threshold-unless-all-stay")))
    k = max(1, min(k, vocabulary))
    if wrong("one-too-few"):
        k = max(1, k - 1)
    if wrong("one-too-many"):
        k = min(k + 1, vocabulary)
    if wrong("returns-kept-only"):
        return logits.sort(dim=-1, descending=True).values[..., :k]
    scores = logits.abs() if wrong("by-magnitude") else -logits if wrong("smallest-kept") else logits
    keep = torch.ones_like(scores, dtype=torch.bool) if all_stay else _kept(wrong, scores, k)
    if wrong("returns-sorted"):
        order = logits.argsort(dim=-1, descending=True, stable=True)
        logits, keep = logits.gather(-1, order), keep.gather(-1, order)
    return logits_back(wrong, logits, filtered(wrong, logits, keep))


def _kept(wrong: Wrong, scores: Tensor, k: int) -> Tensor:
    """Which tokens stay."""
    if wrong("first-places-kept"):
        return (torch.arange(scores.shape[-1]) < k).expand(scores.shape)
    if wrong("ties-cut"):
        order = scores.argsort(dim=-1, descending=True, stable=True)
        return torch.zeros_like(scores, dtype=torch.bool).scatter(-1, order[..., :k], True)
    if not scores.numel():
        return torch.ones_like(scores, dtype=torch.bool)
    if wrong("distinct-values-counted"):
        ordered = scores.sort(dim=-1, descending=True).values
        new = torch.cat([torch.ones_like(ordered[..., :1], dtype=torch.bool), ordered.diff(dim=-1) != 0], -1)
        larger = ordered[..., None, :] > scores[..., :, None]
        return (larger & new[..., None, :]).sum(-1) < k
    place = 0 if wrong("largest-is-the-threshold") else k - 1
    if wrong("one-threshold-for-all") or wrong("one-threshold-unless-all-stay"):
        threshold = scores.flatten().sort(descending=True).values[place]
    elif wrong("over-another-axis") and scores.dim() > 1:
        rows = scores.sort(dim=-2, descending=True).values
        threshold = rows[..., min(place, rows.shape[-2] - 1), None, :]
    else:
        threshold = scores.sort(dim=-1, descending=True).values[..., place, None]
        if wrong("first-rows-threshold"):
            threshold = threshold.flatten()[0]
    dropped = wrong("kth-dropped") or wrong("kth-dropped-unless-all-stay")
    return scores > threshold if dropped else scores >= threshold
