"""Known mistakes of looking tokens up in a table and of comparing states with it."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.objective.shared import about, catalogue, cut_off


@catalogue.flawed(
    "embed",
    *about(
        "a-lookup-nothing-more",
        {
            "scaled-by-sqrt-d": "Rows are multiplied by the root of D, as in the 2017 encoder-decoder; here they are "
            "copied.",
            "divided-by-sqrt-d": "Rows are divided by the root of D; here they are copied as they are.",
            "ids-count-from-one": "You take the row before the right one: ids count from 0, and token 0 owns the "
            "first row.",
            "position-instead-of-id": "The row is chosen by the token's position; choose it by the token's id.",
            "token-0-is-padding": "Token 0 comes out as zeros, as if it were padding; here it is a token like any "
            "other.",
            "rows-of-unit-length": "The rows are brought to length 1; a lookup copies them as they are.",
        },
    ),
    *about(
        "ids-are-checked-never-bent",
        {
            "unchecked-ids": "Ids are not checked: a negative one picks a row from the end, one of V or more raises "
            "an IndexError. Both must raise ValueError.",
            "clamped-ids": "Ids outside the vocabulary are clamped to its first or last id; raise ValueError instead.",
            "wrapped-ids": "Ids outside the vocabulary are taken modulo V; raise ValueError instead.",
        },
        fails="test_id_too_large",
    ),
    *about(
        "ids-are-checked-never-bent",
        {
            "negative-ids-from-the-end": "A negative id picks a row from the end, as Python indexing does; raise "
            "ValueError for it too.",
        },
        fails="test_negative_id",
    ),
    Misconception(
        "always-float32",
        "The result is float32 whatever the table is; give back the dtype of the table.",
        "gradients-dtypes-and-arguments",
        fails="test_rows_of_a_small_table",
    ),
    Misconception(
        "leading-axes-lost",
        "The tokens are flattened and their axes do not come back; the result has the axes of the tokens, then D.",
        "gradients-dtypes-and-arguments",
        fails="test_a_batch_of_texts",
    ),
    cut_off("rows are", "test_gradient_of_repeated_ids"),
)
def embed(wrong: Wrong, tokens: Tensor, table: Tensor) -> Tensor:
    """One row of the table for each token."""
    vocabulary, width = table.shape
    ids = tokens
    if wrong("clamped-ids"):
        ids = ids.clamp(0, vocabulary - 1)
    if wrong("wrapped-ids"):
        ids = ids % vocabulary
    too_small = bool((ids < 0).any()) and not wrong("negative-ids-from-the-end")
    if (too_small or bool((ids >= vocabulary).any())) and not wrong("unchecked-ids"):
        raise ValueError("a token lies outside the vocabulary")
    if wrong("ids-count-from-one"):
        ids = ids - 1
    if wrong("position-instead-of-id"):
        positions = torch.arange(ids.shape[-1] if ids.dim() else 1)
        ids = positions.expand(ids.shape) if ids.dim() else positions[0]
    rows = table[ids]
    if wrong("token-0-is-padding"):
        rows = rows.masked_fill((tokens == 0).unsqueeze(-1), 0.0)
    if wrong("scaled-by-sqrt-d"):
        rows = rows * math.sqrt(width)
    if wrong("divided-by-sqrt-d"):
        rows = rows / math.sqrt(width)
    if wrong("rows-of-unit-length"):
        rows = rows / rows.norm(dim=-1, keepdim=True)
    if wrong("leading-axes-lost"):
        rows = rows.reshape(-1, width)
    rows = rows.float() if wrong("always-float32") else rows
    return rows.detach() if wrong("no-gradient") else rows


@catalogue.flawed(
    "unembed",
    *about(
        "transpose-the-table",
        {
            "not-transposed": "The states meet the table itself; multiply by its transpose, so that D is summed and V "
            "remains. It runs only where V happens to equal D.",
        },
    ),
    Misconception(
        "vocabulary-first",
        "The vocabulary comes out in front of the last leading axis; it belongs on the last axis, behind all others.",
        "transpose-the-table",
        fails="test_small_table",
    ),
    Misconception(
        "last-position-only",
        "Only the last position is scored, as in generation; every position gets its row of logits.",
        "transpose-the-table",
        fails="test_small_table",
    ),
    *about(
        "logits-are-raw-scores",
        {
            "divided-by-sqrt-d": "Logits are divided by the root of D, which belongs to attention; a logit is the "
            "plain dot product.",
            "scaled-by-sqrt-d": "Logits are multiplied by the root of D, a factor that some models put on their "
            "embeddings; a logit is the plain dot product.",
            "probabilities": "You return probabilities; logits are raw, and softmax is a function of its own.",
            "log-probabilities": "You return log-probabilities; logits are raw, and the loss takes the logarithm "
            "itself.",
            "peak-removed": "The largest logit is subtracted; that is a step of softmax, and logits stay as they are.",
            "mean-removed": "The mean of the logits is subtracted; logits stay as they are.",
            "rows-of-unit-length": "The table's rows are brought to length 1; the dot product takes them as they are.",
            "cosines": "States and rows are brought to length 1, which makes cosines; a logit is the dot product.",
        },
    ),
    Misconception(
        "always-float32",
        "The result is float32 whatever comes in; give back the dtype of the states.",
        "gradients-dtypes-and-arguments",
        fails="test_small_table",
    ),
    Misconception(
        "table-frozen",
        "The table is detached, so that it gets no gradient from the logits; a tied table learns from both ends.",
        "gradients-dtypes-and-arguments",
        fails="test_gradients",
    ),
    cut_off("logits are", "test_gradients"),
)
def unembed(wrong: Wrong, hidden: Tensor, table: Tensor) -> Tensor:
    """The dot product of each state and each row of the table."""
    if wrong("last-position-only"):
        hidden = hidden[..., -1, :] if hidden.dim() > 1 else hidden
    if wrong("rows-of-unit-length") or wrong("cosines"):
        table = table / table.norm(dim=-1, keepdim=True)
    if wrong("cosines"):
        hidden = hidden / hidden.norm(dim=-1, keepdim=True)
    if wrong("table-frozen"):
        table = table.detach()
    logits = torch.matmul(hidden, table if wrong("not-transposed") else table.transpose(0, 1))
    if wrong("divided-by-sqrt-d"):
        logits = logits / math.sqrt(table.shape[-1])
    if wrong("scaled-by-sqrt-d"):
        logits = logits * math.sqrt(table.shape[-1])
    if wrong("peak-removed"):
        logits = logits - logits.amax(-1, keepdim=True)
    if wrong("mean-removed"):
        logits = logits - logits.mean(-1, keepdim=True)
    if wrong("probabilities"):
        logits = logits.softmax(-1)
    if wrong("log-probabilities"):
        logits = logits.log_softmax(-1)
    if wrong("vocabulary-first") and logits.dim() > 1:
        logits = logits.transpose(-1, -2)
    logits = logits.float() if wrong("always-float32") else logits
    return logits.detach() if wrong("no-gradient") else logits
