"""torch.special.entr in nats, fed with ones where the weight is zero (they add nothing and have a finite slope)."""
import math
import torch


def attention_entropy(weights):
    w = weights.to(torch.promote_types(weights.dtype, torch.float32))
    positive = torch.where(w > 0, w, torch.ones_like(w))
    nats = torch.special.entr(positive).sum(dim=-1)
    return (nats / math.log(2)).to(weights.dtype)
