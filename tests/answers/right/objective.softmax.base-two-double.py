"""Everything in powers of two and float64: 2 ** (log2(e) * (x - max))."""
import math
import torch

LOG2E = math.log2(math.e)


def softmax(logits, dim=-1):
    x = logits.double()
    m = x.max(dim=dim, keepdim=True)[0].clamp(min=torch.finfo(torch.float64).min)
    e = torch.exp2(LOG2E * (x - m))
    s = e.sum(dim=dim, keepdim=True)
    # an all -inf slice has s == 0 and e == 0: dividing by 1 keeps the zeros
    return (e / (s + (s == 0))).to(logits.dtype)
