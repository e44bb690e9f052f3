"""Known mistakes of the learning rate: warm-up, the way down, the end."""

import math

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.training.shared import about, catalogue

ENDLESS = ("swings-back", "progress-over-total-and-on", "min-never-reached")
"""Mistakes after which nothing is special about the end."""
ENDING_LATE = (
    "zero-at-the-end",
    "progress-over-total-with-a-jump",
    "total-one-too-long",
    "rises",
    "pi-missing",
    "degrees",
)
"""Mistakes that show at total_steps itself, where the formula still counts."""


@catalogue.flawed(
    "cosine_lr",
    *about(
        "warm-up",
        {
            "first-step-learns-nothing": "Warm-up starts at a rate of 0, so the first step is wasted; use step + 1 "
            "over warmup_steps.",
            "warm-up-too-slow": "Warm-up is divided by warmup_steps + 1 and so ends below max_lr; its last step has "
            "max_lr.",
            "warm-up-from-min": "Warm-up starts from min_lr; it is a part of max_lr, (step + 1) / warmup_steps of it.",
            "warm-up-from-min-at-step-0": "Warm-up starts at min_lr in step 0; it is a part of max_lr, (step + 1) / "
            "warmup_steps of it.",
            "warm-up-a-step-longer": "Step warmup_steps still counts as warm-up and gets more than max_lr; the cosine "
            "starts there.",
            "no-warm-up": "There is no warm-up; the first warmup_steps steps rise in a straight line.",
            "warm-up-without-steps-added": "Warm-up stays at max_lr / warmup_steps; the rate rises with every step.",
            "warm-up-times-cosine": "The rate of the warm-up is multiplied by the cosine as well; during warm-up the "
            "line alone counts.",
        },
    ),
    *about(
        "the-way-down",
        {
            "progress-from-step-0": "Progress is step / total_steps, so the rate jumps at the end of warm-up; subtract "
            "the warm-up from both.",
            "progress-over-total": "Progress is divided by total_steps, so it does not reach 1; divide by the steps "
            "after warm-up.",
            "progress-over-total-and-on": "Progress is divided by total_steps, so the rate is still falling at the "
            "end; divide by the steps after warm-up.",
            "progress-over-total-with-a-jump": "Progress is divided by total_steps, so the rate jumps to min_lr after "
            "the end; divide by the steps after warm-up.",
            "progress-counts-from-one": "Progress is one step ahead; at step warmup_steps it is 0.",
            "total-one-too-long": "The cosine ends one step late; progress is 1 at total_steps.",
            "total-one-too-short": "The cosine ends one step early; progress is 1 at total_steps.",
            "straight-line": "The rate falls in a straight line; it follows half a cosine.",
            "quarter-cosine": "You follow a quarter of a cosine; it is (1 + cos(pi p)) / 2.",
            "pi-missing": "The factor pi is missing in the cosine, which so hardly begins.",
            "degrees": "The angle is in degrees; cos takes radians, pi for half a turn.",
            "half-missing": "1 + cos is not halved, so that the rate starts near twice max_lr.",
            "rises": "The rate rises from min_lr to max_lr; the sign of the cosine is the other way round.",
            "decays-by-powers": "The rate falls by a constant factor a step; it follows half a cosine.",
        },
    ),
    *about(
        "the-floor",
        {
            "floor-by-maximum": "The cosine goes down to 0 and is cut off at min_lr; min_lr is where it ends: it goes "
            "from max_lr to min_lr.",
            "min-ignored": "min_lr has no say before the end: the cosine goes down to 0; it goes from max_lr to "
            "min_lr.",
            "zero-at-the-end": "The cosine goes down to 0 and min_lr only counts after total_steps; it goes from "
            "max_lr to min_lr.",
            "min-never-reached": "min_lr has no say: the rate goes down to 0 and stays there; it goes from max_lr to "
            "min_lr.",
            "min-added": "min_lr is added to a cosine that starts at max_lr; multiply the difference of the two.",
            "zero-from-the-end-on": "From total_steps on the rate is 0; it is min_lr and stays there.",
            "swings-back": "After total_steps the cosine comes up again; the rate stays at min_lr.",
            "zero-after-the-end": "After total_steps the rate is 0; it stays at min_lr.",
            "largest-after-the-end": "After total_steps the rate is max_lr again; it stays at min_lr.",
        },
    ),
    Misconception(
        "whole-numbers",
        "Progress is a whole number (// or int), so the rate moves in one jump; divide with /.",
        "the-way-down",
    ),
    Misconception(
        "whole-numbers-in-warm-up",
        "The part of the warm-up is a whole number (// or int), so the rate is 0 until its last step; divide with /.",
        "warm-up",
    ),
)
def cosine_lr(wrong: Wrong, step: int, max_lr: float, min_lr: float, warmup_steps: int, total_steps: int) -> float:
    """The schedule with switches."""
    longest = warmup_steps + 1 if wrong("warm-up-a-step-longer") else warmup_steps
    if step < longest and warmup_steps > 0 and not wrong("no-warm-up"):
        rate = _warming(wrong, step, max_lr, min_lr, warmup_steps)
        return rate * _cosine(wrong, step / total_steps) if wrong("warm-up-times-cosine") else rate
    if step > total_steps and wrong("zero-after-the-end"):
        return 0.0
    if step >= total_steps and wrong("zero-from-the-end-on"):
        return 0.0
    if step > total_steps and wrong("largest-after-the-end"):
        return max_lr
    ends = None if any(map(wrong, ENDLESS)) else total_steps + any(map(wrong, ENDING_LATE))
    if ends is not None and step >= ends:
        return min_lr
    return _on_the_way_down(wrong, _progress(wrong, step, warmup_steps, total_steps), max_lr, min_lr)


def _warming(wrong: Wrong, step: int, max_lr: float, min_lr: float, warmup_steps: int) -> float:
    """The rate of a step of the warm-up."""
    if wrong("first-step-learns-nothing"):
        return max_lr * step / warmup_steps
    if wrong("whole-numbers-in-warm-up"):
        return max_lr * ((step + 1) // warmup_steps)
    if wrong("warm-up-too-slow"):
        return max_lr * (step + 1) / (warmup_steps + 1)
    if wrong("warm-up-from-min-at-step-0"):
        return min_lr + (max_lr - min_lr) * step / warmup_steps
    if wrong("warm-up-from-min"):
        return min_lr + (max_lr - min_lr) * (step + 1) / warmup_steps
    return max_lr * (1 if wrong("warm-up-without-steps-added") else step + 1) / warmup_steps


def _progress(wrong: Wrong, step: int, warmup_steps: int, total_steps: int) -> float:
    """How far the way down has been gone."""
    done, whole = step - warmup_steps, total_steps - warmup_steps
    if wrong("no-warm-up") or wrong("progress-from-step-0"):
        done, whole = step, total_steps
    if any(map(wrong, ("progress-over-total", "progress-over-total-and-on", "progress-over-total-with-a-jump"))):
        whole = total_steps
    done = done + 1 if wrong("progress-counts-from-one") else done
    whole = whole + 1 if wrong("total-one-too-long") else whole
    whole = max(whole - 1, 1) if wrong("total-one-too-short") else whole
    progress = float(done // whole) if wrong("whole-numbers") else done / whole
    return progress if wrong("swings-back") else min(progress, 1.0)


def _cosine(wrong: Wrong, progress: float) -> float:
    """What goes from 1 to 0 as progress goes from 0 to 1."""
    if wrong("straight-line"):
        return 1 - progress
    if wrong("quarter-cosine"):
        return math.cos(math.pi / 2 * progress)
    angle = progress * (1.0 if wrong("pi-missing") else 180.0 if wrong("degrees") else math.pi)
    swing = -math.cos(angle) if wrong("rises") else math.cos(angle)
    return (1 + swing) * (1.0 if wrong("half-missing") else 0.5)


def _on_the_way_down(wrong: Wrong, progress: float, max_lr: float, min_lr: float) -> float:
    """The rate for a progress of 0 to 1."""
    if wrong("decays-by-powers"):
        return max_lr * math.pow(min_lr / max_lr, progress)
    part = _cosine(wrong, progress)
    if wrong("floor-by-maximum"):
        return max(min_lr, max_lr * part)
    if any(map(wrong, ("min-ignored", "zero-at-the-end", "min-never-reached"))):
        return max_lr * part
    return min_lr + (max_lr if wrong("min-added") else max_lr - min_lr) * part
