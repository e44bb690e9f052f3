"""x times torch's sigmoid, in float32 for the short types (decorator)."""
import functools
import torch


def _short_types_in_float32(function):
    @functools.wraps(function)
    def wrapper(x):
        if x.dtype in (torch.float16, torch.bfloat16):
            return function(x.to(torch.float32)).to(x.dtype)
        return function(x)
    return wrapper


@_short_types_in_float32
def silu(x):
    return x * torch.sigmoid(x)
