"""CAUSE: misreading: the MLP is counted with two matrices as in GPT-2, SwiGLU has three"""
def forward_flops(config, seq):
    D, H = config["d_model"], config["n_heads"]
    kv_width = D // H * config["n_kv_heads"]
    total = 0
    for _ in range(config["n_blocks"]):
        total += 2 * seq * D * (D + kv_width + kv_width + D)
        total += 2 * seq * seq * D * 2
        total += 2 * seq * D * config["d_hidden"] * 2
    total += 2 * seq * D * config["vocab"]
    return total
