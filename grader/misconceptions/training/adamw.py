"""Known mistakes of one step of AdamW: the two moments and their correction, eps, the decay, the state."""

import math
from typing import Any

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.training.shared import (
    FORM,
    about,
    catalogue,
    float32_results,
    float64_results,
    given_back,
    widened,
)

FIRST_TEST = "test_two_steps"
Tensors = dict[str, Tensor]

MOMENTS = (
    *about(
        "the-two-moments",
        {
            "betas-exchanged": "The betas have changed places; the first is that of the gradient's mean, the second "
            "that of the mean of squares.",
            "first-beta-for-both": "Both running means use the first beta; the mean of squares has the second.",
            "second-beta-for-both": "Both running means use the second beta; the mean of gradients has the first.",
            "betas-fixed": "The argument betas has no effect.",
            "betas-of-torch": "betas default to (0.9, 0.999), as in torch; here the default is (0.9, 0.95).",
            "gradient-not-weighted": "The gradient is added to the first moment in full; it enters with the weight 1 - "
            "beta1.",
            "square-not-weighted": "The square is added to the second moment in full; it enters with the weight 1 - "
            "beta2.",
            "moments-start-at-the-gradient": "The moments start at the first gradient and its square; they start at 0, "
            "which the bias correction makes up for.",
            "no-momentum": "The step follows the gradient itself; it follows the running mean of gradients.",
            "root-missing": "The step is divided by the mean of squares; it is divided by its root.",
            "absolute-values": "The step is divided by the mean of absolute values; it is divided by the root of the "
            "mean of squares.",
            "square-of-the-mean": "The second moment averages the square of the first moment; it averages the square "
            "of the gradient.",
            "looks-ahead": "The current gradient is mixed into the corrected mean once more (Nesterov); Adam takes "
            "the mean as it is.",
            "largest-second-moment": "The second moment never falls (AMSGrad); here it is the running mean itself.",
            "climbs": "The step goes up the gradient; it is subtracted.",
        },
    ),
)
"""What can go wrong with the direction and its size."""

CORRECTIONS = (
    *about(
        "bias-correction",
        {
            "no-correction": "The moments are not corrected for their start at 0; divide each by 1 minus its beta to "
            "the power of the step.",
            "first-moment-uncorrected": "The first moment is not corrected for its start at 0.",
            "second-moment-uncorrected": "The second moment is not corrected for its start at 0.",
            "correction-stays-at-step-1": "The correction is that of step 1 in every step; the exponent is the number "
            "of the step.",
            "product-for-power": "The correction is 1 minus the step times beta; it is 1 minus beta to the power of "
            "the step.",
            "counts-one-ahead": "The first step is counted as step 2; it is step 1.",
            "counts-every-tensor": "The step is counted up for every tensor; it goes up once a step, for all of them.",
            "correction-kept": "The corrected moments are stored and corrected again in the next step; store the "
            "uncorrected ones.",
        },
    ),
    *about(
        "bias-correction",
        {
            "counts-from-0": "The first step is counted as step 0, so that its correction divides by 0; it is step 1.",
        },
        alone=True,
    ),
)
"""What can go wrong with the correction for the start at 0."""

EPSILONS = about(
    "where-eps-goes",
    {
        "eps-inside-the-root": "eps is added under the root; it is added to the root.",
        "eps-before-the-correction": "eps is added to the uncorrected root; correct the second moment first, then take "
        "the root, then add eps.",
        "eps-fixed": "The argument eps has no effect.",
    },
) + about(
    "where-eps-goes",
    {"eps-missing": "eps is missing, so a gradient that was always 0 gives 0 / 0; it is added to the root."},
    alone=True,
)
"""What can go wrong with eps."""

DECAYS = about(
    "which-tensors-decay-and-by-how-much",
    {
        "decay-in-the-gradient": "The decay is added to the gradient, where the moments get hold of it; it is taken "
        "from the parameter, apart from them.",
        "everything-decays": "Vectors and single numbers decay as well; only tensors of two or more axes do.",
        "nothing-decays": "Nothing decays; tensors of two or more axes do.",
        "matrices-do-not-decay": "Only tensors of three or more axes decay; matrices, which have two, do as well.",
        "only-matrices-decay": "Only tensors of exactly two axes decay; those of three and more do as well.",
        "only-vectors-decay": "Tensors of one axis or none decay, and matrices do not; it is the other way round.",
        "vectors-decay-too": "Tensors of one axis decay as well; only those of two or more do.",
        "decay-without-rate": "The decay is not multiplied by the learning rate.",
        "decay-of-the-new-value": "The decay is taken from the value after the step; it is taken from the old one.",
        "decay-divided-too": "The decay is divided by the root as well; only the mean of gradients is.",
        "grows": "The parameter grows by the decay; it is subtracted.",
        "decay-fixed": "The argument weight_decay has no effect.",
        "decay-of-torch": "weight_decay defaults to 0.01, as in torch; here the default is 0.1.",
    },
)
"""What can go wrong with the decay."""

ONE_BUFFER = (
    "Both moments start as one and the same tensor (m = v = zeros), so what is done in place to one is done to the "
    "other; make two tensors."
)
STATES = (
    *about(
        "the-state",
        {
            "state-dropped": "Every step starts with empty moments; the new state must carry them to the next step.",
            "moments-shared-by-shape": "Tensors of one shape share their moments; each has its own, by its name.",
            "matched-by-order": "Parameters and gradients are matched by their order; match them by name.",
            "one-buffer-for-both": ONE_BUFFER,
            "one-buffer-at-first": ONE_BUFFER,
        },
    ),
    *about(
        "the-state",
        {
            "state-changed": "Your function writes into the state it was given, so the same step cannot be taken "
            "again; build a new one.",
            "moments-changed": "The moments of the old state are updated in place (mul_, add_), so the same step "
            "cannot be taken again; make new tensors.",
        },
        fails="test_old_state_gives_the_same_step",
    ),
)
"""What can go wrong with what is remembered."""


@catalogue.flawed(
    "adamw_step",
    *CORRECTIONS[:1],
    float64_results("parameters", "test_dtype"),
    *DECAYS,
    *CORRECTIONS[1:],
    *EPSILONS,
    *MOMENTS,
    *STATES,
    *float32_results("parameters", "test_dtype", FIRST_TEST),
    *about(
        FORM,
        {
            "changes-parameters": "The parameters are updated in place; return new tensors and leave the old ones.",
            "changes-gradients": "The gradients are changed in place; work on new tensors.",
        },
        fails="test_leaves_arguments_alone",
    ),
)
def adamw_step(
    wrong: Wrong,
    parameters: Tensors,
    gradients: Tensors,
    state: dict[str, Any],
    lr: float,
    betas: tuple[float, float] | None = None,
    eps: float = 1e-8,
    weight_decay: float | None = None,
) -> tuple[Tensors, dict[str, Any]]:
    """One step with switches. The state: the number of the step, and for each tensor its two moments."""
    return _Step(wrong, lr, betas, eps, weight_decay).take(parameters, gradients, state)


class _Step:
    """The options of one step, bent by the switches."""

    def __init__(
        self, wrong: Wrong, lr: float, betas: tuple[float, float] | None, eps: float, weight_decay: float | None
    ) -> None:
        self.wrong = wrong
        self.lr = lr
        default = (0.9, 0.999 if wrong("betas-of-torch") else 0.95)
        one, two = default if betas is None or wrong("betas-fixed") else betas
        one, two = (two, one) if wrong("betas-exchanged") else (one, two)
        self.one = two if wrong("second-beta-for-both") else one
        self.two = one if wrong("first-beta-for-both") else two
        self.eps = 0.0 if wrong("eps-missing") else 1e-8 if wrong("eps-fixed") else eps
        decay = 0.01 if wrong("decay-of-torch") else 0.1
        self.decay = decay if weight_decay is None or wrong("decay-fixed") else weight_decay
        self.count = 0

    def take(self, parameters: Tensors, gradients: Tensors, state: dict[str, Any]) -> tuple[Tensors, dict[str, Any]]:
        """New parameters and the new state."""
        wrong = self.wrong
        self.count = state.get("step", 0) + 1
        moments: dict[Any, tuple[Tensor, ...]] = dict(state.get("moments", {}))
        new: Tensors = {}
        for place, (name, parameter) in enumerate(parameters.items()):
            gradient = list(gradients.values())[place] if wrong("matched-by-order") else gradients[name]
            key = tuple(parameter.shape) if wrong("moments-shared-by-shape") else name
            p, g = widened(wrong, parameter), widened(wrong, gradient)
            if wrong("decay-in-the-gradient"):
                g = g + self.decay_of(p) * p
            before = moments.get(key) or tuple(torch.zeros_like(p) for _ in range(3))
            moments[key] = self.moved(before, g)
            if wrong("moments-changed"):
                for kept, fresh in zip(before, moments[key], strict=True):
                    kept.copy_(fresh)
            count = self.count + place if wrong("counts-every-tensor") else self.count
            new[name] = given_back(wrong, self.stepped(p, g, moments, key, count), parameter.dtype)
            if wrong("changes-gradients"):
                gradient.mul_(0.5)
        if wrong("changes-parameters"):
            for name, parameter in parameters.items():
                parameter.copy_(new[name])
        last = self.count + len(parameters) - 1 if wrong("counts-every-tensor") else self.count
        fresh_state = {} if wrong("state-dropped") else {"step": last, "moments": moments}
        if wrong("state-changed"):
            state.update(fresh_state)
            return new, state
        return new, fresh_state

    def decay_of(self, p: Tensor) -> float:
        """The decay of a tensor with so many axes."""
        wrong, axes = self.wrong, p.dim()
        decays = axes >= 2
        if wrong("everything-decays"):
            decays = True
        if wrong("nothing-decays"):
            decays = False
        if wrong("matrices-do-not-decay"):
            decays = axes > 2
        if wrong("only-matrices-decay"):
            decays = axes == 2
        if wrong("only-vectors-decay"):
            decays = axes < 2
        if wrong("vectors-decay-too"):
            decays = axes >= 1
        return self.decay if decays else 0.0

    def moved(self, before: tuple[Tensor, ...], g: Tensor) -> tuple[Tensor, ...]:
        """Both moments after this gradient, and the largest second moment so far."""
        wrong = self.wrong
        mean, square, largest = before
        if wrong("one-buffer-for-both") or (wrong("one-buffer-at-first") and self.count == 1):
            both = self.two * (self.one * mean + (1 - self.one) * g) + (1 - self.two) * g.square()
            both = mean.copy_(both) if wrong("one-buffer-for-both") else both
            return both, both, both
        weight = 1.0 if wrong("gradient-not-weighted") else 1 - self.one
        mean = self.one * mean + weight * g
        weight = 1.0 if wrong("square-not-weighted") else 1 - self.two
        seen = g.abs() if wrong("absolute-values") else (mean if wrong("square-of-the-mean") else g).square()
        square = self.two * square + weight * seen
        if wrong("moments-start-at-the-gradient") and self.count == 1:
            mean, square = g, seen
        return mean, square, torch.maximum(largest, square)

    def stepped(self, p: Tensor, g: Tensor, moments: dict[Any, tuple[Tensor, ...]], key: Any, count: int) -> Tensor:
        """The parameter after the step."""
        wrong = self.wrong
        mean, square, largest = moments[key]
        square = largest if wrong("largest-second-moment") else square
        one, two = self.corrections(count)
        if wrong("correction-kept"):
            moments[key] = mean / one, square / two, largest
        direction = mean / one
        if wrong("looks-ahead"):
            direction = self.one * direction + (1 - self.one) * g / one
        if wrong("no-momentum"):
            direction = g
        size = self.sized(square, two)
        decay = self.decay_of(p) * (1.0 if wrong("decay-without-rate") else self.lr)
        decay = 0.0 if wrong("decay-in-the-gradient") else -decay if wrong("grows") else decay
        if wrong("decay-divided-too"):
            return p - self.lr * direction / size - decay * p / size
        moved = self.lr * direction / size
        moved = -moved if wrong("climbs") else moved
        if wrong("decay-of-the-new-value"):
            return (p - moved) * (1 - decay)
        return p - decay * p - moved

    def corrections(self, count: int) -> tuple[float, float]:
        """What the moments are divided by."""
        wrong = self.wrong
        count = 1 if wrong("correction-stays-at-step-1") else count
        count = count + 1 if wrong("counts-one-ahead") else count - 1 if wrong("counts-from-0") else count
        if wrong("product-for-power"):
            return 1 - self.one * count, 1 - self.two * count
        none = wrong("no-correction")
        one = 1.0 if none or wrong("first-moment-uncorrected") else 1 - self.one**count
        two = 1.0 if none or wrong("second-moment-uncorrected") else 1 - self.two**count
        return one, two

    def sized(self, square: Tensor, correction: float) -> Tensor:
        """What the direction is divided by."""
        wrong = self.wrong
        corrected = square / correction
        if wrong("root-missing") or wrong("absolute-values"):
            return corrected + self.eps
        if wrong("eps-inside-the-root"):
            return (corrected + self.eps).sqrt()
        if wrong("eps-before-the-correction"):
            return (square.sqrt() + self.eps) / math.sqrt(correction)
        return corrected.sqrt() + self.eps
