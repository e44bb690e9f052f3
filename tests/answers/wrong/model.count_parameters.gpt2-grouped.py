"""CAUSE: one attention count for both families, so n_kv_heads shrinks wk and wv of GPT-2 too"""
# shows: gpt2 with n_heads=4, n_kv_heads=2: too few; n_kv_heads = n_heads is right


def _linear(n_in, n_out, bias):
    return n_in * n_out + (n_out if bias else 0)


def count_parameters(config):
    gpt = config["family"] == "gpt2"
    D, F = config["d_model"], config["d_hidden"]
    kv = (D // config["n_heads"]) * config["n_kv_heads"]
    attention = 2 * _linear(D, D, gpt) + 2 * _linear(D, kv, gpt)
    mlp = _linear(D, F, gpt) + _linear(F, D, gpt) if gpt else 3 * _linear(D, F, False)
    norm = 2 * D if gpt else D
    total = config["n_blocks"] * (attention + mlp + 2 * norm) + norm
    total += config["vocab"] * D * (1 if config["tied"] else 2)
    if gpt:
        total += config["max_positions"] * D
    return total
