"""Known mistakes of penalising tokens that were seen before."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.decoding.shared import LOGITS_DRIFT, about, catalogue, logits_back, refusal, refuse


@catalogue.flawed(
    "repetition_penalty",
    *about(
        "both-signs-of-a-logit",
        {
            "always-divides": "Negative logits are divided too, which makes seen tokens likelier; they are multiplied.",
            "always-multiplies": "Positive logits are multiplied too, which makes seen tokens likelier; they are "
            "divided.",
            "signs-swapped": "Positive logits are multiplied and negative ones divided; it is the other way round.",
            "subtracts": "The penalty is subtracted; logits are divided or multiplied by it.",
            "positive-only": "Negative logits of seen tokens stay as they are; they are multiplied.",
            "on-log-probabilities": "The logits are turned into log-probabilities first; the penalty applies to the "
            "logits as they are.",
            "ruled-out": "Seen tokens are ruled out; they are only made less likely.",
            "penalty-ignored": "The penalty has no effect.",
        },
    ),
    *about(
        "whose-tokens-and-how-often",
        {
            "once-for-each-time": "A token is penalised as often as it was seen; once is right.",
            "all-tokens": "Every token is penalised, seen or not.",
            "unseen-tokens": "The tokens that were not seen are penalised; the seen ones should be.",
            "tokens-of-all-rows": "Each row is penalised for the tokens of all rows; each has its own.",
            "tokens-of-first-row": "Every row is penalised for the tokens of the first one; each has its own.",
            "newest-token-only": "Only the newest token is penalised; all seen tokens are.",
            "oldest-token-only": "Only the first token of each row is penalised; all seen tokens are.",
            "repeated-tokens-only": "Only tokens that were seen twice or more are penalised; once is enough.",
        },
    ),
    *about(
        "both-signs-of-a-logit",
        {
            "blended-by-zeros-and-ones": "Old and new logits are blended by multiplying with 0 and 1, and 0 times -inf "
            "is NaN; choose between them with `where`.",
        },
        fails="test_minus_infinity_and_zero",
    ),
    *refusal(
        {
            "no-check": "A penalty of 0 or below gets an answer; it would turn the logits around. Raise a ValueError.",
            "zero-accepted": "A penalty of 0 gets an answer, infinities; raise a ValueError.",
            "assertion": "A bad penalty is noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_not_above_zero",
    ),
    *LOGITS_DRIFT,
)
def repetition_penalty(wrong: Wrong, logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """Seen logits scaled away from probable, by their sign."""
    unchecked = wrong("no-check") or (penalty == 0 and wrong("zero-accepted"))
    refuse(wrong, penalty <= 0 and not unchecked, "penalty must be positive")
    source = logits
    if wrong("on-log-probabilities"):
        logits = logits.log_softmax(-1)
    times = _times_seen(wrong, logits, tokens).double()
    factor = torch.tensor(1.0 if wrong("penalty-ignored") else penalty, dtype=torch.float64) ** times
    wide = logits.double()
    divide = logits > 0
    if wrong("signs-swapped"):
        divide = ~divide
    if wrong("always-divides"):
        divide = torch.ones_like(divide)
    if wrong("always-multiplies"):
        divide = torch.zeros_like(divide)
    if wrong("positive-only"):
        factor = torch.where(divide, factor, 1.0)
    result = torch.where(divide, wide / factor, wide * factor)
    if wrong("blended-by-zeros-and-ones"):
        seen = (times > 0).double()
        result = seen * torch.where(divide, wide / penalty, wide * penalty) + (1 - seen) * wide
    if wrong("subtracts"):
        result = wide - penalty * times
    if wrong("ruled-out"):
        result = wide.masked_fill(times > 0, -torch.inf)
    return logits_back(wrong, source, result)


def _times_seen(wrong: Wrong, logits: Tensor, tokens: Tensor) -> Tensor:
    """How often each token counts, as the exponent of the penalty."""
    if wrong("all-tokens"):
        return torch.ones_like(logits, dtype=torch.int64)
    if wrong("newest-token-only"):
        tokens = tokens[..., -1:]
    if wrong("oldest-token-only"):
        tokens = tokens[..., :1]
    counts = torch.zeros(logits.shape, dtype=torch.int64).scatter_add(-1, tokens, torch.ones_like(tokens))
    if wrong("tokens-of-all-rows"):
        counts = counts.reshape(-1, counts.shape[-1]).sum(0).expand(counts.shape)
    if wrong("tokens-of-first-row") and counts.numel():
        counts = counts.reshape(-1, counts.shape[-1])[0].expand(counts.shape)
    if wrong("unseen-tokens"):
        return (counts == 0).long()
    if wrong("repeated-tokens-only"):
        return (counts > 1).long()
    return counts if wrong("once-for-each-time") else (counts > 0).long()
