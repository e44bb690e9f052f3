"""The rotate_half trick of most libraries: doubled tables, second half negated and put in front."""
import torch


def _rotate_half(x):
    first, second = x.tensor_split(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rope_half(x, angles):
    if x.shape[-1] % 2 or x.shape[-1] // 2 != angles.shape[-1]:
        raise ValueError("wrong width of the angles")
    compute = torch.promote_types(torch.promote_types(x.dtype, angles.dtype), torch.float32)
    table = torch.cat((angles, angles), dim=-1).to(compute)
    y = x.to(compute)
    return (y * table.cos() + _rotate_half(y) * table.sin()).to(x.dtype)
