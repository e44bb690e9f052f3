"""CAUSE: returns a dict from stage to shape instead of a list of pairs"""
# shows: list(trace_block(config))[0] is the string "input", not a pair


def trace_block(config):
    B, T, D, H, Hkv, F = [config[n] for n in ("batch", "seq", "d_model", "n_heads", "n_kv_heads", "d_hidden")]
    K = D // H
    return {
        "input": (B, T, D), "norm1": (B, T, D),
        "q": (B, H, T, K), "k": (B, Hkv, T, K), "v": (B, Hkv, T, K),
        "scores": (B, H, T, T), "weights": (B, H, T, T), "context": (B, H, T, K),
        "attn_out": (B, T, D), "residual1": (B, T, D), "norm2": (B, T, D),
        "gate": (B, T, F), "up": (B, T, F), "hidden": (B, T, F),
        "mlp_out": (B, T, D), "residual2": (B, T, D),
    }
