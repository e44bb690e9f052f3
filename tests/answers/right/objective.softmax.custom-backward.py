"""An autograd.Function with the Jacobian I derived on paper: p * (g - sum(g * p))."""
import torch


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        top = x.max(dim, keepdim=True).values
        top[top == -float("inf")] = 0.0
        e = (x - top).exp_()
        z = e.sum(dim, keepdim=True)
        z[z == 0] = 1.0
        p = e.div_(z)
        ctx.save_for_backward(p)
        ctx.dim = dim
        return p

    @staticmethod
    def backward(ctx, g):
        p, = ctx.saved_tensors
        return p * (g - (g * p).sum(ctx.dim, keepdim=True)), None


def softmax(logits, dim=-1):
    if logits.dtype.itemsize == 2:
        return _Softmax.apply(logits.float(), dim).to(logits.dtype)
    return _Softmax.apply(logits, dim)
