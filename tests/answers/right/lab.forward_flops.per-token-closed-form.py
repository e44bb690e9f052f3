"""Multiply-adds a token in closed form, doubled and multiplied at the end."""
def forward_flops(config, seq):
    d = config["d_model"]
    kv = config["n_kv_heads"] * (d // config["n_heads"])
    a_block = 2 * d * (d + kv) + 2 * seq * d + 3 * d * config["d_hidden"]
    return (config["n_blocks"] * a_block + d * config["vocab"]) * seq * 2
