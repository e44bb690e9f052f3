"""CAUSE: forgotten: the unembedding matmul is not counted"""
def forward_flops(config, seq):
    D = config["d_model"]
    K = D // config["n_heads"]
    per_token = 2 * (2 * D * D + 2 * D * config["n_kv_heads"] * K + 3 * D * config["d_hidden"]) + 4 * seq * D
    return config["n_blocks"] * seq * per_token
