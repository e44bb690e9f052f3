"""CAUSE: computes positions and frequencies in bfloat16, so far positions are rounded to their neighbours"""
import torch

# shows: positions = tensor([1001]): the first angle is 1000 instead of 1001; positions up to 256 are only slightly off


def rope_angles(positions, head_width, base=10000.0):
    if head_width % 2:
        raise ValueError("head_width must be a multiple of two")
    steps = torch.arange(0, head_width, 2, dtype=torch.bfloat16) / head_width
    rate = torch.exp(-steps * torch.tensor(base).log().bfloat16())
    return (positions.bfloat16()[:, None] * rate[None]).float()
