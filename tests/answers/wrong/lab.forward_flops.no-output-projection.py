"""CAUSE: forgotten: wo is left out of the projections"""
def forward_flops(config, seq):
    D = config["d_model"]
    K = D // config["n_heads"]
    q = 2 * seq * D * D
    kv = 2 * 2 * seq * D * config["n_kv_heads"] * K
    attention = 4 * seq * seq * D
    mlp = 3 * 2 * seq * D * config["d_hidden"]
    return config["n_blocks"] * (q + kv + attention + mlp) + 2 * seq * D * config["vocab"]
