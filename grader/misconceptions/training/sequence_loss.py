"""Known mistakes of the loss of sequences: which token is whose target, and what is averaged."""

import math

from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.training.shared import (
    FORM,
    about,
    catalogue,
    cut_off,
    float32_results,
    float64_results,
    given_back,
    widened,
)

FIRST_TEST = "test_two_short_rows"
EPSILONS = {f"epsilon-{text}": float(text) for text in ("1e-6", "1e-8", "1e-9", "1e-10", "1e-12")}
"""The constants that people add inside the logarithm, by the name of the mistake."""

SHIFTS = (
    *about(
        "the-shift",
        {
            "not-shifted": "Each position is scored against its own token, which it has read; its target is the next "
            "token of the row.",
            "not-shifted-last-dropped": "The last position is left out, but the others are still scored against the "
            "token they read; the targets are the tokens without the first one.",
            "not-shifted-first-dropped": "Logits and tokens both lose their first position, so each token is scored "
            "where it was read; the logits lose the last position instead.",
            "shifted-twice": "The target is the token two steps ahead; take the very next one.",
            "backwards": "The logits lose their first position and the tokens their last one, so each position is "
            "scored against the token before it; it is the other way round.",
            "flattened-first": "Rows are joined before the shift, so the end of one row predicts the beginning of the "
            "next. Shift inside each row.",
            "last-target-only": "Only the last token of each row is a target; every token but the first is one.",
            "rolled": "The tokens are rolled, so the last position is scored against the first token of its row; it "
            "has no target.",
        },
    ),
    *about(
        "the-shift",
        {
            "batch-axis-shifted": "You cut the batch axis; the tokens of a row lie along axis 1.",
            "viewed-not-transposed": "The logits are viewed as (B, V, T-1), which mixes tokens: view and reshape keep "
            "the order in memory and move no axis.",
            "transposed-then-flattened": "The vocabulary is moved off the last axis before the rows are flattened, so "
            "each row of V numbers mixes positions; flatten (B, T-1, V) as it is.",
            "softmax-over-positions": "The probabilities sum to 1 over the positions; they must sum to 1 over the "
            "vocabulary.",
        },
        alone=True,
    ),
)
"""What can go wrong between logits and targets."""

AVERAGES = (
    *about(
        "what-is-averaged",
        {
            "divided-by-all-positions": "The sum is divided by B times T; there are B(T-1) targets, since the last "
            "position has none.",
            "divided-by-rows": "The losses of a row are added up and only the rows are averaged; divide by the number "
            "of targets.",
            "sum-not-mean": "The losses are added up; the mean over all targets was asked for.",
            "padding-left-out": "Targets with id 0 are left out as if they were padding; all tokens count.",
            "last-id-left-out": "Targets with the last id of the vocabulary are left out; all tokens count.",
            "bits-not-nats": "The logarithm has base 2, so the loss is in bits; nats were asked for.",
            "minus-missing": "The minus sign is missing: the loss is -log p and never below 0.",
        },
    ),
    *about(
        "what-is-averaged",
        {
            "perplexity-returned": "You return e to the power of the loss; the loss itself is what is minimised.",
            "divided-by-vocabulary": "The mean runs over the vocabulary too, so the loss is V times too small; it runs "
            "over targets only.",
            "softmax-twice": "Softmax is applied twice, so the loss hardly leaves ln V; logits go in raw.",
            "logarithm-of-the-mean": "The probabilities are averaged before the logarithm; average the losses.",
            "logits-as-probabilities": "The target's logit is taken for its log-probability; the softmax is missing.",
        },
        alone=True,
    ),
    *about(
        "what-is-averaged",
        {
            "not-averaged": "You return the loss of every target; one number, their mean, was asked for.",
            "row-means": "You return one mean for each row; one number for the whole batch was asked for.",
        },
        fails=FIRST_TEST,
    ),
)
"""What can go wrong with the losses of single targets."""

REFUSALS = (
    *about(
        "rows-without-a-target",
        {
            "nothing-to-score-gives-nan": "Without a target (rows of one token, or no rows) you return NaN; there is "
            "no mean: raise ValueError.",
            "nothing-to-score-gives-0": "Without a target (rows of one token, or no rows) you return 0, a perfect "
            "score; raise ValueError.",
        },
        fails="test_no_next_token",
    ),
    *about(
        "rows-without-a-target",
        {
            "empty-batch-gives-nan": "An empty batch has no targets and gives NaN; raise ValueError as for rows that "
            "are too short.",
        },
        fails="test_empty_batch",
    ),
)
"""What can go wrong where there is nothing to score."""


@catalogue.flawed(
    "sequence_loss",
    *SHIFTS,
    *AVERAGES,
    *REFUSALS,
    *about(
        "what-is-averaged",
        {
            name: f"{name.removeprefix('epsilon-')} is added inside the logarithm, which caps the loss; use your "
            "cross_entropy, which never forms the probability."
            for name in EPSILONS
        },
        alone=True,
    ),
    Misconception(
        "no-peak-removed",
        "Exponentials of raw logits overflow; your cross_entropy from the lesson on the objective subtracts each row's "
        "largest logit first.",
        "what-is-averaged",
    ),
    *float32_results("logits", "test_dtype", FIRST_TEST),
    float64_results("logits", "test_dtype"),
    cut_off("test_gradients"),
    Misconception(
        "changes-tokens",
        "Your function writes into the tokens, which belong to the caller; take a slice instead of marking the first.",
        FORM,
        fails="test_leaves_arguments_alone",
    ),
)
def sequence_loss(wrong: Wrong, logits: Tensor, tokens: Tensor) -> Tensor:
    """The mean of -log p(next token), with switches."""
    if tokens.shape[0] == 0 or tokens.shape[1] < 2:
        if wrong("nothing-to-score-gives-nan") or (wrong("empty-batch-gives-nan") and tokens.shape[0] == 0):
            return logits.new_tensor(math.nan)
        if wrong("nothing-to-score-gives-0"):
            return logits.new_tensor(0.0)
        raise ValueError("there is no target")
    scores, targets = _paired(wrong, widened(wrong, logits), tokens)
    losses = _losses(wrong, scores, targets)
    if wrong("changes-tokens"):
        tokens[:, 0] = -100
    loss = given_back(wrong, _averaged(wrong, losses, targets, logits), logits.dtype)
    return loss.detach() if wrong("no-gradient") else loss


def _paired(wrong: Wrong, x: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Rows of logits `(..., V)` with the target `(...)` of each."""
    batch, seq, vocab = x.shape
    if wrong("not-shifted"):
        return x, tokens
    if wrong("not-shifted-last-dropped"):
        return x.narrow(1, 0, seq - 1), tokens.narrow(1, 0, seq - 1)
    if wrong("not-shifted-first-dropped"):
        return x.narrow(1, 1, seq - 1), tokens.narrow(1, 1, seq - 1)
    if wrong("shifted-twice"):
        return x[:, :-2], tokens[:, 2:]
    if wrong("backwards"):
        return x.narrow(1, 1, seq - 1), tokens.narrow(1, 0, seq - 1)
    if wrong("flattened-first"):
        return x.reshape(batch * seq, vocab)[:-1], tokens.reshape(-1)[1:]
    if wrong("last-target-only"):
        return x[:, -2], tokens[:, -1]
    if wrong("rolled"):
        return x, tokens.roll(-1, dims=1)
    if wrong("batch-axis-shifted"):
        return x[:-1], tokens[1:]
    x, targets = x.narrow(1, 0, seq - 1), tokens.narrow(1, 1, seq - 1)
    if wrong("viewed-not-transposed"):
        x = x.reshape(batch, vocab, seq - 1).transpose(1, 2)
    if wrong("transposed-then-flattened"):
        x = x.transpose(1, 2).reshape(batch, seq - 1, vocab)
    return x, targets


def _losses(wrong: Wrong, x: Tensor, targets: Tensor) -> Tensor:
    """The loss of each target, `(...)`."""
    if wrong("logits-as-probabilities"):
        log_p = x
    elif wrong("softmax-over-positions"):
        log_p = x.log_softmax(1)
    elif wrong("no-peak-removed"):
        log_p = x - x.exp().sum(-1, keepdim=True).log()
    elif epsilon := next((EPSILONS[name] for name in EPSILONS if wrong(name)), None):
        log_p = (x.softmax(-1) + epsilon).log()
    else:
        log_p = (x.softmax(-1) if wrong("softmax-twice") else x).log_softmax(-1)
    losses = -log_p.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    losses = losses / math.log(2) if wrong("bits-not-nats") else losses
    return -losses if wrong("minus-missing") else losses


def _averaged(wrong: Wrong, losses: Tensor, targets: Tensor, logits: Tensor) -> Tensor:
    """One number for all targets."""
    batch, seq, vocab = logits.shape
    if wrong("not-averaged"):
        return losses
    if wrong("row-means"):
        return losses.mean(-1)
    for name, left_out in (("padding-left-out", 0), ("last-id-left-out", vocab - 1)):
        if wrong(name):
            losses = losses[targets != left_out]
    if wrong("logarithm-of-the-mean"):
        return -losses.neg().exp().mean().log()
    if wrong("sum-not-mean"):
        return losses.sum()
    for name, divisor in (("divided-by-all-positions", batch * seq), ("divided-by-rows", batch)):
        if wrong(name):
            return losses.sum() / divisor
    loss = losses.mean() / (vocab if wrong("divided-by-vocabulary") else 1)
    return loss.exp() if wrong("perplexity-returned") else loss
