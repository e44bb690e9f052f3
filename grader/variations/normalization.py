"""Right answers to the lesson on normalization, written in other ways."""

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.variation import Variations

variations = Variations("normalization")


@variations.right("layer_norm")
def by_torch_var(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """Takes torch's biased variance and multiplies by rsqrt."""
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    variance = wide.var(dim=-1, correction=0, keepdim=True)
    normed = (wide - wide.mean(-1, keepdim=True)) * torch.rsqrt(variance + eps)
    return (normed * gamma + beta).to(x.dtype)


@variations.right("layer_norm")
def by_squared_deviation(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """Computes everything in float32, also for float64, and squares the standard deviation."""
    wide = x.to(torch.float32)
    # The root of a variance of exactly 0 has no gradient, so it never gets there.
    deviation = torch.sqrt(wide.var(-1, correction=0, keepdim=True).clamp_min(1e-20))
    return ((wide - wide.mean(-1, keepdim=True)) / (deviation**2 + eps) ** 0.5 * gamma + beta).type_as(x)


@variations.right("layer_norm")
def rounded_before_the_gain(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """Goes back to the input's dtype before gain and shift, which are then applied in 16 bits."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    variance, mean = torch.var_mean(wide, dim=-1, unbiased=False, keepdim=True)
    return torch.addcmul(beta, ((wide - mean) / torch.sqrt(variance + eps)).to(x.dtype), gamma)


@variations.right("layer_norm")
def in_one_pass_of_float64(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """Takes mean(x^2) - mean(x)^2, which float64 has digits enough for."""
    wide = x.double()
    mean = wide.mean(-1, keepdim=True)
    variance = (wide.pow(2).mean(-1, keepdim=True) - mean.pow(2)).clamp_min(0)
    return ((wide - mean) / (variance + eps).sqrt() * gamma + beta).to(x.dtype)


@variations.right("layer_norm")
def row_by_row(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """Loops over the rows."""
    done = []
    for row in x.reshape(-1, x.shape[-1]):
        wide = row.double()
        centred = wide - wide.sum() / len(wide)
        done.append(centred / (centred @ centred / len(wide) + eps).sqrt() * gamma + beta)
    return torch.stack(done).reshape(x.shape).to(x.dtype) if done else torch.zeros_like(x)


@variations.right("layer_norm")
def through_rms_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """Centres the row and leaves the rest to torch's RMSNorm."""
    wide = x if x.dtype == torch.float64 else x.float()
    centred = wide - wide.mean(-1, keepdim=True)
    return (F.rms_norm(centred, x.shape[-1:], gamma.to(wide.dtype), eps) + beta).to(x.dtype)


@variations.right("layer_norm")
def in_place_on_temporaries(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """Writes in place, but only into tensors of its own, and moves the feature axis to the front."""
    rows = x.to(torch.promote_types(x.dtype, torch.float32), copy=True).movedim(-1, 0)
    rows -= rows.mean(0)
    normed = rows / rows.square().mean(0).add_(eps).sqrt_()
    normed = normed.movedim(0, -1)
    normed *= gamma
    normed += beta
    return normed.to(x.dtype)


@variations.right("rms_norm")
def by_rsqrt(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Multiplies by rsqrt and rounds before the gain, as LLaMA does."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).type_as(x) * weight


@variations.right("rms_norm")
def rounded_after_the_gain(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Applies the gain in float32 and rounds last, as Gemma does."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    inverse = torch.pow((wide * wide).mean(-1, keepdim=True) + eps, -0.5)
    return (weight.to(wide.dtype) * (wide * inverse)).to(x.dtype)


@variations.right("rms_norm")
def by_vector_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Squares the Euclidean norm and divides by the width."""
    wide = x.double()
    mean_square: Tensor = torch.linalg.vector_norm(wide, dim=-1, keepdim=True) ** 2 / x.shape[-1]
    return (wide / (mean_square + eps).sqrt() * weight).to(x.dtype)


@variations.right("rms_norm")
def by_einsum(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Sums the squares with einsum and scales rows and features in one product."""
    wide = x if x.dtype == torch.float64 else x.float()
    scale = 1 / (torch.einsum("...d,...d->...", wide, wide) / x.size(-1) + eps).sqrt()
    return torch.einsum("...d,...,d->...d", wide, scale, weight.to(wide.dtype)).to(x.dtype)


@variations.right("rms_norm")
def each_row_by_itself(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Recurses over the leading axes down to single rows."""
    if x.dim() > 1:
        parts = [each_row_by_itself(part, weight, eps) for part in x]
        return torch.stack(parts) if parts else x.clone()
    wide = x.double()
    return (wide / torch.sqrt(torch.dot(wide, wide) / len(wide) + eps) * weight).to(x.dtype)


@variations.right("rms_norm")
def scaled_before_squaring(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Divides by the largest feature first, so that no square can overflow in any dtype."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    peak = wide.detach().abs().amax(-1, keepdim=True).clamp_min(1.0)
    small = wide / peak
    return (small / (small.square().mean(-1, keepdim=True) + eps / peak**2).sqrt() * weight).to(x.dtype)


@variations.right("standardize")
def by_std(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Takes torch's biased variance and divides by a power."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return ((wide - wide.mean(-1, keepdim=True)) / (wide.var(-1, unbiased=False, keepdim=True) + eps) ** 0.5).to(
        x.dtype
    )


@variations.right("standardize")
def in_float64(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Computes in float64 whatever comes in."""
    wide = x.double()
    centred = wide - wide.mean(dim=-1, keepdim=True)
    return (centred * (centred.pow(2).mean(dim=-1, keepdim=True) + eps).rsqrt()).type(x.dtype)


@variations.right("standardize")
def in_float32(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Computes in float32 whatever comes in."""
    variance, mean = torch.var_mean(x.float(), dim=(-1,), correction=0, keepdim=True)
    return torch.div(x.float() - mean, torch.sqrt(variance + eps)).to(x.dtype)


@variations.right("standardize")
def by_sums(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Adds up and divides by the width, with unsqueezed statistics."""
    wide = x if x.dtype == torch.float64 else x.float()
    width = x.shape[-1]
    centred = wide - (wide.sum(-1) / width).unsqueeze(-1)
    return (centred / ((centred**2).sum(-1) / width + eps).sqrt().unsqueeze(-1)).to(x.dtype)


@variations.right("standardize")
def column_by_column(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Adds the features up one by one in a Python loop, in float64."""
    features = x.double().unbind(-1)
    mean = sum(features[1:], start=features[0]) / len(features)
    centred = [feature - mean for feature in features]
    variance = sum((c * c for c in centred[1:]), start=centred[0] * centred[0]) / len(features)
    return torch.stack([c / (variance + eps).sqrt() for c in centred], dim=-1).to(x.dtype)
