"""CAUSE: misreading: scores and context are counted for Hkv heads, but every query head has its own scores"""
def forward_flops(config, seq):
    D, H, G = config["d_model"], config["n_heads"], config["n_kv_heads"]
    K = D // H
    f = 2 * seq * D * D * 2 + 2 * seq * D * G * K * 2
    f += 2 * G * seq * seq * K * 2
    f += 2 * seq * D * config["d_hidden"] * 3
    return f * config["n_blocks"] + 2 * seq * D * config["vocab"]
