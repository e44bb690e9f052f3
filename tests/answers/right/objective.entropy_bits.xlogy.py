"""torch.xlogy knows 0 log 0, and its second argument is masked so that its gradient does too."""
import math
import torch


def entropy_bits(probabilities, dim=-1):
    narrow = probabilities.dtype not in (torch.float32, torch.float64)
    p = probabilities.float() if narrow else probabilities
    nats = -torch.xlogy(p, p.masked_fill(p == 0, 1.0)).sum(dim)
    return torch.mul(nats, 1 / math.log(2)).to(probabilities.dtype)
