"""CAUSE: scales only attn.wo, mlp.w_out keeps std 0.02"""
import math
import torch

# shows: n_blocks=8, d_model=64, d_hidden=256: std of mlp.w_out is 0.02 instead of 0.005


def init_gpt2(config, seed):
    rng = torch.Generator(device="cpu").manual_seed(seed)
    vocab, d, hidden, depth = (config[k] for k in ("vocab", "d_model", "d_hidden", "n_blocks"))

    def init(*shape, std=0.02):
        return torch.normal(0.0, std, size=shape, generator=rng)

    params = {"wte": init(vocab, d), "wpe": init(config["max_positions"], d)}
    for layer in range(depth):
        params |= {
            f"blocks.{layer}.ln1.gamma": torch.ones(d),
            f"blocks.{layer}.ln1.beta": torch.zeros(d),
            f"blocks.{layer}.attn.wq": init(d, d),
            f"blocks.{layer}.attn.bq": torch.zeros(d),
            f"blocks.{layer}.attn.wk": init(d, d),
            f"blocks.{layer}.attn.bk": torch.zeros(d),
            f"blocks.{layer}.attn.wv": init(d, d),
            f"blocks.{layer}.attn.bv": torch.zeros(d),
            f"blocks.{layer}.attn.wo": init(d, d, std=0.02 / math.sqrt(2 * depth)),
            f"blocks.{layer}.attn.bo": torch.zeros(d),
            f"blocks.{layer}.ln2.gamma": torch.ones(d),
            f"blocks.{layer}.ln2.beta": torch.zeros(d),
            f"blocks.{layer}.mlp.w_in": init(hidden, d),
            f"blocks.{layer}.mlp.b_in": torch.zeros(hidden),
            f"blocks.{layer}.mlp.w_out": init(d, hidden),
            f"blocks.{layer}.mlp.b_out": torch.zeros(d),
        }
    params |= {"ln_f.gamma": torch.ones(d), "ln_f.beta": torch.zeros(d)}
    return params
