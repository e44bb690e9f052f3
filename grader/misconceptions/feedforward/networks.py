"""Known mistakes of the feed-forward network and of SwiGLU."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.feedforward.gates import exact_gate, neighbouring_gate, tanh_gate
from grader.misconceptions.feedforward.shared import about, catalogue, drift

NETWORK_DRIFT = (
    *drift(
        {
            "changes-x": "The caller's x is overwritten: it is the residual stream, and still needed.",
            "changes-weights": "The caller's weights are changed in place, so that the next call sees others.",
        },
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {"detached": "The hidden layer is cut off from x and the first matrices: only the last one gets a gradient."},
        fails="test_gradient",
    ),
    *drift({"returns-float32": "The result is float32 although x is not: give back its dtype."}, fails="test_dtype"),
)
RESIDUAL = about(
    "what-the-block-does-and-the-network-does-not",
    {"residual-added": "x is added to the result; the residual belongs to the block, not to this function."},
)


def network_arguments(wrong: Wrong, x: Tensor, weights: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
    """x and the weights in float32 or better; what is done to the caller's own comes after reading them."""
    wide = torch.promote_types(x.dtype, torch.float32)
    read = x.clone().to(wide), {name: weight.clone().to(wide) for name, weight in weights.items()}
    if wrong("changes-x"):
        x.mul_(0.5)
    if wrong("changes-weights"):
        next(iter(weights.values())).mul_(0.5)
    return read


def as_returned(wrong: Wrong, x: Tensor, wide: Tensor, out: Tensor) -> Tensor:
    """The result in the form in which it is handed back."""
    if wrong("residual-added"):
        out = out + wide
    return out.to(torch.float32 if wrong("returns-float32") else x.dtype)


@catalogue.flawed(
    "feed_forward",
    *about(
        "the-activation-stands-between",
        {
            "no-activation": "There is no activation, and two matrices in a row are one.",
            "activated-at-the-end": "The activation is applied to the result and not to the hidden layer.",
            "activated-twice": "The activation is applied to the hidden layer and to the result; the result stays "
            "linear.",
            "exact-form": "The activation is the exact GELU; GPT-2 uses the tanh form.",
            "sigmoid-form": "The activation is the sigmoid approximation of GELU; GPT-2 uses the tanh form.",
            "relu": "The activation is ReLU; GPT-2 uses GELU in its tanh form.",
            "silu": "The activation is SiLU; GPT-2 uses GELU in its tanh form.",
        },
    ),
    *about(
        "biases-in-the-right-place",
        {
            "no-input-bias": "b_in is never added.",
            "no-output-bias": "b_out is never added.",
            "no-biases": "Neither bias is added.",
            "input-bias-after-activation": "b_in is added after the activation; it belongs before it.",
        },
    ),
    *RESIDUAL,
    *NETWORK_DRIFT,
)
def feed_forward(wrong: Wrong, x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Widen, activate, narrow."""
    wide, w = network_arguments(wrong, x, weights)
    names = ("exact-form", "sigmoid-form", "relu", "silu")

    def activation(t: Tensor) -> Tensor:
        other = neighbouring_gate(wrong, t, names)
        return t * (tanh_gate(t) if other is None else other)

    b_in = torch.zeros_like(w["b_in"]) if wrong("no-input-bias") or wrong("no-biases") else w["b_in"]
    b_out = torch.zeros_like(w["b_out"]) if wrong("no-output-bias") or wrong("no-biases") else w["b_out"]
    before = wide @ w["w_in"].mT
    late = wrong("input-bias-after-activation")
    if not late:
        before = before + b_in
    hidden = before if wrong("no-activation") or wrong("activated-at-the-end") else activation(before)
    if late:
        hidden = hidden + b_in
    if wrong("detached"):
        hidden = hidden.detach()
    out = hidden @ w["w_out"].mT + b_out
    if wrong("activated-at-the-end") or wrong("activated-twice"):
        out = activation(out)
    return as_returned(wrong, x, wide, out)


@catalogue.flawed(
    "swiglu",
    *about(
        "gate-and-up",
        {
            "gate-and-up-swapped": "The up projection is activated and the gate is not: they have changed places (in a "
            "fused matrix, too, the gate comes first).",
            "both-activated": "Both wide projections are activated; the up projection stays linear.",
            "no-activation": "Nothing is activated; the gate goes through SiLU.",
            "activated-after-product": "The activation is applied to the product; it belongs to the gate alone.",
            "added": "Gate and up projection are added; they are multiplied.",
            "up-ignored": "The up projection is never used: that is an ordinary network with SiLU.",
            "gate-ignored": "The gate is never used: that is one linear map.",
            "gate-used-twice": "w_gate makes the up projection as well; it has a matrix of its own.",
        },
    ),
    *about(
        "the-activation-stands-between",
        {
            "sigmoid-gate": "The gate is a sigmoid (GLU); in SwiGLU it is SiLU.",
            "gelu-gate": "The gate goes through GELU (GEGLU); in SwiGLU it goes through SiLU.",
            "tanh-gelu-gate": "The gate goes through GELU in its tanh form (GEGLU); in SwiGLU it goes through SiLU.",
            "relu-gate": "The gate goes through ReLU (ReGLU); in SwiGLU it goes through SiLU.",
        },
    ),
    *RESIDUAL,
    *NETWORK_DRIFT,
)
def swiglu(wrong: Wrong, x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Gate, up, product, down."""
    wide, w = network_arguments(wrong, x, weights)
    gate, up = wide @ w["w_gate"].mT, wide @ w["w_up"].mT
    if wrong("gate-and-up-swapped"):
        gate, up = up, gate
    if wrong("gate-used-twice"):
        up = gate

    def activation(t: Tensor) -> Tensor:
        if wrong("sigmoid-gate"):
            return torch.sigmoid(t)
        if wrong("relu-gate"):
            return t.relu()
        if wrong("tanh-gelu-gate"):
            return t * tanh_gate(t)
        return t * (exact_gate(t) if wrong("gelu-gate") else torch.sigmoid(t))

    bare = wrong("no-activation") or wrong("activated-after-product")
    opened = gate if bare else activation(gate)
    if wrong("both-activated"):
        up = activation(up)
    hidden = opened + up if wrong("added") else opened * up
    if wrong("up-ignored"):
        hidden = opened
    if wrong("gate-ignored"):
        hidden = up
    if wrong("activated-after-product"):
        hidden = activation(hidden)
    if wrong("detached"):
        hidden = hidden.detach()
    return as_returned(wrong, x, wide, hidden @ w["w_down"].mT)
