"""Known mistakes of keeping the nucleus of a distribution."""

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

ONE_IS_NO_EXCEPTION = ("one-drops-tokens", "search-finds-nothing", "mass-removed", "above-p-each", "sums-logits")
"""Mistakes with which p = 1 goes through the sum like any other p."""


@catalogue.flawed(
    "top_p",
    *about(
        "which-tokens-stay",
        {
            "crossing-dropped": "The token whose mass makes the sum reach p is dropped; it belongs to the set.",
            "nothing-left": "The token that makes the sum reach p is dropped, so that nothing is left where the first "
            "token alone has more than p.",
            "one-too-many": "One token more than needed stays: the set ends with the token that reaches p.",
            "mass-removed": "p is taken for the mass to remove; it is the mass to keep.",
            "from-the-least-probable": "Masses are summed from the least probable token up, so that the tail stays.",
            "above-p-each": "Each token is compared with p by itself; p is compared with their sum.",
            "relative-to-the-largest": "Tokens are compared with p times the largest probability (that is min-p); p is "
            "a mass that the set must reach.",
            "sums-logits": "Logits are summed up; p is a mass of probabilities.",
            "one-drops-tokens": "At p = 1 improbable tokens are dropped, because the sum rounds to 1 before they come; "
            "p = 1 keeps all.",
        },
    ),
    *about(
        "back-to-the-order-of-the-vocabulary",
        {
            "unsorted": "Masses are summed in the order of the vocabulary; sort by probability first.",
            "not-mapped-back": "The decision that was made in sorted order is applied in the order of the vocabulary; "
            "map it back to where each token stands.",
            "returns-sorted": "The logits come back sorted; each token must keep its place.",
        },
    ),
    *about(
        "a-threshold-for-each-row",
        {
            "guard-in-first-row-only": "The rule that the most probable token stays is applied to the first row only; "
            "index the last axis (`[..., 0]`).",
            "first-rows-set": "Every row keeps the set of the first one.",
            "over-another-axis": "Tokens compete along the wrong axis; the vocabulary is the last one.",
        },
    ),
    *RULED_OUT,
    *about(
        "ties",
        {
            "ties-kept": "All tokens that are as probable as the last of the set stay; the set is the smallest one.",
            "ties-from-the-end": "Among equally probable tokens those with the higher index come first; the lower "
            "index does.",
        },
    ),
    *about(
        "which-tokens-stay",
        {
            "one-passed-by-rounding": "At p = 1 the last tokens of a large vocabulary are dropped where the rounded "
            "sum has passed 1; p = 1 keeps all, whatever the sum.",
        },
        fails="test_one_changes_nothing_in_float32",
    ),
    *about(
        "which-tokens-stay",
        {
            "search-finds-nothing": "Near p = 1 a single token stays where rounding keeps the sum below p: no place "
            "reaches p, and the argmax of a row without a True is 0. Also, p = 1 keeps all, whatever the sum.",
        },
        fails="test_one_changes_nothing",
    ),
    *refusal(
        {
            "no-check": "A p outside (0, 1] gets an answer; raise a ValueError first.",
            "above-one-accepted": "A p above 1 gets an answer; no mass is that large.",
            "assertion": "A p outside (0, 1] is noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_outside_the_range",
    ),
    *refusal({"zero-accepted": "p = 0 gets an answer; the range (0, 1] leaves it out."}, fails="test_zero"),
    *LOGITS_DRIFT,
)
def top_p(wrong: Wrong, logits: Tensor, p: float) -> Tensor:
    """The most probable tokens until their mass reaches p."""
    unchecked = wrong("no-check") or (p == 0 and wrong("zero-accepted")) or (p > 1 and wrong("above-one-accepted"))
    refuse(wrong, (p <= 0 or p > 1) and not unchecked, "p outside (0, 1]")
    if wrong("over-another-axis") and logits.dim() > 1:
        turned: Tensor = top_p(lambda name: name != "over-another-axis" and wrong(name), logits.mT, p)
        return turned.mT
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    probabilities = wide.softmax(-1)
    order = _order(wrong, wide)
    mass = 1 - p if wrong("mass-removed") else p
    keep = _kept(wrong, probabilities.gather(-1, order), wide.gather(-1, order), mass)
    if p >= 1 and not any(map(wrong, ONE_IS_NO_EXCEPTION)):
        keep = torch.ones_like(keep)
        if wrong("one-passed-by-rounding"):
            masses = probabilities.gather(-1, order).cumsum(-1)
            keep[..., 1:] = masses[..., :-1] <= p
    if wrong("returns-sorted"):
        return logits_back(wrong, logits, filtered(wrong, logits.gather(-1, order), keep))
    if not wrong("not-mapped-back"):
        keep = torch.zeros_like(keep).scatter(-1, order, keep)
    if wrong("first-rows-set") and keep.numel():
        keep = keep.reshape(-1, keep.shape[-1])[0].expand(keep.shape)
    if wrong("ties-kept"):
        least = probabilities.masked_fill(~keep, 2.0).min(-1, keepdim=True).values
        keep = probabilities >= least
    return logits_back(wrong, logits, filtered(wrong, logits, keep))


def _order(wrong: Wrong, wide: Tensor) -> Tensor:
    """The order in which masses are summed up."""
    if wrong("unsorted"):
        return torch.arange(wide.shape[-1]).expand(wide.shape)
    if wrong("from-the-least-probable"):
        return wide.argsort(dim=-1, stable=True)
    if wrong("ties-from-the-end"):
        return wide.argsort(dim=-1, stable=True).flip(-1)
    return wide.argsort(dim=-1, descending=True, stable=True)


def _kept(wrong: Wrong, probabilities: Tensor, logits: Tensor, p: float) -> Tensor:
    """Which tokens stay, in the order in which they come."""
    if wrong("above-p-each"):
        return probabilities >= p
    if wrong("relative-to-the-largest"):
        return probabilities >= p * probabilities.max(-1, keepdim=True).values
    if wrong("search-finds-nothing"):
        last = (logits.float().softmax(-1).cumsum(-1) >= p).int().argmax(-1, keepdim=True)
        return torch.arange(logits.shape[-1]) <= last
    masses = (logits if wrong("sums-logits") else probabilities).cumsum(-1)
    if wrong("crossing-dropped") or wrong("nothing-left"):
        keep = masses <= p
        if not wrong("nothing-left"):
            keep[..., :1] = True
        return keep
    keep = torch.cat([torch.ones_like(masses[..., :1], dtype=torch.bool), masses[..., :-1] < p], dim=-1)
    if wrong("one-too-many"):
        keep = torch.cat([keep[..., :1], keep[..., :-1]], dim=-1)
    if wrong("guard-in-first-row-only"):
        flat = keep.reshape(-1, keep.shape[-1])
        flat[1:, :1] = masses.reshape(flat.shape)[1:, :1] <= p
        keep = flat.reshape(keep.shape)
    return keep
