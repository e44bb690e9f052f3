"""A decorator takes care of the narrow types, the function underneath is three plain lines."""
import functools
import torch


def widened(fn):
    @functools.wraps(fn)
    def inner(x, *args, **kwargs):
        return fn(x.to(torch.promote_types(x.dtype, torch.float32)), *args, **kwargs).to(x.dtype)
    return inner


@widened
def standardize(x, eps=1e-5):
    x = x - x.mean(dim=-1, keepdim=True).detach()
    x = x - x.mean(dim=-1, keepdim=True)
    return x / (x.var(dim=-1, unbiased=False, keepdim=True) + eps) ** 0.5
