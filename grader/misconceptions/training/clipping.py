"""Known mistakes of clipping gradients by their joint norm."""

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.training.shared import (
    FORM,
    about,
    catalogue,
    float32_results,
    float64_results,
    given_back,
    widened,
)

FIRST_TEST = "test_two_tensors"
Tensors = dict[str, Tensor]


@catalogue.flawed(
    "clip_gradients",
    *about(
        "one-norm-one-factor",
        {
            "each-tensor-by-itself": "Each tensor is clipped by its own norm; there is one norm over all tensors and "
            "one factor for all.",
            "norms-added": "The norms of the tensors are added up; the joint norm is the root of the sum of their "
            "squares.",
            "norms-not-squared": "The norms of the tensors go under the root unsquared; square them before they are "
            "added.",
            "largest-norm": "You take the largest norm of a single tensor; the joint norm is larger than each of them.",
            "last-norm": "Only the last tensor's norm is used, probably since a variable is overwritten in the loop; "
            "add up over all tensors.",
            "vectors-not-counted": "Only tensors of two or more axes enter the norm; every entry of every tensor does.",
            "vectors-left-alone": "Only tensors of two or more axes enter the norm and are scaled, which is the rule "
            "for weight decay; clipping makes no difference between tensors.",
            "vectors-not-scaled": "Only tensors of two or more axes are scaled; the factor is for all of them.",
            "root-missing": "The sum of squares is used as the norm; take its root.",
            "sum-of-sizes": "You add up absolute values, the 1-norm; clipping goes by the 2-norm.",
            "largest-entry": "You take the largest entry as the norm; clipping goes by the 2-norm.",
            "mean-of-squares": "You take the root of the mean of squares; the 2-norm is the root of their sum.",
            "by-value": "Every entry is cut off at max_norm, which turns the gradient; scale all of them by one "
            "factor instead.",
            "limit-not-in-factor": "Above max_norm gradients are divided by their norm and so end at 1; the factor is "
            "max_norm / norm.",
            "factor-inverted": "Gradients are multiplied by norm / max_norm, which makes them longer; the factor is "
            "max_norm / norm.",
            "factor-squared": "The factor is applied twice; once brings the norm to max_norm.",
        },
    ),
    *about(
        "when-to-scale",
        {
            "always-scaled": "Gradients are always brought to max_norm, so short ones grow; below max_norm nothing is "
            "changed.",
            "scaled-when-short": "Gradients below max_norm are scaled and those above are not; it is the other way "
            "round.",
            "square-against-limit": "The squared norm is compared with max_norm, so gradients that are short enough "
            "are scaled too; compare the norm.",
            "never-scaled": "The gradients come back as they were; above max_norm they are scaled.",
        },
    ),
    *about(
        "when-to-scale",
        {"nan-at-zero": "Gradients of 0 become NaN, since something is divided by their norm; 0 stays 0."},
        fails="test_zero_gradients",
    ),
    *about(
        "which-norm-comes-back",
        {
            "norm-after-clipping": "You return the norm after clipping, which is never above max_norm; the norm "
            "before it says how training goes.",
            "factor-returned": "You return the factor; the norm before clipping was asked for.",
            "squared-norm-returned": "You return the squared norm; the norm itself was asked for.",
        },
    ),
    *about(
        "which-norm-comes-back",
        {"list-returned": "The clipped gradients come back without their names; return a dict with the same keys."},
        fails=FIRST_TEST,
    ),
    *float32_results("gradients", "test_bfloat16", FIRST_TEST),
    float64_results("gradients", "test_float32"),
    Misconception(
        "changes-gradients",
        "Your function scales the caller's gradients in place (mul_, *=, or writing into the dict); make new tensors.",
        FORM,
        fails="test_leaves_arguments_alone",
    ),
)
def clip_gradients(wrong: Wrong, gradients: Tensors, max_norm: float) -> tuple[Tensors | list[Tensor], Tensor]:
    """One norm, one factor, with switches."""
    wide = {name: widened(wrong, gradient) for name, gradient in gradients.items()}
    total = _total(wrong, wide)
    factor = _factor(wrong, total, max_norm)
    if wrong("each-tensor-by-itself"):
        scaled = {name: g * _factor(wrong, g.square().sum().sqrt(), max_norm) for name, g in wide.items()}
    elif wrong("by-value"):
        scaled = {name: g.clamp(-max_norm, max_norm) for name, g in wide.items()}
    else:
        spared = 2 if wrong("vectors-left-alone") or wrong("vectors-not-scaled") else 0
        scaled = {name: g * factor if g.dim() >= spared else g for name, g in wide.items()}
    if wrong("changes-gradients"):
        for name, gradient in gradients.items():
            gradient.copy_(scaled[name])
    norm = total
    if wrong("norm-after-clipping"):
        norm = (total * factor).clamp(max=max_norm)
    if wrong("factor-returned"):
        norm = factor
    if wrong("squared-norm-returned"):
        norm = total.square()
    dtype = next(iter(gradients.values())).dtype
    returned = {name: given_back(wrong, g, dtype) for name, g in scaled.items()}
    return list(returned.values()) if wrong("list-returned") else returned, norm


def _total(wrong: Wrong, wide: Tensors) -> Tensor:
    """The joint norm."""
    fewest = 2 if wrong("vectors-left-alone") or wrong("vectors-not-counted") else 0
    counted = [g for g in wide.values() if g.dim() >= fewest]
    if wrong("last-norm"):
        counted = counted[-1:]
    everything = torch.cat([g.flatten() for g in counted]) if counted else next(iter(wide.values())).new_zeros(1)
    own = torch.stack([g.square().sum().sqrt() for g in counted]) if counted else everything
    kinds = {
        "norms-added": own.sum(),
        "norms-not-squared": own.sum().sqrt(),
        "largest-norm": own.max(),
        "root-missing": everything.square().sum(),
        "sum-of-sizes": everything.abs().sum(),
        "largest-entry": everything.abs().max(),
        "mean-of-squares": everything.square().mean().sqrt(),
    }
    for name, found in kinds.items():
        if wrong(name):
            return found
    return everything.square().sum().sqrt()


def _factor(wrong: Wrong, total: Tensor, max_norm: float) -> Tensor:
    """What all gradients are multiplied by."""
    above = total.square() > max_norm if wrong("square-against-limit") else total > max_norm
    above = ~above if wrong("scaled-when-short") else above
    if wrong("never-scaled"):
        return torch.ones_like(total)
    if wrong("nan-at-zero") and float(total) == 0:
        return total / total
    if not wrong("always-scaled") and not bool(above):
        return torch.ones_like(total)
    factor = (1.0 if wrong("limit-not-in-factor") else max_norm) / total
    factor = total / max_norm if wrong("factor-inverted") else factor
    return factor.square() if wrong("factor-squared") else factor
