"""CAUSE: computes the head width of k and v as D / Hkv"""
# shows: D=8, n_heads=4, n_kv_heads=2: k is (B, 2, T, 4), should be (B, 2, T, 2); Hkv = H is right


def trace_block(config):
    B = config["batch"]; T = config["seq"]; D = config["d_model"]
    H = config["n_heads"]; G = config["n_kv_heads"]; F = config["d_hidden"]
    shapes = dict(input=(B, T, D), norm1=(B, T, D))
    shapes["q"] = (B, H, T, D // H)
    shapes["k"] = shapes["v"] = (B, G, T, D // G)
    shapes["scores"] = shapes["weights"] = (B, H, T, T)
    shapes["context"] = (B, H, T, D // H)
    shapes.update(attn_out=(B, T, D), residual1=(B, T, D), norm2=(B, T, D))
    shapes.update(gate=(B, T, F), up=(B, T, F), hidden=(B, T, F))
    shapes.update(mlp_out=(B, T, D), residual2=(B, T, D))
    return list(shapes.items())
