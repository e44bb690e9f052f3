"""CAUSE: makes one block and writes the same tensors under every block's keys"""
import torch

# shows: n_blocks=2: blocks.0.attn.wq and blocks.1.attn.wq are one tensor, training one trains both


def init_gpt2(config, seed):
    gen = torch.Generator()
    gen.manual_seed(seed)
    D, F, N = config["d_model"], config["d_hidden"], config["n_blocks"]

    def normal(rows, cols, std=0.02):
        return torch.empty(rows, cols).normal_(0.0, std, generator=gen)

    out_std = 0.02 / (2 * N) ** 0.5 if N else 0.02
    block = {}
    for name in ("ln1", "ln2"):
        block[name + ".gamma"] = torch.ones(D)
        block[name + ".beta"] = torch.zeros(D)
    for name in ("q", "k", "v"):
        block["attn.w" + name] = normal(D, D)
        block["attn.b" + name] = torch.zeros(D)
    block.update({"attn.wo": normal(D, D, out_std), "attn.bo": torch.zeros(D)})
    block.update({"mlp.w_in": normal(F, D), "mlp.b_in": torch.zeros(F)})
    block.update({"mlp.w_out": normal(D, F, out_std), "mlp.b_out": torch.zeros(D)})
    weights = {"wte": normal(config["vocab"], D), "wpe": normal(config["max_positions"], D)}
    for n in range(N):
        for key, value in block.items():
            weights[f"blocks.{n}.{key}"] = value
    weights["ln_f.gamma"] = torch.ones(D)
    weights["ln_f.beta"] = torch.zeros(D)
    return weights
