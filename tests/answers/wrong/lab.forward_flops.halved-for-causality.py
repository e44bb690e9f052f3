"""CAUSE: misreading: scores and context are halved because of the causal mask"""
def forward_flops(config, seq):
    d = config["d_model"]
    w = d // config["n_heads"]
    qo = 2 * (2 * seq * d * d)
    kv = 2 * (2 * seq * d * config["n_kv_heads"] * w)
    att = (2 * (2 * seq * seq * d)) // 2
    mlp = 6 * seq * d * config["d_hidden"]
    return config["n_blocks"] * (qo + kv + att + mlp) + 2 * seq * d * config["vocab"]
