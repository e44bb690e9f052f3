"""Its own torch generator, one randn for each matrix, scaled as it goes into the dict."""
import math
import torch


def init_gpt2(config, seed):
    source = torch.Generator().manual_seed(seed)
    d, f, n = config["d_model"], config["d_hidden"], config["n_blocks"]

    def normal(*shape, std=0.02):
        return torch.randn(*shape, generator=source, dtype=torch.float32) * std

    weights = {"wte": normal(config["vocab"], d), "wpe": normal(config["max_positions"], d)}
    for block in range(n):
        p = f"blocks.{block}."
        small = 0.02 / math.sqrt(2 * n)
        for norm in ("ln1", "ln2"):
            weights[p + norm + ".gamma"] = torch.ones(d, dtype=torch.float32)
            weights[p + norm + ".beta"] = torch.zeros(d, dtype=torch.float32)
        for c in "qkvo":
            weights[p + "attn.w" + c] = normal(d, d, std=small if c == "o" else 0.02)
            weights[p + "attn.b" + c] = torch.zeros(d, dtype=torch.float32)
        weights[p + "mlp.w_in"] = normal(f, d)
        weights[p + "mlp.b_in"] = torch.zeros(f, dtype=torch.float32)
        weights[p + "mlp.w_out"] = normal(d, f, std=small)
        weights[p + "mlp.b_out"] = torch.zeros(d, dtype=torch.float32)
    weights["ln_f.gamma"] = torch.ones(d, dtype=torch.float32)
    weights["ln_f.beta"] = torch.zeros(d, dtype=torch.float32)
    return weights
