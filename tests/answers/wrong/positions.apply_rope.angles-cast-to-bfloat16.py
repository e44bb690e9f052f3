"""CAUSE: casts the angles to the dtype of x before taking cosines, which ruins large angles in bfloat16"""
import torch

# shows: bfloat16 x at position 1001: the angle 1001 becomes 1000, the pair is a radian off; float32 is fine


def apply_rope(x, angles):
    if 2 * angles.size(-1) != x.size(-1):
        raise ValueError("angles should be (T, K/2)")
    angles = angles.to(x.dtype)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)
