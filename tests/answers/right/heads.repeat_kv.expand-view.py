"""Adds an axis of stride 0 behind the kv heads and flattens it in; n = 1 gives the input back."""


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError("each kv head must serve at least one query head")
    if n_repeats == 1:
        return x
    batch, kv, time, width = x.shape
    wide = x.unsqueeze(2).expand(batch, kv, n_repeats, time, width)
    return wide.reshape(batch, kv * n_repeats, time, width)
