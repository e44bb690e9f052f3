"""CAUSE: counts only the matrices of the GPT-2 blocks, not their biases"""
# shows: GPT-2 small: 124,356,864 instead of 124,439,808; LLaMA-7B is right


def count_parameters(config):
    c = config
    D, V, N, F = c["d_model"], c["vocab"], c["n_blocks"], c["d_hidden"]
    if c["family"] == "gpt2":
        block = 4 * D * D + 2 * D * F + 4 * D
        total = V * D + c["max_positions"] * D + N * block + 2 * D
    else:
        kv = D // c["n_heads"] * c["n_kv_heads"]
        block = 2 * D * D + 2 * D * kv + 3 * D * F + 2 * D
        total = V * D + N * block + D
    return total if c["tied"] else total + V * D
