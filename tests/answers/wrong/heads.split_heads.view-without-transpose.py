"""CAUSE: views straight to (B, H, T, K) and so cuts time into heads instead of features"""
# shows: x = torch.arange(12.).reshape(1, 3, 4), n_heads=2: head 0 holds tokens 0 and half of 1, shape is fine


def split_heads(x, n_heads):
    bs, seqlen, dim = x.shape
    if dim % n_heads != 0:
        raise ValueError(f"{dim} features do not divide over {n_heads} heads")
    return x.contiguous().view(bs, n_heads, seqlen, dim // n_heads)
