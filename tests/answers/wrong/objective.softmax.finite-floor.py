"""CAUSE: replaces -inf with a large negative number, a slice of all -inf becomes uniform"""
import torch

NEG = -1e9


# shows: softmax(tensor([-inf, -inf])) is [0.5, 0.5], should be [0, 0]
def softmax(logits, dim=-1):
    # avoid inf - inf
    z = torch.where(logits == float("-inf"), torch.full_like(logits, NEG), logits)
    z = z - z.max(dim=dim, keepdim=True)[0]
    z = z.exp()
    return z / z.sum(dim=dim, keepdim=True)
