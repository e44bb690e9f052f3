"""Known mistakes of one sublayer with its norm before or after it."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.block.shared import DRIFT, Layer, about, catalogue, handed_back


@catalogue.flawed(
    "pre_norm",
    *about(
        "norm-and-sublayer-in-another-order",
        {
            "post-norm": "The sum is normalized (the original order). In pre-norm only what the sublayer reads is.",
            "norm-after-sublayer": "The norm is applied to what the sublayer returns; it comes before the sublayer.",
            "normed-on-both-sides": "The norm is applied before and after the sublayer; before is all.",
        },
    ),
    *about(
        "a-norm-lost-shared-or-applied-twice",
        {
            "norm-missing": "The sublayer reads the stream as it is; it should read norm(h).",
            "normed-twice": "The norm is applied twice in a row.",
            "sublayer-missing": "The normalized stream is added without passing through the sublayer.",
            "sublayer-twice": "The sublayer is applied to its own result once more.",
        },
    ),
    *about(
        "a-residual-lost-doubled-or-taken-from-elsewhere",
        {
            "residual-missing": "h itself is not added: there is no path around the sublayer.",
            "residual-doubled": "h is added twice.",
            "residual-from-normed": "What is added is norm(h); the residual is h as it came in.",
        },
    ),
    *DRIFT,
)
def pre_norm(wrong: Wrong, h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """The normalized stream through the sublayer, onto the stream."""
    if wrong("post-norm"):
        branch = sublayer(h)
    else:
        source = h if wrong("norm-missing") or wrong("norm-after-sublayer") else norm(h)
        source = norm(source) if wrong("normed-twice") else source
        branch = source if wrong("sublayer-missing") else sublayer(source)
    branch = sublayer(branch) if wrong("sublayer-twice") else branch
    if wrong("norm-after-sublayer") or wrong("normed-on-both-sides"):
        branch = norm(branch)
    if wrong("branch-detached"):
        branch = branch.detach()
    stream = h.detach() if wrong("stream-detached") else h
    if wrong("residual-from-normed"):
        stream = norm(stream)
    if wrong("residual-doubled"):
        stream = 2 * stream
    total = branch if wrong("residual-missing") else torch.add(branch, stream)
    return handed_back(wrong, h, norm(total) if wrong("post-norm") else total)


@catalogue.flawed(
    "post_norm",
    *about(
        "norm-and-sublayer-in-another-order",
        {
            "pre-norm": "The norm is applied before the sublayer. In post-norm it is applied to the sum, once.",
            "norm-before-adding": "The norm is applied to what the sublayer returns; it is applied to the sum.",
            "normed-on-both-sides": "The sublayer reads norm(h); it reads h, and the sum is normalized.",
        },
    ),
    *about(
        "a-norm-lost-shared-or-applied-twice",
        {
            "norm-missing": "The sum is handed back as it is; it should be normalized.",
            "normed-twice": "The norm is applied twice in a row.",
            "summands-normed-apart": "h and the sublayer's result are normalized each for itself; first add, then "
            "normalize once.",
            "sublayer-missing": "The sublayer is never applied.",
            "sublayer-twice": "The sublayer is applied to its own result once more.",
        },
    ),
    *about(
        "a-residual-lost-doubled-or-taken-from-elsewhere",
        {
            "residual-missing": "h itself is not added: there is no path around the sublayer.",
            "residual-doubled": "h is added twice before the norm.",
            "residual-beside-the-norm": "h is added once more after the norm; it is part of the sum inside only.",
        },
    ),
    *DRIFT,
)
def post_norm(wrong: Wrong, h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """The sum of the stream and the sublayer's result, normalized."""
    source = norm(h) if wrong("pre-norm") or wrong("normed-on-both-sides") else h
    branch = source if wrong("sublayer-missing") else sublayer(source)
    branch = sublayer(branch) if wrong("sublayer-twice") else branch
    if wrong("norm-before-adding") or wrong("summands-normed-apart"):
        branch = norm(branch)
    if wrong("branch-detached"):
        branch = branch.detach()
    stream = h.detach() if wrong("stream-detached") else h
    if wrong("summands-normed-apart"):
        stream = norm(stream)
    if wrong("residual-doubled"):
        stream = 2 * stream
    total = branch if wrong("residual-missing") else torch.add(branch, stream)
    unnormed = any(map(wrong, ("pre-norm", "norm-before-adding", "summands-normed-apart", "norm-missing")))
    result = total if unnormed else norm(total)
    if wrong("normed-twice"):
        result = norm(result)
    return handed_back(wrong, h, result + h if wrong("residual-beside-the-norm") else result)
