"""p = exp(x - logsumexp(x)), shifted by the maximum first because at 1e4 the log-sum alone is too coarse in float32."""
import torch


def softmax(logits, dim=-1):
    dead = (logits == float("-inf")).all(dim=dim, keepdim=True)
    x = logits.masked_fill(dead, 0.0).to(torch.promote_types(logits.dtype, torch.float32))
    x = x - x.amax(dim, keepdim=True).detach()
    p = torch.exp(x - torch.logsumexp(x, dim, keepdim=True))
    return p.masked_fill(dead, 0.0).to(logits.dtype)
