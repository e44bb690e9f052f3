"""Known mistakes of the lesson on normalization: each exercise written once, with a switch at every fork."""

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("normalization")


def about(section: str, says: dict[str, str]) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section) for name, sentence in says.items())


def wrong_axes(statistics: str) -> tuple[Misconception, ...]:
    """The mistakes about which numbers belong to one row; `statistics` names what is computed over them."""
    over = {
        "sequence-axis": "over the sequence axis",
        "second-axis": "over axis 1, which is the feature axis only while there are two axes",
        "batch-axis": "over the batch axis",
        "batch-norm": "of each feature over all tokens, as batch normalization does",
        "last-two-axes": "over all tokens of a sequence together, so that they see each other",
        "all-but-first": "of each sample over all its axes",
        "whole-tensor": "over the whole tensor",
    }
    right = "every token has its own: reduce over the last axis only."
    return about("the-wrong-axis", {name: f"You take the {statistics} {axes}; {right}" for name, axes in over.items()})


def reduced_axes(wrong: Wrong, x: Tensor) -> tuple[int, ...]:
    """The axes that `wrong_axes` says are reduced; (-1,) when none of those mistakes is made."""
    axes = {
        "sequence-axis": (-2,),
        "second-axis": (1,),
        "batch-axis": (0,),
        "batch-norm": tuple(range(x.dim() - 1)),
        "last-two-axes": (-2, -1),
        "all-but-first": tuple(range(1, x.dim())),
        "whole-tensor": tuple(range(x.dim())),
    }
    return next((chosen for name, chosen in axes.items() if wrong(name)), (-1,))


def wrong_eps(default: str, other: str, square: str, zero: str) -> tuple[Misconception, ...]:
    """The mistakes about eps that every norm shares; `default` is this function's, `other` its sister's, `square` is
    what stands under the root, and it is 0 for the row `zero`."""
    return about(
        "eps-in-the-wrong-place",
        {
            "eps-outside-root": f"eps is added after the root is taken; add it to the {square}, under the root.",
            "eps-missing": f"eps is not used; added to the {square} it keeps {zero} from giving 0/0.",
            "eps-as-floor": f"eps is only a lower bound of the divisor (clamp, F.normalize); add it to the {square}, "
            "under the root.",
            "square-floored": f"eps is only a lower bound of the {square} (clamp, max); add it instead.",
            "eps-ignored": f"The argument eps is not used: your function takes {default} whatever is passed.",
            "eps-of-the-other-norm": f"Your function's default for eps is {other}; it should be {default}.",
        },
    )


def shared_slips(float16: str) -> tuple[Misconception, ...]:
    """Dtype, gradient and mutation: what no value in float64 shows. `float16` says what goes wrong in 16 bits."""
    return (
        Misconception(
            "sixteen-bit-statistics",
            f"16-bit rows are measured in 16 bits: {float16}. Compute in float32 and round once, at the end.",
            "statistics-in-16-bits",
            fails="test_float16_range",
        ),
        Misconception(
            "returns-float32",
            "16-bit rows come back as float32. Compute in float32, but give back the dtype of x.",
            "the-wrong-dtype-back",
            fails="test_bfloat16_statistics",
        ),
        Misconception(
            "detached-statistics",
            "The statistics are cut off from the graph (detach, .item() or no_grad), so the gradient treats them as "
            "constants; they depend on x.",
            "a-cut-graph",
            fails="test_gradients",
        ),
        Misconception(
            "no-gradient",
            "The result is cut off from its arguments (no_grad, detach, .data, or a new tensor made from numbers), "
            "so nothing can be learned through it.",
            "a-cut-graph",
            fails="test_gradients",
        ),
        Misconception(
            "changes-x",
            "Your function writes into x. The caller still needs it (in a block it is the residual stream): "
            "work on a new tensor. Note that `.float()` copies only what is not float32 already.",
            "changed-arguments",
            fails="test_leaves_arguments_alone",
        ),
    )


LAYER_NORM_STATISTICS = (
    *about(
        "the-unbiased-variance",
        {
            "unbiased-variance": "The variance is divided by D - 1, the default of torch.var and torch.std; "
            "LayerNorm divides by D.",
        },
    ),
    *about(
        "a-root-too-many-or-too-few",
        {
            "double-root": "The root is taken twice: the standard deviation is already the root of the variance.",
            "no-root": "You divide by the variance; divide by its root, or the scale of the input does not cancel.",
            "absolute-deviation": "You divide by the mean absolute deviation; divide by the root of the variance.",
            "sum-of-squares": "The squared deviations are summed, not averaged: the output is sqrt(D) times too small.",
        },
    ),
    *about(
        "the-mean-kept-or-removed",
        {
            "mean-kept": "No mean is removed anywhere, which is RMSNorm; LayerNorm centres the row first.",
            "numerator-not-centred": "The variance is right, but the row that you divide still contains its mean.",
            "variance-about-zero": "The row is centred, but you divide by the root mean square it had before centring.",
        },
    ),
    Misconception(
        "one-pass-variance",
        "The variance is computed as mean(x^2) - mean(x)^2, which loses all digits when the mean is large: "
        "centre the row first, then square.",
        "numerical-stability",
        fails="test_mean_far_above_spread",
    ),
)


def standardized(wrong: Wrong, x: Tensor, eps: float | None) -> Tensor:
    """The normalized rows, in the precision of the computation, with the mistakes that LayerNorm and its core share."""
    wide = computing_copy(wrong, x)
    axes = reduced_axes(wrong, x)
    mean = wide.mean(axes, keepdim=True)
    deviation = wide - mean
    measured = wide if wrong("variance-about-zero") or wrong("mean-kept") else deviation
    if wrong("one-pass-variance"):
        variance = wide.square().mean(axes, keepdim=True) - mean.square()
    elif wrong("sum-of-squares"):
        variance = measured.square().sum(axes, keepdim=True)
    elif wrong("absolute-deviation"):
        variance = measured.abs().mean(axes, keepdim=True).square()
    else:
        variance = measured.square().mean(axes, keepdim=True)
    if wrong("unbiased-variance"):
        reduced = measured.numel() // max(variance.numel(), 1)
        variance = variance * (reduced / (reduced - 1) if reduced > 1 else float("nan"))
    if wrong("detached-statistics"):
        mean, variance = mean.detach(), variance.detach()
    centred = wide if wrong("mean-kept") or wrong("numerator-not-centred") else wide - mean
    if wrong("changes-x"):
        centred = wide.sub_(mean)
    return centred / divisor(wrong, variance, chosen_eps(wrong, eps, default=1e-5, other=1e-6))


def computing_copy(wrong: Wrong, x: Tensor) -> Tensor:
    """`x` at the precision in which the statistics are taken: float32 at least; x itself where it has that already."""
    return x if wrong("sixteen-bit-statistics") else x.to(torch.promote_types(x.dtype, torch.float32))


def chosen_eps(wrong: Wrong, eps: float | None, default: float, other: float) -> float:
    """The eps that is used: the one that was passed, or the default."""
    default = other if wrong("eps-of-the-other-norm") else default
    return default if eps is None or wrong("eps-ignored") else eps


def divisor(wrong: Wrong, square: Tensor, eps: float) -> Tensor:
    """What a row is divided by: the root of its variance or mean square, plus eps."""
    eps = 0.0 if wrong("eps-missing") else eps
    if wrong("eps-as-floor") or wrong("square-floored"):
        floor = eps if wrong("square-floored") else eps**2
        return torch.where(square > floor, square, floor).sqrt()
    if wrong("double-root"):
        return (square.sqrt() + eps).sqrt()
    if wrong("no-root"):
        return square + eps
    return square.sqrt() + eps if wrong("eps-outside-root") else (square + eps).sqrt()


def returned(wrong: Wrong, y: Tensor, x: Tensor) -> Tensor:
    """The result as it is handed back."""
    y = y.detach() if wrong("no-gradient") else y
    return y if wrong("returns-float32") else y.to(x.dtype)


@catalogue.flawed(
    "layer_norm",
    *LAYER_NORM_STATISTICS,
    *wrong_eps("1e-5", "1e-6", square="variance", zero="a row of equal numbers"),
    *wrong_axes("mean and variance"),
    *about(
        "gain-and-shift",
        {
            "gamma-ignored": "The gain gamma is not applied: multiply each feature by its own.",
            "beta-ignored": "The shift beta is not added; it comes last, after the gain.",
            "shift-before-gain": "beta is added before the gain, so gamma scales it too; the shift comes last.",
            "one-plus-gamma": "You scale by 1 + gamma; here the gain is gamma itself, which starts at 1.",
            "gamma-added": "gamma is added; it is a gain and multiplies each feature.",
        },
    ),
    *shared_slips("the squares of float16 numbers from 256 on overflow, and a bfloat16 mean has 8 significant bits"),
)
def layer_norm(wrong: Wrong, x: Tensor, gamma: Tensor, beta: Tensor, eps: float | None = None) -> Tensor:
    """LayerNorm with switches."""
    normed = standardized(wrong, x, eps)
    gain = gamma + 1 if wrong("one-plus-gamma") else gamma
    if wrong("gamma-ignored"):
        y = normed
    elif wrong("gamma-added"):
        y = normed + gain
    elif wrong("shift-before-gain"):
        y = (normed + beta) * gain
    else:
        y = normed * gain
    if not (wrong("beta-ignored") or wrong("shift-before-gain")):
        y = y + beta
    return returned(wrong, y, x)


@catalogue.flawed(
    "standardize",
    *LAYER_NORM_STATISTICS,
    *wrong_eps("1e-5", "1e-6", square="variance", zero="a row of equal numbers"),
    *wrong_axes("mean and variance"),
    Misconception(
        "only-centred",
        "The row is centred and left at its own scale; divide by the root of its variance too.",
        "a-root-too-many-or-too-few",
        alone=True,
    ),
    *shared_slips("the squares of float16 numbers from 256 on overflow, and a bfloat16 mean has 8 significant bits"),
)
def standardize(wrong: Wrong, x: Tensor, eps: float | None = None) -> Tensor:
    """Standardisation with switches."""
    if wrong("only-centred"):
        return x - x.mean(-1, keepdim=True)
    normed = standardized(wrong, x, eps)
    return returned(wrong, normed, x)


@catalogue.flawed(
    "rms_norm",
    *about(
        "a-root-too-many-or-too-few",
        {
            "multiplied-by-root": "You multiply by the root mean square; divide by it. (torch.rsqrt is 1 / root.)",
            "no-root": "You divide by the mean square; divide by its root, or the scale of the input does not cancel.",
            "double-root": "The root is taken twice: the root mean square is already the root of the mean square.",
            "sum-of-squares": "The squares are summed, not averaged: the output is sqrt(D) times too small.",
            "scaled-by-width": "The row is brought to length 1 and multiplied by D; its length should be sqrt(D).",
            "absolute-mean": "You divide by the mean of the absolute values; divide by the root of the mean square.",
        },
    ),
    *about(
        "the-mean-kept-or-removed",
        {
            "square-of-mean": "You average first and square the mean; square each feature first, then average.",
            "divided-by-deviation": "You divide by the standard deviation; the root mean square is taken about 0, not "
            "about the mean.",
            "mean-removed": "You remove the mean first, which is LayerNorm without its shift; RMSNorm leaves it in.",
        },
    ),
    *wrong_eps("1e-6", "1e-5", square="mean square", zero="a row of zeros"),
    *about(
        "eps-in-the-wrong-place",
        {
            "eps-on-the-sum": "eps is added to the sum of squares, where it counts D times less; add it to their mean.",
            "machine-eps": "Your default for eps is the machine epsilon of the dtype; it should be 1e-6.",
        },
    ),
    *wrong_axes("mean square"),
    *about(
        "gain-and-shift",
        {
            "weight-ignored": "The gain is not applied: multiply each feature by its weight.",
            "one-plus-weight": "You scale by 1 + weight; here the gain is weight itself, which starts at 1.",
            "weight-added": "weight is added; it is a gain and multiplies each feature.",
        },
    ),
    *shared_slips("the square of a float16 number from 256 on is infinite, and the row comes out as zeros"),
)
def rms_norm(wrong: Wrong, x: Tensor, weight: Tensor, eps: float | None = None) -> Tensor:
    """RMSNorm with switches."""
    wide = computing_copy(wrong, x)
    axes = reduced_axes(wrong, x)
    if wrong("mean-removed"):
        wide = wide - wide.mean(axes, keepdim=True)
    if wrong("sum-of-squares"):
        square = wide.square().sum(axes, keepdim=True)
    elif wrong("divided-by-deviation"):
        square = (wide - wide.mean(axes, keepdim=True)).square().mean(axes, keepdim=True)
    elif wrong("absolute-mean"):
        square = wide.abs().mean(axes, keepdim=True).square()
    elif wrong("square-of-mean"):
        square = wide.mean(axes, keepdim=True).square()
    else:
        square = wide.square().mean(axes, keepdim=True)
    if wrong("detached-statistics"):
        square = square.detach()
    gain = weight + 1 if wrong("one-plus-weight") else weight
    if wrong("scaled-by-width"):
        return (F.normalize(wide, dim=-1) * x.shape[-1] * gain).to(x.dtype)
    if eps is None and wrong("machine-eps"):
        eps = torch.finfo(x.dtype).eps
    used = chosen_eps(wrong, eps, default=1e-6, other=1e-5)
    rms = divisor(wrong, square, used / x.shape[-1] if wrong("eps-on-the-sum") else used)
    if wrong("changes-x"):
        wide = wide.div_(rms)
    else:
        wide = wide * rms if wrong("multiplied-by-root") else wide / rms
    if not wrong("weight-ignored"):
        wide = wide + gain if wrong("weight-added") else wide * gain
    return returned(wrong, wide, x)
