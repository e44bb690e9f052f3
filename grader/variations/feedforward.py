"""Right answers to the lesson on the feed-forward half of a block, written in other ways."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.variation import Variations

variations = Variations("feedforward")


@variations.right("gelu")
def one_plus_erf(x: Tensor) -> Tensor:
    """Half of one plus erf, in the dtype of x."""
    return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


@variations.right("gelu")
def normal_distribution_function(x: Tensor) -> Tensor:
    """The distribution function that torch has ready."""
    gate: Tensor = torch.special.ndtr(x)
    return x * gate


@variations.right("gelu")
def in_float32(x: Tensor) -> Tensor:
    """Computes in float32 whatever comes in, multiplying by a constant."""
    wide = x.float()
    return (0.5 * wide * (1 + torch.erf(wide * 0.7071067811865476))).type_as(x)


@variations.right("gelu")
def half_x_plus(x: Tensor) -> Tensor:
    """Multiplies out the bracket."""
    half = x / 2
    bent: Tensor = torch.special.erf(x * 2**-0.5)
    return half + half * bent


@variations.right("gelu")
def log_of_the_gate(x: Tensor) -> Tensor:
    """The exponential of the logarithm of the distribution function, in float64."""
    wide = x.double()
    log_gate: Tensor = torch.special.log_ndtr(wide)
    return (wide * log_gate.exp()).to(x.dtype)


@variations.right("gelu_tanh")
def in_the_dtype_of_x(x: Tensor) -> Tensor:
    """The formula as it stands, in the dtype of x."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))


@variations.right("gelu_tanh")
def by_sigmoid(x: Tensor) -> Tensor:
    """A sigmoid of twice the argument."""
    return x * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


@variations.right("gelu_tanh")
def with_horner(x: Tensor) -> Tensor:
    """x taken out of the bracket, constants written as decimals."""
    return x / 2 * (1 + torch.tanh(0.7978845608028654 * x * (1 + 0.044715 * x * x)))


@variations.right("gelu_tanh")
def single_precision_throughout(x: Tensor) -> Tensor:
    """Computes in float32 whatever comes in, in place on its own temporaries."""
    wide = x.float()
    inner = wide.pow(3).mul_(0.044715).add_(wide).mul_((2 / math.pi) ** 0.5)
    return (wide * (inner.tanh() + 1) * 0.5).to(dtype=x.dtype)


@variations.right("gelu_tanh")
def tensor_constants(x: Tensor) -> Tensor:
    """Constants as tensors."""
    two, pi = torch.tensor(2.0, dtype=torch.float64), torch.tensor(math.pi, dtype=torch.float64)
    inner = (two / pi).sqrt().to(x.dtype) * (x + 0.044715 * x**3)
    return 0.5 * (x + x * inner.tanh())


@variations.right("silu")
def one_over_one_plus(x: Tensor) -> Tensor:
    """x over one plus the exponential of -x: an overflow ends in a division by infinity."""
    return x / (1 + torch.exp(-x))


@variations.right("silu")
def by_tanh(x: Tensor) -> Tensor:
    """The sigmoid as half of one plus tanh."""
    return 0.5 * x * (1 + torch.tanh(0.5 * x))


@variations.right("silu")
def sigmoid_method_in_float32(x: Tensor) -> Tensor:
    """Computes in float32 whatever comes in."""
    return x.float().sigmoid().mul(x.float()).to(x.dtype)


@variations.right("silu")
def exponential_of_log_sigmoid(x: Tensor) -> Tensor:
    """The exponential of the log-sigmoid."""
    return x * F.logsigmoid(x).exp()


@variations.right("silu")
def gated_linear_unit(x: Tensor) -> Tensor:
    """The gated linear unit of x and itself."""
    return F.glu(torch.stack([x, x]), dim=0).squeeze(0)


@variations.right("silu")
def two_branches(x: Tensor) -> Tensor:
    """A branch for each sign, so that no exponential exceeds 1."""
    small = torch.exp(-x.abs())
    return x * torch.where(x >= 0, 1 / (1 + small), small / (1 + small))


def gelu_of(x: Tensor) -> Tensor:
    """torch's tanh form, which feed_forward may use."""
    return F.gelu(x, approximate="tanh")


@variations.right("feed_forward")
def functional_linear(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """torch's linear maps and torch's GELU."""
    hidden = gelu_of(F.linear(x, weights["w_in"], weights["b_in"]))
    return F.linear(hidden, weights["w_out"], weights["b_out"])


@variations.right("feed_forward")
def by_einsum(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Both products by einsum."""
    hidden = torch.einsum("...d,fd->...f", x, weights["w_in"]) + weights["b_in"]
    return torch.einsum("...f,df->...d", gelu_of(hidden), weights["w_out"]) + weights["b_out"]


@variations.right("feed_forward")
def rows_and_addmm(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """All tokens in one table of rows."""
    rows = x.reshape(x.shape[:-1].numel(), x.shape[-1])
    hidden = gelu_of(torch.addmm(weights["b_in"], rows, weights["w_in"].T))
    return torch.addmm(weights["b_out"], hidden, weights["w_out"].T).reshape(x.shape)


@variations.right("feed_forward")
def in_slices_of_the_hidden_layer(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Adds up slices of the hidden layer, in float32 or better."""
    wide = torch.promote_types(x.dtype, torch.float32)
    w = {name: weight.to(wide) for name, weight in weights.items()}
    out = torch.zeros_like(x, dtype=wide) + w["b_out"]
    for start in range(0, len(w["w_in"]), 3):
        part = slice(start, start + 3)
        hidden = gelu_of(x.to(wide) @ w["w_in"][part].T + w["b_in"][part])
        out = out + hidden @ w["w_out"][:, part].T
    return out.to(x.dtype)


@variations.right("feed_forward")
def with_a_column_of_ones(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Biases as one more column, in float32 whatever comes in."""
    w = {name: weight.float() for name, weight in weights.items()}
    hidden = gelu_of(F.pad(x.float(), (0, 1), value=1.0) @ torch.cat([w["w_in"], w["b_in"][:, None]], 1).T)
    out = F.pad(hidden, (0, 1), value=1.0) @ torch.cat([w["w_out"], w["b_out"][:, None]], 1).T
    return out.to(x.dtype)


@variations.right("swiglu")
def fused_gate_and_up(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Gate and up in one product, then cut in two."""
    gate, up = F.linear(x, torch.cat([weights["w_gate"], weights["w_up"]])).chunk(2, dim=-1)
    return F.linear(F.silu(gate) * up, weights["w_down"])


@variations.right("swiglu")
def matrices_times_columns(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Weights from the left, tokens as columns."""
    column = x.unsqueeze(-1)
    gate = weights["w_gate"] @ column
    return (weights["w_down"] @ (gate * gate.sigmoid() * (weights["w_up"] @ column))).squeeze(-1)


@variations.right("swiglu")
def sigmoid_last(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Multiplies gate and up first, by the sigmoid last."""
    gate = torch.einsum("...d,fd->...f", x, weights["w_gate"])
    up = torch.einsum("...d,fd->...f", x, weights["w_up"])
    return torch.einsum("...f,df->...d", gate * up * torch.sigmoid(gate), weights["w_down"])


@variations.right("swiglu")
def in_float32_throughout(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Computes in float32 whatever comes in."""
    gate, up = (x.float() @ weights[name].float().t() for name in ("w_gate", "w_up"))
    return ((gate / (1 + (-gate).exp()) * up) @ weights["w_down"].float().t()).to(x.dtype)


@variations.right("swiglu")
def token_by_token(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """One token at a time, in float64."""
    w = {name: weight.double() for name, weight in weights.items()}
    rows = x.reshape(x.shape[:-1].numel(), x.shape[-1]).double().unbind(0)
    outs = [w["w_down"].mv(F.silu(w["w_gate"].mv(row)) * w["w_up"].mv(row)) for row in rows]
    return (torch.stack(outs) if outs else x.new_zeros(0, x.shape[-1])).reshape(x.shape).to(x.dtype)


@variations.right("swiglu_hidden_width")
def as_published(d_model: int, multiple_of: int = 256) -> int:
    """Line by line as the published code has it."""
    hidden_dim = 4 * d_model
    hidden_dim = int(2 * hidden_dim / 3)
    return multiple_of * ((hidden_dim + multiple_of - 1) // multiple_of)


@variations.right("swiglu_hidden_width")
def by_ceil(d_model: int, multiple_of: int = 256) -> int:
    """A ceiling of a quotient."""
    return multiple_of * math.ceil((8 * d_model // 3) / multiple_of)


@variations.right("swiglu_hidden_width")
def by_remainder(d_model: int, multiple_of: int = 256) -> int:
    """Adds what is missing to the next multiple."""
    width = d_model * 8 // 3
    return width + -width % multiple_of


@variations.right("swiglu_hidden_width")
def by_counting(d_model: int, multiple_of: int = 256) -> int:
    """Counts multiples until the width is reached."""
    width = multiple_of
    while width < math.floor(d_model * 4 * 2 / 3):
        width += multiple_of
    return width
