"""How the parts of a block are joined, which both blocks share."""

from collections.abc import Callable

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.block.shared import DRIFT, Layer, Weights, about

WIRING = (
    *about(
        "norm-and-sublayer-in-another-order",
        {
            "post-norm": "Each sum is normalized (post-norm). Here the norm stands before each sublayer, and the "
            "stream itself is never normalized.",
            "norm-after-sublayer": "Each norm is applied to what its sublayer returns; it comes before the sublayer.",
            "network-first": "The feed-forward network comes first, with its norm; attention does.",
            "parallel": "The feed-forward network reads the block's input; it reads the stream after attention.",
        },
    ),
    *about(
        "a-residual-lost-doubled-or-taken-from-elsewhere",
        {
            "attention-residual-missing": "There is no path around attention: its result takes the place of the stream "
            "in place of being added to it.",
            "network-residual-missing": "There is no path around the feed-forward network: its result takes the place "
            "of the stream in place of being added to it.",
            "second-residual-from-input": "The network's result is added to the block's input, so that what attention "
            "wrote is lost; it is added to the stream after attention.",
            "input-added-again": "The block's input is added once more at the end; it is in the stream already.",
            "residuals-doubled": "Each residual is added twice, once inside the sublayer and once outside.",
            "residuals-from-normed": "The normalized stream is added to each sublayer's result; the residual is the "
            "stream before its norm.",
        },
    ),
    *about(
        "a-norm-lost-shared-or-applied-twice",
        {
            "one-norm-for-both": "The first norm's parameters serve both sublayers; the second has its own.",
            "norms-swapped": "The two norms have changed places.",
            "normed-twice": "Each norm is applied twice in a row.",
            "attention-unnormed": "Attention reads the stream as it is; it should read the normalized stream.",
            "network-unnormed": "The feed-forward network reads the stream as it is; it should read the normalized "
            "stream.",
            "only-queries-normed": "Only the queries come from the normalized stream; keys and values do too.",
            "network-reads-attention-alone": "The feed-forward network reads what attention returned, without the "
            "stream that it was added to.",
        },
    ),
    *DRIFT,
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"takes-keys": "Keys are taken out of the dict of weights that was passed (pop does that); make a new dict."},
        fails="test_leaves_arguments_alone",
    ),
)
"""What may go wrong between the parts of a block, whatever they are."""


def wired(
    wrong: Wrong, h: Tensor, norms: tuple[Layer, Layer], attend: Callable[[Tensor, Tensor], Tensor], network: Layer
) -> Tensor:
    """Two sublayers on one stream. `attend` takes what queries read and what keys and values read."""
    first_norm, second_norm = norms
    if wrong("one-norm-for-both"):
        second_norm = first_norm
    if wrong("norms-swapped"):
        first_norm, second_norm = second_norm, first_norm
    if wrong("normed-twice"):
        first_norm, second_norm = (lambda x, n=n: n(n(x)) for n in (first_norm, second_norm))

    def attention_step(stream: Tensor) -> Tensor:
        keys_read = stream if wrong("only-queries-normed") else None
        missing, unnormed = wrong("attention-residual-missing"), wrong("attention-unnormed")
        return step(
            wrong,
            stream,
            stream,
            first_norm,
            lambda x: attend(x, x if keys_read is None else keys_read),
            missing,
            unnormed,
        )

    def network_step(stream: Tensor) -> Tensor:
        source = h if wrong("parallel") else stream - h if wrong("network-reads-attention-alone") else stream
        onto = h if wrong("second-residual-from-input") else stream
        missing, unnormed = wrong("network-residual-missing"), wrong("network-unnormed")
        return step(wrong, source, onto, second_norm, network, missing, unnormed)

    steps = (network_step, attention_step) if wrong("network-first") else (attention_step, network_step)
    result = steps[1](steps[0](h))
    return result + h if wrong("input-added-again") else result


def step(
    wrong: Wrong, source: Tensor, onto: Tensor, norm: Layer, sublayer: Layer, missing: bool, unnormed: bool
) -> Tensor:
    """One sublayer that reads `source` and is added to `onto`."""
    late = wrong("norm-after-sublayer")
    branch = sublayer(source if wrong("post-norm") or late or unnormed else norm(source))
    if late:
        branch = norm(branch)
    if wrong("branch-detached"):
        branch = branch.detach()
    if wrong("stream-detached"):
        onto = onto.detach()
    if wrong("residuals-from-normed"):
        onto = norm(onto)
    if wrong("residuals-doubled"):
        onto = 2 * onto
    total = branch if missing else onto + branch
    return norm(total) if wrong("post-norm") else total


def widened(wrong: Wrong, h: Tensor, weights: Weights) -> tuple[Tensor, dict[str, Tensor]]:
    """16-bit arguments in float32, all others as they are."""
    wide = torch.promote_types(h.dtype, torch.float32)
    w = {name: weight.to(wide) for name, weight in weights.items()}
    if wrong("takes-keys"):
        weights.clear()
    return h.to(wide), w
