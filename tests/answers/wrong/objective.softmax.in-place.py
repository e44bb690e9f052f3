"""CAUSE: changes its input in place"""
import math
import torch


# shows: x = tensor([1., 2.]); softmax(x) leaves x at [-1, 0]
def softmax(logits, dim=-1):
    m = logits.detach().amax(dim, keepdim=True)
    m[m == -math.inf] = 0
    with torch.no_grad():
        logits -= m
    e = logits.exp()
    s = e.sum(dim, keepdim=True)
    return e / s.clamp(min=torch.finfo(e.dtype).tiny)
