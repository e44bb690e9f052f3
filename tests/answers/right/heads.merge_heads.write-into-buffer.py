"""Allocates the wide tensor and writes each head into its own columns."""


def merge_heads(x):
    batch, heads, time, k = x.shape
    wide = x.new_zeros((batch, time, heads * k))
    for head in range(heads):
        wide[:, :, head * k:(head + 1) * k] = x[:, head]
    return wide
