"""CAUSE: uses the model width D for the rows too, so a key projection with fewer rows than D breaks"""
# shows: weight (4, 8) (two kv heads of width 2) with n_heads=2 -> RuntimeError; (8, 8) is right


def interleaved_to_half(weight, n_heads):
    dim = weight.shape[1]
    if weight.shape[0] % n_heads != 0 or (weight.shape[0] // n_heads) % 2:
        raise ValueError("rows not divisible into even heads")

    def permute(w):
        return w.view(n_heads, dim // n_heads // 2, 2, dim).transpose(1, 2).reshape(dim, dim)

    return permute(weight.contiguous())
