"""CAUSE: masks with -1e9, so a query that may see nothing averages all the values instead of getting zero weights"""
import torch
from .heads import split_heads, merge_heads

# shows: mask with row 2 all False: output row 2 is the mean of the values through wo, should be bo


def multi_head_attention(x, weights, n_heads, mask=None):
    bsz, tgt_len, embed_dim = x.size()
    head_dim = embed_dim // n_heads
    if head_dim * n_heads != embed_dim:
        raise ValueError("embed_dim must be divisible by num_heads")
    scaling = head_dim ** -0.5

    def linear(inp, w, b):
        out = torch.matmul(inp, weights[w].t())
        if b in weights:
            out = out + weights[b]
        return out

    query = split_heads(linear(x, "wq", "bq") * scaling, n_heads)
    key = split_heads(linear(x, "wk", "bk"), n_heads)
    value = split_heads(linear(x, "wv", "bv"), n_heads)
    attn = torch.matmul(query, key.transpose(-1, -2)).float()
    if mask is None:
        mask = torch.ones(tgt_len, tgt_len, dtype=torch.bool).tril()
    if x.dtype == torch.float64:
        attn = torch.matmul(query, key.transpose(-1, -2))
    attn = attn.masked_fill(mask == 0, -1e9)
    attn = torch.softmax(attn, dim=-1).to(value.dtype)
    return linear(merge_heads(torch.matmul(attn, value)), "wo", "bo")
