"""CAUSE: forgotten: the product of weights and values is left out"""
def forward_flops(config, seq):
    D = config["d_model"]
    kv = D * config["n_kv_heads"] // config["n_heads"]
    block = 2 * seq * D * (2 * D + 2 * kv + 3 * config["d_hidden"]) + 2 * seq * seq * D
    return config["n_blocks"] * block + 2 * seq * D * config["vocab"]
