"""CAUSE: inserts the repeat axis after time instead of after the heads, so tokens are repeated and then mis-cut into heads"""
# shows: x of shape (1, 1, 2, 1) = [[[a],[b]]], n=2 -> heads (a,a) and (b,b), should be (a,b) twice


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError("need n_repeats >= 1")
    bs, n_kv, slen, hd = x.shape
    return (
        x[:, :, :, None, :]
        .expand(bs, n_kv, slen, n_repeats, hd)
        .reshape(bs, n_kv * n_repeats, slen, hd)
    )
