"""Known mistakes of the loop that writes a text."""

from collections.abc import Callable

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.decoding.shared import about, catalogue, drift, refusal, refuse


@catalogue.flawed(
    "generate",
    *about(
        "where-the-next-prediction-stands",
        {
            "first-place": "The prediction is read at the first place of the window; the last one has seen all of it.",
            "all-places": "The maximum is searched over all places and tokens at once; the last place predicts the "
            "next token.",
            "last-maximum": "Of several equal maxima the last is taken; take the first.",
        },
    ),
    *about(
        "the-window",
        {
            "not-cropped": "The model is shown all tokens; it should be shown the last context_length of them.",
            "first-tokens-shown": "The model is shown the first tokens once there are more than context_length; it "
            "should be shown the last.",
            "window-one-short": "The window is one token shorter than context_length.",
            "only-newest-shown": "The model is shown the newest token alone; without a cache it needs the window.",
            "newest-shown-after-the-first": "After the first step the model is shown the newest token alone, as if it "
            "kept a cache; it needs the window each time.",
            "prompt-alone-shown": "The model is always shown the prompt, without the tokens that were added.",
            "asks-once-more": "The model is asked once more than there are new tokens.",
            "asks-twice": "The model is asked twice for each new token; once is enough.",
        },
    ),
    *about(
        "the-window",
        {
            "forgets-the-start": "The text is cut to the window for good, so that its start is missing from the "
            "result; cut only what the model is shown.",
        },
        fails="test_window",
    ),
    *about(
        "when-to-stop",
        {
            "one-too-many": "One token too many is added.",
            "one-too-few": "One token too few is added.",
            "length-is-total": "max_new_tokens is taken for the length of the whole text; it counts new tokens.",
            "prompt-left-out": "Only the new tokens are returned; the prompt comes before them.",
            "batch-axis-dropped": "The result has one axis; like the prompt it is `(1, T)`.",
        },
        fails="test_three_new_tokens",
    ),
    *about(
        "when-to-stop",
        {"never-none": "One token is added even where max_new_tokens is 0: ask before the step, not after it."},
        fails="test_no_new_tokens",
    ),
    *about(
        "when-to-stop",
        {
            "stop-ignored": "The stop token does not stop.",
            "stop-left-out": "The stop token is missing from the result; it is its last token.",
            "stops-one-late": "One token is added after the stop token.",
            "stop-zero-ignored": "A stop token with id 0 does not stop: 0 counts as false, so compare with None.",
        },
        fails="test_stop_token",
    ),
    *about(
        "when-to-stop",
        {
            "stop-anywhere": "A stop token in the prompt ends the text; only new tokens stop.",
            "stop-in-the-prompt-adds-nothing": "A stop token in the prompt ends the text before it begins; only new "
            "tokens stop.",
            "stop-at-the-end-of-the-prompt": "A stop token at the end of the prompt ends the text before it begins; "
            "only new tokens stop.",
        },
        fails="test_stop_token_in_the_prompt",
    ),
    *refusal(
        {
            "no-check": "An empty prompt is not refused; raise a ValueError first.",
            "assertion": "An empty prompt is noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_empty_prompt",
    ),
    *drift(
        {"changes-prompt": "The caller's prompt is used as a buffer and overwritten; make a new tensor."},
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {"returns-floats": "The tokens are floating-point numbers; ids are int64."},
        fails="test_ids_are_int64",
    ),
)
def generate(
    wrong: Wrong,
    next_logits: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    context_length: int,
    stop_token: int | None = None,
) -> Tensor:
    """One token after another, the most probable each time."""
    refuse(wrong, prompt.shape[1] == 0 and not wrong("no-check"), "empty prompt")
    length = prompt.shape[1]
    steps = max_new_tokens + (1 if wrong("one-too-many") else 0) - (1 if wrong("one-too-few") else 0)
    if wrong("never-none"):
        steps = max(1, steps)
    if wrong("stop-in-the-prompt-adds-nothing") and stop_token in prompt.tolist()[0]:
        steps = 0
    if wrong("length-is-total"):
        steps = max_new_tokens - length
    tokens, late = prompt.clone(), False
    for _ in range(steps):
        if wrong("stop-at-the-end-of-the-prompt") and int(tokens[0, -1]) == stop_token:
            break
        logits = next_logits(_window(wrong, tokens, length, context_length))
        if wrong("asks-twice"):
            logits = next_logits(_window(wrong, tokens, length, context_length))
        newest = _choice(wrong, logits)
        if wrong("forgets-the-start"):
            tokens = tokens[:, -context_length:]
        if wrong("stop-left-out") and newest == stop_token:
            break
        tokens = torch.cat([tokens, torch.tensor([[newest]])], dim=1)
        if wrong("changes-prompt"):
            prompt.copy_(tokens[:, -length:])
        if late:
            break
        if _stops(wrong, tokens, newest, stop_token):
            if not wrong("stops-one-late"):
                break
            late = True
    if wrong("asks-once-more"):
        next_logits(_window(wrong, tokens, length, context_length))
    return _returned(wrong, tokens, length)


def _window(wrong: Wrong, tokens: Tensor, length: int, context_length: int) -> Tensor:
    if wrong("not-cropped"):
        return tokens
    if wrong("first-tokens-shown"):
        return tokens[:, :context_length]
    if wrong("only-newest-shown"):
        return tokens[:, -1:]
    if wrong("newest-shown-after-the-first") and tokens.shape[1] > length:
        return tokens[:, -1:]
    if wrong("prompt-alone-shown"):
        return tokens[:, :length][:, -context_length:]
    return tokens[:, -(context_length - 1) :] if wrong("window-one-short") else tokens[:, -context_length:]


def _choice(wrong: Wrong, logits: Tensor) -> int:
    if wrong("all-places"):
        return int(logits.flatten().argmax())
    row = logits[0, 0 if wrong("first-place") else -1]
    peaks = (row == row.max()).nonzero().flatten()
    return int(peaks[-1 if wrong("last-maximum") else 0])


def _stops(wrong: Wrong, tokens: Tensor, newest: int, stop_token: int | None) -> bool:
    if stop_token is None or wrong("stop-ignored") or (stop_token == 0 and wrong("stop-zero-ignored")):
        return False
    return stop_token in tokens.tolist()[0] if wrong("stop-anywhere") else newest == stop_token


def _returned(wrong: Wrong, tokens: Tensor, length: int) -> Tensor:
    if wrong("prompt-left-out"):
        tokens = tokens[:, length:]
    if wrong("batch-axis-dropped"):
        tokens = tokens[0]
    return tokens.double() if wrong("returns-floats") else tokens
