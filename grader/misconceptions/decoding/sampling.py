"""Known mistakes of inverting a cumulative distribution."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.decoding.shared import about, catalogue, drift


@catalogue.flawed(
    "sample",
    *about(
        "inverting-the-cumulative-sum",
        {
            "most-probable": "The most probable token is always taken; the uniform decides.",
            "mass-reaches": "The first token whose cumulative mass *reaches* the uniform is taken, so that a uniform "
            "of 0 can give a token of probability 0; it must exceed it.",
            "one-too-far": "The token after the right one is taken.",
            "one-too-early": "The token before the right one is taken.",
            "masses-ignored": "Every token is equally likely: the masses have no effect.",
            "from-the-end": "Masses are summed up from the last token; start with the first.",
            "sorted-first": "Masses are summed up from the most probable token; the order is that of the vocabulary.",
            "rank-returned": "Masses are sorted and the place in sorted order is returned; return the token.",
            "softmax-again": "The masses go through a softmax as if they were logits.",
            "counts-masses-below": "Single masses are compared with the uniform; compare their cumulative sum.",
        },
    ),
    *about(
        "masses-that-do-not-sum-to-1",
        {
            "not-scaled": "The uniform is compared with masses that do not sum to 1, and the search may end behind the "
            "last token; scale by the total.",
            "not-scaled-then-last": "The uniform is compared with masses that do not sum to 1, and the last token gets "
            "what is missing; scale by the total.",
            "not-scaled-then-first": "The uniform is compared with masses that do not sum to 1, and where none exceeds "
            "it the answer is token 0; scale by the total.",
        },
    ),
    *about(
        "masses-that-do-not-sum-to-1",
        {
            "rounding-falls-off-the-end": "The cumulative sum ends a little below 1 after rounding, and the largest "
            "uniforms find a token of probability 0 behind it; scale by the last cumulative mass.",
        },
        fails="test_many_tokens_in_float32",
    ),
    *about(
        "one-uniform-for-each-row",
        {
            "one-uniform-for-all": "The first uniform serves every row; each row has its own.",
            "one-distribution-for-all": "The first row's distribution serves every row.",
            "sums-over-rows": "Masses are summed up over the batch; the vocabulary is the last axis.",
        },
    ),
    *about(
        "one-uniform-for-each-row",
        {
            "keeps-an-axis": "The result is `(B, 1)`; one number a row is `(B,)`.",
            "returns-masses": "The probability of the token is returned; its index is asked for.",
            "returns-one-hot": "A one-hot row is returned; the index of the token is asked for.",
        },
        fails="test_four_tokens",
    ),
    *drift(
        {"returns-int32": "The tokens are int32; they should be int64."},
        fails="test_ids_are_int64",
    ),
    *drift(
        {"returns-floats": "The tokens are floating-point numbers; ids are int64."},
        fails="test_four_tokens",
    ),
    *drift(
        {
            "changes-masses": "The caller's masses are normalized in place; work on new tensors.",
            "changes-uniform": "The caller's uniforms are used up in place; work on new tensors.",
        },
        fails="test_leaves_arguments_alone",
    ),
)
def sample(wrong: Wrong, probabilities: Tensor, uniform: Tensor) -> Tensor:
    """How many cumulative masses the uniform has left behind, in shares of the total."""
    total = probabilities.sum(-1, keepdim=True)
    if wrong("rounding-falls-off-the-end"):
        return ((probabilities / total).cumsum(-1) <= uniform[:, None]).sum(-1)
    masses = probabilities.double()
    if wrong("changes-masses"):
        probabilities /= total
    if wrong("softmax-again"):
        masses = masses.softmax(-1)
    if wrong("masses-ignored"):
        masses = torch.ones_like(masses)
    if wrong("one-distribution-for-all"):
        masses = masses[:1].expand(masses.shape)
    u = uniform.to(masses.dtype, copy=True)[:, None]
    if wrong("changes-uniform"):
        uniform -= total[:, 0]
    if wrong("one-uniform-for-all"):
        u = u[:1].expand(u.shape)
    return _returned(wrong, probabilities, _token(wrong, masses, u))


def _token(wrong: Wrong, masses: Tensor, u: Tensor) -> Tensor:
    vocabulary = masses.shape[-1]
    if wrong("most-probable"):
        return masses.argmax(-1)
    order = torch.arange(vocabulary).expand(masses.shape)
    if wrong("sorted-first") or wrong("rank-returned"):
        order = masses.argsort(dim=-1, descending=True, stable=True)
    if wrong("from-the-end"):
        order = order.flip(-1)
    ordered = masses.gather(-1, order)
    cumulative = ordered.cumsum(0 if wrong("sums-over-rows") else -1)
    if wrong("counts-masses-below"):
        cumulative = ordered
    if not any(map(wrong, ("not-scaled", "not-scaled-then-last", "not-scaled-then-first"))):
        cumulative = cumulative / (cumulative[:, -1:] if not wrong("counts-masses-below") else masses.sum(-1)[:, None])
    behind = cumulative < u if wrong("mass-reaches") else cumulative <= u
    token = behind.sum(-1)
    if wrong("not-scaled"):
        return token
    if wrong("not-scaled-then-first"):
        token = torch.where(token == vocabulary, 0, token)
    token = token + (1 if wrong("one-too-far") else 0) - (1 if wrong("one-too-early") else 0)
    token = token.clamp(0, vocabulary - 1)
    return token if wrong("rank-returned") else order.gather(-1, token[:, None])[:, 0]


def _returned(wrong: Wrong, probabilities: Tensor, token: Tensor) -> Tensor:
    if wrong("returns-masses"):
        return probabilities.gather(-1, token[:, None])[:, 0]
    if wrong("returns-one-hot"):
        return (torch.arange(probabilities.shape[-1]) == token[:, None]).long()
    if wrong("returns-int32"):
        token = token.int()
    if wrong("returns-floats"):
        token = token.double()
    return token[:, None] if wrong("keeps-an-axis") else token
