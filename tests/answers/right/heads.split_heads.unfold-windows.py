"""Slides a window of width K over the features in steps of K; every window is one head."""


def split_heads(x, n_heads):
    width = x.shape[-1]
    if n_heads < 1 or width % n_heads != 0:
        raise ValueError(f"width {width} cannot be cut into {n_heads} heads")
    k = width // n_heads
    # unfold: (B, T, D) -> (B, T, H, K), a view with no copy
    return x.unfold(-1, k, k).movedim(-2, -3)
