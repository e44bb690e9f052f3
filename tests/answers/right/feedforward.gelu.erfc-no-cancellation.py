"""Uses erfc(-x / sqrt 2) in place of 1 + erf, so that the far left keeps its digits."""
import math
import torch


def gelu(x):
    y = x.float() if x.dtype in (torch.bfloat16, torch.float16) else x
    return (0.5 * y * torch.erfc(y * -math.sqrt(0.5))).to(x.dtype)
