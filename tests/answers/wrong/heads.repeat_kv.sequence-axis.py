"""CAUSE: repeats along axis 2, remembered from code that keeps (B, T, H, K)"""
# shows: x of shape (1, 2, 3, 4), n=2 -> (1, 2, 6, 4), should be (1, 4, 3, 4)


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError("n_repeats has to be positive")
    return x.repeat_interleave(n_repeats, dim=2)
