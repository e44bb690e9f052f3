"""CAUSE: applies the inverse permutation (half to interleaved), which is the same one only for K = 2 and K = 4"""
# shows: weight = arange(6)[:, None], n_heads=1: rows 0,3,1,4,2,5 instead of 0,2,4,1,3,5


def interleaved_to_half(weight, n_heads):
    rows, cols = weight.shape
    if rows % n_heads or (rows // n_heads) % 2:
        raise ValueError("rows cannot be split into heads of even width")
    k = rows // n_heads
    return weight.reshape(n_heads, 2, k // 2, cols).transpose(1, 2).reshape(rows, cols)
