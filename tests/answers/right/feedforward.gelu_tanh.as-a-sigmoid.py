"""Because (1 + tanh u) / 2 is sigmoid(2u), it gates x with a sigmoid of an odd cubic in Horner form."""
import math
import torch


def gelu_tanh(x):
    a = 2 * math.sqrt(2 / math.pi)
    z = x.double() if x.dtype == torch.float64 else x.float()
    gate = torch.sigmoid(z * (a + (a * 0.044715) * (z * z)))
    return torch.mul(z, gate).to(x.dtype)
