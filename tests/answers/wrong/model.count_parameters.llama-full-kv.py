"""CAUSE: counts wk and wv as (D, D), whatever n_kv_heads is"""
# shows: llama with n_heads=4, n_kv_heads=2: too many by D*D a block; LLaMA-7B is right


def count_parameters(config):
    vocab, d, f = config["vocab"], config["d_model"], config["d_hidden"]
    attn = 4 * d * d
    if config["family"] == "llama":
        per_block = attn + 3 * d * f + 2 * d
        extra = d
    else:
        per_block = attn + 4 * d + 2 * d * f + f + d + 2 * 2 * d
        extra = config["max_positions"] * d + 2 * d
    total = vocab * d + config["n_blocks"] * per_block + extra
    if not config["tied"]:
        total += vocab * d
    return total
