"""What both models share: embeddings, blocks in turn, the final norm and logits."""

import math
from collections.abc import Callable, Mapping

import torch.nn.functional as F
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.model.shared import Weights, about

STACK = about(
    "blocks-out-of-turn",
    {
        "sorted-as-text": "The blocks' numbers are sorted as text, so that block 10 runs right after block 1; compare "
        "them as integers.",
        "in-key-order": "The blocks run in the order in which the dict happens to hold them; their numbers decide.",
        "dot-forgotten": "The keys of a block are found without the dot behind its number, so that blocks.1 also takes "
        "the keys of blocks.10; keep the dot.",
        "reversed": "The blocks run from the last to the first; block 0 comes first.",
        "first-block-for-all": "Block 0 is run N times; every block has weights of its own.",
        "last-block-for-all": "Every round of the loop uses the weights of the last block; each has its own.",
        "last-block-left-out": "The last block is never run: N blocks are numbered 0 to N - 1.",
        "ten-blocks-at-most": "Only blocks 0 to 9 are run: a number may have more than one digit, and as text the "
        "largest is 9.",
        "blocks-side-by-side": "Every block reads the embeddings; each should read what the block before it returned.",
        "stream-added-again": "The residual stream is added to what a block returns; the block has added it already.",
    },
)
OUTPUTS = (
    *about(
        "what-comes-out",
        {
            "probabilities": "You return probabilities; logits are wanted, without a softmax.",
            "log-probabilities": "You return log-probabilities; logits are wanted, without a softmax.",
            "logits-scaled": "The logits are divided by the root of D; that scale belongs to attention scores.",
        },
    ),
    *about(
        "what-comes-out",
        {
            "only-last-position": "You return the logits of the last position; training needs those of all T.",
            "last-position-cut": "The last position is missing; whoever computes the loss drops it, not the model.",
            "hidden-states": "You return the normalised stream; it must still be compared with every token's row.",
        },
        fails="test_three_tokens_one_block",
    ),
)
DRIFT = (
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {
            "changes-weights": "The caller's dict of weights is changed (a key taken out or written), so that the next "
            "call finds another model; make dicts of your own.",
        },
        fails="test_leaves_arguments_alone",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {
            "detached": "The logits are cut off from the weights (detach, no_grad, .data): nothing can be learned.",
            "embedding-detached": "The embedded tokens are cut off from their table, which then learns from the "
            "output side alone, or not at all.",
        },
        fails="test_gradient",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"returns-float32": "The logits are float32 although the weights are not: give back their dtype."},
        fails="test_dtype",
    ),
)


def final_norm(others: Mapping[str, str]) -> tuple[Misconception, ...]:
    """The mistakes about the norm after the last block: the shared ones, and those of one model."""
    return about(
        "the-final-norm",
        {
            "no-final-norm": "There is no norm after the last block; the stream is compared with the tokens as it is.",
            "norm-after-every-block": "The final norm runs after every block; it runs once, after the last.",
            "norm-before-last-block": "The final norm runs before the last block; it runs after it.",
            **others,
        },
    )


def stack_of(wrong: Wrong, weights: Weights) -> list[Weights]:
    """The weights of each block in the order in which they run."""
    numbers = list(dict.fromkeys(key.split(".")[1] for key in weights if key.startswith("blocks.")))
    if wrong("ten-blocks-at-most"):
        numbers = [number for number in numbers if int(number) <= int(max(numbers))]
    if not wrong("in-key-order"):
        numbers.sort(key=str if wrong("sorted-as-text") else int, reverse=wrong("reversed"))
    if wrong("last-block-left-out"):
        numbers = numbers[:-1]
    if wrong("first-block-for-all") or wrong("last-block-for-all"):
        numbers = [numbers[0 if wrong("first-block-for-all") else -1]] * len(numbers)
    dot = "" if wrong("dot-forgotten") else "."
    return [{k.split(".", 2)[2]: w for k, w in weights.items() if k.startswith(f"blocks.{n}{dot}")} for n in numbers]


def run(
    wrong: Wrong,
    h: Tensor,
    weights: Weights,
    block: Callable[[Tensor, Weights], Tensor],
    norm: Callable[[Tensor], Tensor],
) -> Tensor:
    """The blocks and the final norm, `(B, T, D)` -> `(B, T, D)`."""
    blocks, start = stack_of(wrong, weights), h
    early, often = wrong("norm-before-last-block"), wrong("norm-after-every-block")
    for n, own in enumerate(blocks):
        h = norm(h) if early and n == len(blocks) - 1 else h
        out = block(start if wrong("blocks-side-by-side") else h, own)
        out = out + h if wrong("stream-added-again") else out
        h = norm(out) if often else out
    return h if early or often or wrong("no-final-norm") else norm(h)


def logits_of(wrong: Wrong, h: Tensor, table: Tensor, weights: Weights) -> Tensor:
    """What is returned; weights: the caller's dict, which one mistake changes."""
    if wrong("changes-weights"):
        weights.pop("wte")
    if wrong("hidden-states"):
        return h
    logits = F.linear(h, table)
    if wrong("logits-scaled"):
        logits = logits / math.sqrt(h.shape[-1])
    if wrong("probabilities"):
        logits = logits.softmax(-1)
    if wrong("log-probabilities"):
        logits = logits.log_softmax(-1)
    if wrong("only-last-position"):
        logits = logits[:, -1]
    if wrong("last-position-cut"):
        logits = logits[:, :-1]
    logits = logits.detach() if wrong("detached") else logits
    return logits.float() if wrong("returns-float32") else logits


def looked_up(wrong: Wrong, tokens: Tensor, table: Tensor) -> Tensor:
    """The embedded tokens, `(B, T, D)`."""
    rows = F.embedding(tokens, table)
    if wrong("embeddings-scaled"):
        rows = rows * math.sqrt(table.shape[1])
    return rows.detach() if wrong("embedding-detached") else rows


SCALED_TABLE = {
    "embeddings-scaled": "The embedded tokens are multiplied by the root of D; neither GPT-2 nor LLaMA does that.",
}
