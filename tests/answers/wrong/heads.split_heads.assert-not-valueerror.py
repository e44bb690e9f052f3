"""CAUSE: guards the width with assert, so a bad width raises AssertionError and not ValueError"""
# shows: x of shape (2, 3, 10) with n_heads=4 -> AssertionError


def split_heads(x, n_heads):
    B, T, C = x.shape
    assert C % n_heads == 0, "embedding size must be divisible by the number of heads"
    return x.reshape(B, T, n_heads, C // n_heads).permute(0, 2, 1, 3)
