"""Moves the head axis next to the width and flattens the two."""


def merge_heads(x):
    return x.permute(0, 2, 1, 3).flatten(start_dim=2)
