"""Writes the permutation as a 0/1 matrix, the same block for every head, and multiplies."""
import torch


def interleaved_to_half(weight, n_heads):
    k, rest = divmod(len(weight), n_heads)
    if rest or k % 2:
        raise ValueError("rows do not divide into heads of even width")
    block = torch.zeros(k, k, dtype=weight.dtype, device=weight.device)
    for i in range(k // 2):
        block[i, 2 * i] = 1
        block[k // 2 + i, 2 * i + 1] = 1
    return torch.block_diag(*[block] * n_heads) @ weight
