"""CAUSE: misreading: with tied weights the unembedding is skipped, though the matmul is computed all the same"""
def forward_flops(config, seq):
    D = config["d_model"]
    K = D // config["n_heads"]
    macs = config["n_blocks"] * (2 * D * D + 2 * D * config["n_kv_heads"] * K + 2 * seq * D + 3 * D * config["d_hidden"])
    if not config["tied"]:
        macs += D * config["vocab"]
    return 2 * seq * macs
