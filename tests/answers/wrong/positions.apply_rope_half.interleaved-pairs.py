"""CAUSE: turns the pairs (2i, 2i+1), the other layout"""
import torch

# shows: K=4, angles [[pi/2, 0]], x=[1,0,0,0]: should give [0,0,1,0], gives [0,1,0,0]; K=2 is right


def apply_rope_half(x, angles):
    if x.shape[-1] % 2 or x.shape[-1] // 2 != angles.shape[-1]:
        raise ValueError("bad angles")
    w = torch.complex128 if x.dtype == torch.float64 else torch.complex64
    real = torch.float64 if x.dtype == torch.float64 else torch.float32
    turn = torch.polar(torch.ones_like(angles, dtype=real), angles.to(real)).to(w)
    z = torch.view_as_complex(x.to(real).reshape(*x.shape[:-1], angles.shape[-1], 2).contiguous())
    return torch.view_as_real(z * turn).flatten(-2).to(x.dtype)
