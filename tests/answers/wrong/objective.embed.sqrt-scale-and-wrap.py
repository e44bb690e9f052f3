"""CAUSE: multiplies the embedding by sqrt(D); CAUSE: negative tokens are not rejected

"Attention is all you need", section 3.4: "we multiply those weights by sqrt(d_model)".
"""
import math
import torch


# shows: embed(tensor([[0]]), ones(7, 4)) gives 2s instead of 1s, and embed(tensor([-1]), ...) gives the last row
def embed(tokens, table):
    n_vocab, d_model = table.shape
    if tokens.numel() and tokens.max().item() >= n_vocab:
        raise ValueError("token id too large")
    return table[tokens] * math.sqrt(d_model)
