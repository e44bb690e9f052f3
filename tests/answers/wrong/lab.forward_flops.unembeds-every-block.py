"""CAUSE: precedence: the unembedding is added inside the bracket and so multiplied by the number of blocks"""
def forward_flops(config, seq):
    D = config["d_model"]
    K = D // config["n_heads"]
    flops = 2 * seq * D * (2 * D + 2 * config["n_kv_heads"] * K)
    flops += 2 * 2 * config["n_heads"] * seq * seq * K
    flops += 2 * seq * D * 3 * config["d_hidden"]
    flops += 2 * seq * D * config["vocab"]
    return flops * config["n_blocks"]
