"""Known mistakes of the lesson on the feed-forward half of a block: each exercise once, with a switch at every fork."""

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("feedforward")


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


def drift(says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes that no value shows: arguments, gradients, dtypes."""
    return about("arguments-change-gradients-vanish-types-drift", says, fails)


ACTIVATION_DRIFT = (
    *drift(
        {"changes-x": "The caller's x is overwritten: it is the residual stream, and still needed."},
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {
            "detached": "The result is cut off from x (by detach, no_grad or .data): nothing below it can be trained.",
            "gate-detached": "The gate is cut off from x, so that the gradient is only the gate itself; its slope is "
            "missing.",
        },
        fails="test_gradient",
    ),
    *drift({"returns-float32": "The result is float32 although x is not: give back its dtype."}, fails="test_dtype"),
)
PARTS = about(
    "a-part-of-the-formula-is-missing",
    {
        "gate-only": "That is the gate without its factor x.",
        "mirrored": "The gate is that of -x: it opens for negative numbers.",
    },
)
HALVES = about(
    "a-part-of-the-formula-is-missing",
    {
        "half-missing": "The factor one half is missing: the result is twice too large.",
        "one-missing": "The 1 is missing: the gate runs from -1/2 to 1/2 instead of from 0 to 1.",
    },
)


def neighbours(own: str) -> tuple[Misconception, ...]:
    """The other activations, one of which a learner may have written under this name."""
    says = {
        "exact-form": "That is the exact GELU with erf; the tanh form is wanted.",
        "tanh-form": "That is the tanh approximation of GELU, up to 0.0005 off; the exact form with erf is wanted.",
        "sigmoid-form": "That is the sigmoid approximation, x times the sigmoid of 1.702 x.",
        "silu": "That is SiLU.",
        "relu": "That is ReLU, which has no soft gate.",
    }
    return about("a-neighbouring-activation", {name: text for name, text in says.items() if name != own})


def exact_gate(x: Tensor) -> Tensor:
    """The normal distribution function."""
    return 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def tanh_gate(x: Tensor) -> Tensor:
    """Its approximation by tanh."""
    return 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def neighbouring_gate(wrong: Wrong, x: Tensor, names: tuple[str, ...]) -> Tensor | None:
    """The gate of another activation, if that is the mistake."""
    gates: dict[str, Callable[[Tensor], Tensor]] = {
        "exact-form": exact_gate,
        "tanh-form": tanh_gate,
        "sigmoid-form": lambda t: torch.sigmoid(1.702 * t),
        "silu": torch.sigmoid,
        "relu": lambda t: (t > 0).to(t.dtype),
        "hard-swish": lambda t: (t / 6 + 0.5).clamp(0, 1),
        "tanh-of-x": torch.tanh,
    }
    chosen = [gates[name](x) for name in names if wrong(name)]
    return chosen[0] if chosen else None


def activated(wrong: Wrong, x: Tensor, wide: Tensor, gate: Tensor) -> Tensor:
    """The factor times its gate, as it is handed back."""
    if wrong("gate-detached"):
        gate = gate.detach()
    out = gate if wrong("gate-only") else wide * gate
    if wrong("detached"):
        out = out.detach()
    return out.to(torch.float32 if wrong("returns-float32") else x.dtype)


def own_argument(wrong: Wrong, x: Tensor) -> tuple[Tensor, Tensor]:
    """x in float32 or better, as factor and as what the gate sees."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    if wrong("changes-x"):
        before = wide.clone()
        x.mul_(0.5)
        wide = before
    return wide, -wide if wrong("mirrored") else wide


@catalogue.flawed(
    "gelu",
    *neighbours("exact-form"),
    *PARTS,
    *HALVES,
    *about(
        "roots-and-constants",
        {
            "no-root-of-two": "erf is taken of x itself; x is divided by the root of 2 inside it.",
            "two-without-root": "Inside erf, x is divided by 2; its root belongs there.",
            "rounded-root": "The root of 2 is rounded to 1.41 or 1.414; use the whole number.",
            "density": "x is multiplied by the normal density; the distribution function belongs there.",
        },
    ),
    *ACTIVATION_DRIFT,
)
def gelu(wrong: Wrong, x: Tensor) -> Tensor:
    """x times the normal distribution function."""
    wide, seen = own_argument(wrong, x)
    root = math.sqrt(2)
    if wrong("no-root-of-two"):
        root = 1.0
    if wrong("two-without-root"):
        root = 2.0
    if wrong("rounded-root"):
        root = 1.414
    half = 1.0 if wrong("half-missing") else 0.5
    gate = half * ((0 if wrong("one-missing") else 1) + torch.erf(seen / root))
    if wrong("density"):
        gate = torch.exp(-0.5 * seen * seen) / math.sqrt(2 * math.pi)
    other = neighbouring_gate(wrong, seen, ("tanh-form", "sigmoid-form", "silu", "relu"))
    return activated(wrong, x, wide, gate if other is None else other)


@catalogue.flawed(
    "gelu_tanh",
    *neighbours("tanh-form"),
    *PARTS,
    *HALVES,
    *about(
        "roots-and-constants",
        {
            "two-over-pi-without-root": "The constant before the bracket is 2 / pi; its root belongs there.",
            "cube-missing": "The cubic term is missing.",
            "bracket-cubed": "The whole bracket is cubed; only the x of the small term is.",
            "sigmoid-of-half": "Half of 1 + tanh(z) is the sigmoid of 2z; the sigmoid of z is taken.",
            "square-for-cube": "The small term has x squared; x cubed belongs there.",
            "constant-not-on-cube": "The root of 2 / pi multiplies x only; it multiplies the cubic term as well.",
            "misplaced-decimal": "The coefficient of the cube is 0.44715; it is 0.044715.",
            "rounded-coefficient": "The coefficient of the cube is rounded to 0.0447; it is 0.044715.",
        },
    ),
    *about(
        "overflow",
        {
            "tanh-by-hand": "tanh is computed from exponentials that overflow, and large numbers give NaN; torch.tanh "
            "does not.",
        },
        fails="test_up_to_ten_thousand",
    ),
    *ACTIVATION_DRIFT,
)
def gelu_tanh(wrong: Wrong, x: Tensor) -> Tensor:
    """x times a gate made of tanh."""
    wide, seen = own_argument(wrong, x)
    coefficient = 0.044715
    if wrong("misplaced-decimal"):
        coefficient = 0.44715
    if wrong("rounded-coefficient"):
        coefficient = 0.0447
    if wrong("cube-missing"):
        coefficient = 0.0
    small = coefficient * seen * seen * (1.0 if wrong("square-for-cube") else seen)
    constant = 2 / math.pi if wrong("two-over-pi-without-root") else math.sqrt(2 / math.pi)
    inner = constant * seen + small if wrong("constant-not-on-cube") else constant * (seen + small)
    if wrong("tanh-by-hand"):
        bent = (inner.exp() - (-inner).exp()) / (inner.exp() + (-inner).exp())
    else:
        bent = torch.tanh(inner)
    if wrong("bracket-cubed"):
        bent = torch.tanh(constant * (seen + coefficient * seen) ** 3)
    gate = (1.0 if wrong("half-missing") else 0.5) * ((0 if wrong("one-missing") else 1) + bent)
    if wrong("sigmoid-of-half"):
        gate = torch.sigmoid(inner)
    other = neighbouring_gate(wrong, seen, ("exact-form", "sigmoid-form", "silu", "relu"))
    return activated(wrong, x, wide, gate if other is None else other)


@catalogue.flawed(
    "silu",
    *about(
        "a-neighbouring-activation",
        {
            "exact-form": "That is GELU, whose gate is the normal distribution function; here it is the sigmoid.",
            "sigmoid-form": "The sigmoid is taken of 1.702 x, which approximates GELU; here it is taken of x.",
            "relu": "That is ReLU, which has no soft gate.",
            "hard-swish": "That is hard-swish, whose gate is a straight line cut off at both ends.",
            "tanh-of-x": "The gate is tanh, which runs from -1 to 1; a sigmoid runs from 0 to 1.",
            "tanh-of-whole": "The sigmoid of x is half of 1 + tanh(x / 2); tanh is taken of x.",
        },
    ),
    *PARTS,
    *about(
        "a-part-of-the-formula-is-missing",
        {"softplus": "That is softplus, whose derivative is the sigmoid; x times the sigmoid is wanted."},
    ),
    *about(
        "overflow",
        {
            "exp-over-one-plus-exp": "The sigmoid is a quotient of two exponentials of x, and large numbers give "
            "infinity over infinity.",
        },
        fails="test_up_to_ten_thousand",
    ),
    *ACTIVATION_DRIFT,
)
def silu(wrong: Wrong, x: Tensor) -> Tensor:
    """x times its sigmoid."""
    wide, seen = own_argument(wrong, x)
    gate = seen.exp() / (1 + seen.exp()) if wrong("exp-over-one-plus-exp") else torch.sigmoid(seen)
    if wrong("tanh-of-whole"):
        gate = (1 + torch.tanh(seen)) / 2
    if wrong("softplus"):
        gate = torch.nn.functional.softplus(seen) / torch.where(wide == 0, 1.0, wide)
    other = neighbouring_gate(wrong, seen, ("exact-form", "sigmoid-form", "relu", "hard-swish", "tanh-of-x"))
    return activated(wrong, x, wide, gate if other is None else other)


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


WIDTH = "two-thirds-then-round-up"


@catalogue.flawed(
    "swiglu_hidden_width",
    *about(
        WIDTH,
        {
            "no-two-thirds": "That is 4D, the width of two matrices; three matrices get two thirds of it.",
            "two-thirds-of-d": "That is two thirds of D; it is two thirds of 4D.",
            "rounded-down": "The width is rounded down to the multiple; it is rounded up.",
            "not-rounded": "The width is not rounded to the multiple.",
            "is-a-float": "That is a float; a width is an int.",
            "rounded-before": "4D is rounded to the multiple first; two thirds are taken first, then it is rounded.",
        },
        fails="test_four_thousand",
    ),
    *about(
        WIDTH,
        {
            "rounded-to-nearest": "The width is rounded to the nearest multiple; it is rounded up.",
        },
        fails="test_published_widths",
    ),
    *about(
        WIDTH,
        {
            "multiple-ignored": "multiple_of has no effect.",
            "truncated-before-times-four": "Two thirds of D are truncated and then multiplied by 4; truncate once, at "
            "the end.",
            "truncated-before-times-eight": "A third of D is truncated and then multiplied by 8; truncate once, at the "
            "end.",
        },
        fails="test_other_multiples",
    ),
    *about(
        WIDTH,
        {
            "fraction-rounded-up": "The fraction is not cut off: a third above a multiple goes up to the next one.",
            "fraction-rounded": "Two thirds of 4D are rounded to the nearest integer; the fraction is cut off.",
            "two-thirds-as-decimal": "Two thirds are written as 0.67, which is more.",
        },
        fails="test_two_thirds_are_truncated",
    ),
    *about(
        WIDTH,
        {"one-multiple-more": "A width that is a multiple already gets another one."},
        fails="test_already_a_multiple",
    ),
)
def swiglu_hidden_width(wrong: Wrong, d_model: int, multiple_of: int = 256) -> int | float:
    """Two thirds of 4D, cut off, rounded up."""
    multiple = 256 if wrong("multiple-ignored") else multiple_of
    width = int(2 * (4 * d_model) / 3)
    if wrong("no-two-thirds"):
        width = 4 * d_model
    if wrong("two-thirds-of-d"):
        width = int(2 * d_model / 3)
    if wrong("truncated-before-times-four"):
        width = 4 * int(2 * d_model / 3)
    if wrong("truncated-before-times-eight"):
        width = 8 * (d_model // 3)
    if wrong("fraction-rounded-up"):
        width = math.ceil(8 * d_model / 3)
    if wrong("fraction-rounded"):
        width = round(8 * d_model / 3)
    if wrong("two-thirds-as-decimal"):
        width = int(0.67 * 4 * d_model)
    if wrong("rounded-before"):
        return int(2 * (math.ceil(4 * d_model / multiple) * multiple) / 3)
    if wrong("not-rounded"):
        return width
    if wrong("rounded-down"):
        return width // multiple * multiple
    if wrong("rounded-to-nearest"):
        return max(1, round(width / multiple)) * multiple
    if wrong("one-multiple-more"):
        return (width // multiple + 1) * multiple
    rounded = multiple * math.ceil(width / multiple)
    return float(rounded) if wrong("is-a-float") else rounded
