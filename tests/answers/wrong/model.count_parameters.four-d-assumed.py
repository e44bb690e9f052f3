"""CAUSE: takes the GPT-2 hidden width as 4D and never reads d_hidden"""
# shows: gpt2 with d_model=8, d_hidden=20 is counted as if it were 32; GPT-2 small is right


def count_parameters(config):
    V, D, N = config["vocab"], config["d_model"], config["n_blocks"]
    head = 0 if config["tied"] else V * D
    if config["family"] == "gpt2":
        return V * D + config["max_positions"] * D + N * (12 * D * D + 13 * D) + 2 * D + head
    kv = 2 * D * config["n_kv_heads"] * (D // config["n_heads"])
    return V * D + N * (2 * D * D + kv + 3 * D * config["d_hidden"] + 2 * D) + D + head
