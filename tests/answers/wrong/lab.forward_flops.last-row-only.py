"""CAUSE: misreading: logits are counted for the last position only, as in generation"""
def forward_flops(config, seq):
    D = config["d_model"]
    K = D // config["n_heads"]
    block = 4 * seq * D * D + 4 * seq * D * config["n_kv_heads"] * K + 4 * seq * seq * D + 6 * seq * D * config["d_hidden"]
    return config["n_blocks"] * block + 2 * D * config["vocab"]
