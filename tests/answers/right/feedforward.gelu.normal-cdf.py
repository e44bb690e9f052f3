"""x times the probability that a standard normal lies below x, with torch's own cdf of the normal."""
import torch


def gelu(x):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return (wide * torch.special.ndtr(wide)).to(x.dtype)
