"""The derivative of exp is exp itself, so my autograd.Function saves only its output."""
import math
import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, nats):
        try:
            value = math.exp(nats.item())
        except OverflowError:
            value = math.inf
        out = nats.new_tensor(value)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, g):
        out, = ctx.saved_tensors
        return g * out


def perplexity(loss):
    if bool(torch.isnan(loss)):
        raise ValueError("got a NaN loss")
    return Exp.apply(loss)
