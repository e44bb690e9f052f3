"""CAUSE: misreading: the rule of thumb 2 * parameters * tokens, with embedding table and gains and without the attention products"""
def forward_flops(config, seq):
    D, F, V, N = config["d_model"], config["d_hidden"], config["vocab"], config["n_blocks"]
    kv = config["n_kv_heads"] * (D // config["n_heads"])
    parameters = N * (2 * D * D + 2 * D * kv + 3 * D * F + 2 * D) + D + V * D * (1 if config["tied"] else 2)
    return 2 * parameters * seq
