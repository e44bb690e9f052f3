"""CAUSE: thinks grouped-query attention makes one score matrix per kv head; CAUSE: leaves out the stage hidden"""
# shows: n_heads=4, n_kv_heads=2: scores and weights are (B, 2, T, T); the list has 15 stages instead of 16


def trace_block(config):
    B, T, D = config["batch"], config["seq"], config["d_model"]
    H, G, F = config["n_heads"], config["n_kv_heads"], config["d_hidden"]
    K = D // H
    res = [B, T, D]
    return [
        ["input", res],
        ["norm1", res],
        ["q", [B, H, T, K]],
        ["k", [B, G, T, K]],
        ["v", [B, G, T, K]],
        ["scores", [B, G, T, T]],
        ["weights", [B, G, T, T]],
        ["context", [B, H, T, K]],
        ["attn_out", res],
        ["residual1", res],
        ["norm2", res],
        ["gate", [B, T, F]],
        ["up", [B, T, F]],
        ["mlp_out", res],
        ["residual2", res],
    ]
