"""One closed formula for each family."""


def count_parameters(config):
    V, D, N, F = (config[key] for key in ("vocab", "d_model", "n_blocks", "d_hidden"))
    output = 0 if config["tied"] else V * D
    if config["family"] == "gpt2":
        attention = 4 * (D * D + D)
        mlp = 2 * D * F + F + D
        return V * D + config["max_positions"] * D + N * (attention + mlp + 4 * D) + 2 * D + output
    if config["family"] == "llama":
        kv = config["n_kv_heads"] * (D // config["n_heads"])
        return V * D + N * (2 * D * D + 2 * D * kv + 3 * D * F + 2 * D) + D + output
    raise ValueError(f"unknown family {config['family']!r}")
