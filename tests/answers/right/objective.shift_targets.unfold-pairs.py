"""Slide a window of two over the sequence: each pair is (input, target)."""


def shift_targets(tokens):
    length = tokens.size(1)
    if length <= 1:
        raise ValueError(f"a sequence of {length} token(s) gives no training signal")
    pairs = tokens.unfold(1, 2, 1)
    return pairs.unbind(dim=-1)
