"""The line of the GPT-2 code, computed in at least float32."""
import math
import torch


def gelu_tanh(x):
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    y = 0.5 * y * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * torch.pow(y, 3))))
    return y.to(x.dtype)
