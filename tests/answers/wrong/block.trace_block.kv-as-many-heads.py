"""CAUSE: gives k and v the H heads they have after repeating, instead of Hkv"""
# shows: n_heads=4, n_kv_heads=2: k is (B, 4, T, K), should be (B, 2, T, K)


def trace_block(config):
    B, T, D = config["batch"], config["seq"], config["d_model"]
    H, F = config["n_heads"], config["d_hidden"]
    K = D // H
    h = (B, T, D)
    heads = (B, H, T, K)
    att = (B, H, T, T)
    ff = (B, T, F)
    return [("input", h), ("norm1", h), ("q", heads), ("k", heads), ("v", heads), ("scores", att), ("weights", att),
            ("context", heads), ("attn_out", h), ("residual1", h), ("norm2", h), ("gate", ff), ("up", ff),
            ("hidden", ff), ("mlp_out", h), ("residual2", h)]
