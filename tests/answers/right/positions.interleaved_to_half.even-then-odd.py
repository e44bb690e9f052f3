"""Head by head: first the even rows, then the odd rows."""
import torch


def interleaved_to_half(weight, n_heads):
    if weight.shape[0] % (2 * n_heads) != 0:
        raise ValueError("the rows must come in an even number for each head")
    new = []
    for head in weight.chunk(n_heads, dim=0):
        new.append(head[0::2])
        new.append(head[1::2])
    return torch.cat(new, dim=0)
