"""Known mistakes of shifting a row of tokens into inputs and targets."""

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.objective.shared import about, catalogue


@catalogue.flawed(
    "shift_targets",
    *about(
        "shift-inside-the-row",
        {
            "not-shifted": "Inputs and targets are the same tokens, so copying would do; the target is the next token.",
            "not-shifted-first-dropped": "Both parts lack the first token; the inputs lack the last one instead.",
            "shifted-twice": "The targets are two steps ahead; the target of a token is the very next one.",
            "backwards": "Inputs and targets have changed places, so each token predicts the one before it; the "
            "inputs come first.",
        },
    ),
    *about(
        "shift-inside-the-row",
        {
            "two-columns-lost": "The targets are two steps ahead, and two columns are gone; take the very next token.",
            "flattened-first": "Rows are joined before the shift: the end of one predicts the beginning of the next. "
            "Shift inside each row.",
            "last-target-only": "Only the last token of a row is a target; every token but the first is one.",
            "batch-axis-shifted": "You cut the batch axis; the tokens of a row lie along the last axis.",
            "inputs-keep-the-last": "The inputs keep their last token, which has no target; both parts are (B, T-1).",
            "rolled": "The rows are rolled, so the last token gets the first as its target. It has none: both parts "
            "are (B, T-1).",
            "padded": "The missing last target is filled up; leave the last position out: both parts are (B, T-1).",
            "stacked": "You return one tensor; a pair (inputs, targets) was asked for.",
        },
        fails="test_two_small_rows",
    ),
    Misconception(
        "single-token-accepted",
        "A row of one token gives two empty parts; there is no next token, so raise ValueError.",
        "shift-inside-the-row",
        fails="test_rows_without_a_next_token",
    ),
    Misconception(
        "floats-returned",
        "The tokens become floating-point numbers; ids stay integers.",
        "gradients-dtypes-and-arguments",
        fails="test_two_small_rows",
    ),
)
def shift_targets(wrong: Wrong, tokens: Tensor) -> tuple[Tensor, ...] | Tensor:
    """What the model reads and what it must predict."""
    rows, length = tokens.shape
    if length < 2 and not wrong("single-token-accepted"):
        raise ValueError("there is no next token")
    tokens = tokens.float() if wrong("floats-returned") else tokens
    if wrong("batch-axis-shifted"):
        return tokens.narrow(0, 0, max(rows - 1, 0)), tokens[1:]
    if wrong("flattened-first"):
        flat = tokens.reshape(-1)
        return flat[:-1], flat[1:]
    inputs, targets = tokens.narrow(1, 0, length - 1), tokens.narrow(1, 1, length - 1)
    if wrong("not-shifted"):
        targets = inputs
    if wrong("not-shifted-first-dropped"):
        inputs = targets
    if wrong("shifted-twice"):
        targets = tokens.roll(-2, dims=1).narrow(1, 0, length - 1)
    if wrong("two-columns-lost"):
        inputs, targets = tokens[:, :-2], tokens[:, 2:]
    if wrong("last-target-only"):
        targets = tokens.narrow(1, length - 1, 1)
    if wrong("inputs-keep-the-last"):
        inputs = tokens
    if wrong("rolled"):
        inputs, targets = tokens, tokens.roll(-1, dims=1)
    if wrong("padded"):
        inputs, targets = tokens, torch.cat([targets, torch.full_like(tokens.narrow(1, 0, 1), -100)], dim=1)
    if wrong("backwards"):
        inputs, targets = targets, inputs
    return torch.stack([inputs, targets]) if wrong("stacked") else (inputs, targets)
