"""CAUSE: stops at (B, T, H, K) and never moves the head axis in front of time"""
# shows: x of shape (2, 5, 6), n_heads=3 -> shape (2, 5, 3, 2), should be (2, 3, 5, 2)


def split_heads(x, n_heads):
    batch, time, width = x.shape
    if width % n_heads:
        raise ValueError("cannot split %d features into %d heads" % (width, n_heads))
    head_width = width // n_heads
    return x.unflatten(-1, (n_heads, head_width))
