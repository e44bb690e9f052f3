"""x times cosine plus the swapped and signed neighbours times sine, with both tables widened to K."""
import torch


def apply_rope(x, angles):
    k = x.shape[-1]
    if k % 2 or angles.shape[-1] != k // 2:
        raise ValueError("angles do not fit the head width")
    wide = angles.repeat_interleave(2, dim=-1)
    if x.dtype == torch.float64:
        wide = wide.double()
    swap = torch.arange(k, device=x.device) ^ 1
    sign = torch.ones(k, dtype=wide.dtype, device=x.device)
    sign[0::2] = -1
    full = x.to(wide.dtype)
    return (full * wide.cos() + full[..., swap] * sign * wide.sin()).to(x.dtype)
