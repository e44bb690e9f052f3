"""CAUSE: formula: a multiply-add is counted as one operation, the result is half"""
def forward_flops(config, seq):
    D, F = config["d_model"], config["d_hidden"]
    K = D // config["n_heads"]
    kv = config["n_kv_heads"] * K
    block = seq * (2 * D * D + 2 * D * kv + 3 * D * F) + 2 * seq * seq * D
    return config["n_blocks"] * block + seq * D * config["vocab"]
