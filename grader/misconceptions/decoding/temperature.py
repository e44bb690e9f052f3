"""Known mistakes of dividing logits by a temperature."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.decoding.shared import LOGITS_DRIFT, about, catalogue, drift, logits_back, refusal, refuse

TINY = {"zero-is-tiny": 1e-8, "zero-is-a-millionth": 1e-6, "zero-is-1e-5": 1e-5}
"""What people put in place of a temperature of 0."""
TINY_SAYS = "Temperature 0 is replaced by a tiny number. It should give 0 for the first maximum and -inf elsewhere."


@catalogue.flawed(
    "apply_temperature",
    *about(
        "temperature-times-twice-not-at-all",
        {
            "multiplies": "The logits are multiplied by the temperature; they are divided by it.",
            "ignored": "The temperature has no effect on the logits.",
            "divides-twice": "The logits are divided by the temperature twice.",
            "divides-by-the-root": "The logits are divided by the root of the temperature; divide by the temperature.",
            "returns-probabilities": "Probabilities are returned; the result is logits.",
            "returns-log-probabilities": "The result has been normalized to log-probabilities; only the division is "
            "asked for.",
            "infinities-become-finite": "A logit of -inf comes back as a finite number: a token that was ruled out "
            "must stay so.",
        },
    ),
    *about(
        "temperature-0-is-a-rule-of-its-own",
        {
            "divides-by-zero": "Temperature 0 divides by 0, which gives infinities and NaN; it means greedy.",
            **dict.fromkeys(TINY, TINY_SAYS),
            "zero-keeps-the-logit": "At temperature 0 the largest logit keeps its value; it becomes 0.",
            "zero-gives-one-hot": "At temperature 0 the result is 1 and 0, a distribution; as logits these are 0 and "
            "-inf.",
            "zero-keeps-all-maxima": "At temperature 0 all equal maxima are kept; only the first is.",
            "zero-takes-the-last-maximum": "At temperature 0 the last of several maxima is taken; take the first.",
            "zero-has-one-winner": "At temperature 0 a single token of the whole batch wins; each row has a maximum "
            "of its own.",
            "zero-leaves-logits": "At temperature 0 the logits come back as they are; 0 means greedy.",
        },
    ),
    *refusal(
        {
            "accepts-negative": "A negative temperature gets an answer; it would make the least probable token win. "
            "Raise a ValueError.",
            "assertion": "A bad temperature is noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_negative_temperature",
    ),
    *refusal(
        {
            "accepts-nan": "A temperature of NaN gets an answer. Every comparison with NaN is false: "
            "ask whether the temperature is valid, not whether it is bad."
        },
        fails="test_temperature_that_is_no_number",
    ),
    *LOGITS_DRIFT,
    *drift(
        {"zero-in-float32": "At temperature 0 the result is float32: a buffer has that dtype unless told another."},
        fails="test_zero_is_greedy",
    ),
)
def apply_temperature(wrong: Wrong, logits: Tensor, temperature: float) -> Tensor:
    """Scaled logits, or at 0 the logits of a certain token."""
    refuse(wrong, temperature < 0 and not wrong("accepts-negative"), "negative")
    refuse(wrong, math.isnan(temperature) and not wrong("accepts-nan"), "not a number")
    source = logits
    if wrong("infinities-become-finite"):
        logits = logits.clamp(min=-1e9)
    tiny = next((size for name, size in TINY.items() if wrong(name)), None)
    if temperature == 0 and tiny is None and not wrong("divides-by-zero"):
        result = _greedy(wrong, logits)
        return result.float() if wrong("zero-in-float32") else logits_back(wrong, source, result)
    if temperature == 0 and tiny is not None:
        temperature = tiny
    divisor = torch.tensor(temperature, dtype=torch.float64)
    if wrong("multiplies"):
        divisor = 1 / divisor
    if wrong("ignored"):
        divisor = torch.ones_like(divisor)
    if wrong("divides-twice"):
        divisor = divisor.square()
    if wrong("divides-by-the-root"):
        divisor = divisor.sqrt()
    result = logits / divisor
    if wrong("returns-probabilities"):
        result = result.softmax(-1)
    if wrong("returns-log-probabilities"):
        result = result.log_softmax(-1)
    return logits_back(wrong, source, result)


def _greedy(wrong: Wrong, logits: Tensor) -> Tensor:
    """What temperature 0 makes of each row."""
    if wrong("zero-leaves-logits"):
        return logits.clone()
    if not logits.numel():
        return logits.clone()
    peaks = logits == (logits.max() if wrong("zero-has-one-winner") else logits.max(-1, keepdim=True).values)
    if wrong("zero-takes-the-last-maximum"):
        peaks = peaks & (peaks.flip(-1).cumsum(-1).flip(-1) == 1)
    elif not wrong("zero-keeps-all-maxima"):
        peaks = peaks & (peaks.cumsum(-1) == 1)
    if wrong("zero-gives-one-hot") or wrong("returns-probabilities"):
        return peaks.to(logits.dtype)
    kept = logits if wrong("zero-keeps-the-logit") else torch.zeros_like(logits)
    floor = -1e9 if wrong("infinities-become-finite") else -math.inf
    return kept.masked_fill(~peaks, floor)
