"""Known mistakes in probing a receptive field."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.lab.shared import about, catalogue

Model = Callable[[Tensor], Tensor]
FIRST = "test_scattered_field"


@catalogue.flawed(
    "probe_receptive_field",
    *about(
        "which-position-is-asked",
        {
            "whom-it-reaches": "You replace the token at `position` and look where logits change. That is whom it "
            "reaches; the question is who reaches it.",
            "any-position": "A change of any position's logits counts; only those at `position` should.",
            "last-position": "You look at the logits of the last position; those at `position` are asked for.",
            "position-before": "You look at the logits one position too early.",
            "self-for-granted": "The position itself is reported without a test. Its own token is tried like any "
            "other: a position need not depend on it.",
            "self-left-out": "The position itself is left out. Its own token may change its logits like any other.",
            "earlier-only": "Positions after `position` are not tried, or are cut off before the model sees them. That "
            "a model is causal is what a probe should find out, not assume.",
        },
    ),
    *about(
        "which-position-is-asked",
        {"causal-assumed": "Every position up to `position` is reported without a look at the model."},
        fails=FIRST,
    ),
    *about(
        "one-change-at-a-time",
        {
            "never-restored": "A replaced token is not put back before the next one is replaced, so that its change "
            "shows again for all that follow.",
            "around-other-tokens": "The field is probed around a sequence of zeros; it is that of the given tokens.",
            "all-others-replaced": "You replace every token but one. One is to be replaced while all others stay.",
        },
    ),
    *about(
        "one-change-at-a-time",
        {
            "zero-only": "Each token is replaced by id 0 only, which is no change where it is 0 already.",
            "last-id-by-itself": "The last id of the vocabulary is replaced by itself, which is no change: go round to "
            "another one.",
            "vocabulary-from-tokens": "The vocabulary is taken from the largest id among the tokens; the model's "
            "logits say how large it is.",
        },
    ),
    *about(
        "what-counts-as-a-change",
        {
            "best-token-only": "Only a change of the most probable token counts; any logit that differs should.",
            "first-logit-only": "Only the first logit is compared; any of the V counts.",
            "sum-of-logits": "Sums over the logits are compared; what one gains another may lose.",
            "all-logits-must-move": "A position counts only if every logit changes; one is enough.",
            "nearly-equal": "Logits that are nearly equal are taken for unchanged (allclose does that); any unequal "
            "bit is a change.",
            "inverted": "True and False have changed places: True is for positions that change something.",
        },
    ),
    *about(
        "arguments-types-and-shapes",
        {
            "indices-returned": "You return the indices of the positions; a bool for each of the T is wanted.",
            "counts-returned": "You return numbers; a bool tensor is wanted.",
            "two-axes-returned": "The result has shape (1, T); (T,) is wanted.",
            "list-returned": "You return a list; a bool tensor is wanted.",
        },
        fails=FIRST,
    ),
    *about(
        "arguments-types-and-shapes",
        {"changes-tokens": "The caller's tokens are changed; replace tokens in a copy."},
        fails="test_leaves_tokens_alone",
    ),
)
def probe_receptive_field(wrong: Wrong, model: Model, tokens: Tensor, position: int) -> Any:
    """One comparison for each place and other id."""
    seq = tokens.shape[1]
    if wrong("causal-assumed"):
        return torch.arange(seq) <= position
    base = torch.zeros_like(tokens) if wrong("around-other-tokens") else tokens.clone()
    before = model(base.clone())
    vocab = int(tokens.max()) + 1 if wrong("vocabulary-from-tokens") else before.shape[-1]
    found = [False] * seq
    if wrong("whom-it-reaches"):
        for token in others(wrong, int(base[0, position]), vocab):
            after = model(replaced(wrong, base, position, token))
            found = [found[t] or changed(wrong, before, after, t) for t in range(seq)]
        return handed_back(wrong, tokens, found)
    current = base.clone()
    for place in range(seq):
        source = current if wrong("never-restored") else base
        for token in others(wrong, int(base[0, place]), vocab):
            current = replaced(wrong, source, place, token)
            found[place] = found[place] or changed(wrong, before, model(current.clone()), position)
    if wrong("self-for-granted"):
        found[position] = True
    if wrong("self-left-out"):
        found[position] = False
    if wrong("earlier-only"):
        found[position + 1 :] = [False] * (seq - position - 1)
    return handed_back(wrong, tokens, found)


def others(wrong: Wrong, own: int, vocab: int) -> list[int]:
    """The ids that take the place of one."""
    if wrong("zero-only"):
        return [0]
    if wrong("last-id-by-itself"):
        return [min(own + 1, vocab - 1)]
    return [token for token in range(vocab) if token != own]


def replaced(wrong: Wrong, tokens: Tensor, place: int, token: int) -> Tensor:
    """The sequence with another id at one place."""
    if wrong("all-others-replaced"):
        rest = torch.full_like(tokens, token)
        rest[0, place] = tokens[0, place]
        return rest
    fresh = tokens.clone()
    fresh[0, place] = token
    return fresh


def changed(wrong: Wrong, before: Tensor, after: Tensor, position: int) -> bool:
    """Whether the logits at a position are others than before."""
    position = -1 if wrong("last-position") else position - 1 if wrong("position-before") else position
    mine, theirs = (logits if wrong("any-position") else logits[:, position] for logits in (before, after))
    if wrong("best-token-only"):
        mine, theirs = mine.argmax(-1), theirs.argmax(-1)
    if wrong("first-logit-only"):
        mine, theirs = mine[..., 0], theirs[..., 0]
    if wrong("sum-of-logits"):
        mine, theirs = mine.sum(-1), theirs.sum(-1)
    if wrong("nearly-equal"):
        return not torch.allclose(mine, theirs)
    different = mine != theirs
    return bool(different.all() if wrong("all-logits-must-move") else different.any())


def handed_back(wrong: Wrong, tokens: Tensor, found: list[bool]) -> Any:
    """The result in the form that is returned."""
    if wrong("changes-tokens"):
        tokens[0, -1] = 1 - tokens[0, -1].clamp(0, 1)
    if wrong("inverted"):
        found = [not reached for reached in found]
    if wrong("list-returned"):
        return found
    field = torch.tensor(found)
    if wrong("indices-returned"):
        return field.nonzero().squeeze(1)
    if wrong("counts-returned"):
        return field.double()
    return field[None] if wrong("two-axes-returned") else field
