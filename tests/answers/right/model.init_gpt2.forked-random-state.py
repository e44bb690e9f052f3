"""Seeds torch's global generator inside fork_rng, which puts the old state back, and fills with normal_."""
import torch


@torch.no_grad()
def init_gpt2(config, seed):
    d, f, n = config["d_model"], config["d_hidden"], config["n_blocks"]
    weights = {}

    def add(name, *shape, std=None, fill=0.0):
        tensor = torch.empty(shape, dtype=torch.float32)
        weights[name] = tensor.fill_(fill) if std is None else tensor.normal_(0.0, std)

    with torch.random.fork_rng(devices=[]):
        torch.random.default_generator.manual_seed(seed)
        add("wte", config["vocab"], d, std=0.02)
        add("wpe", config["max_positions"], d, std=0.02)
        for i in range(n):
            out = 0.02 * (2 * n) ** -0.5
            add(f"blocks.{i}.ln1.gamma", d, fill=1.0)
            add(f"blocks.{i}.ln1.beta", d)
            for matrix, std in (("q", 0.02), ("k", 0.02), ("v", 0.02), ("o", out)):
                add(f"blocks.{i}.attn.w{matrix}", d, d, std=std)
                add(f"blocks.{i}.attn.b{matrix}", d)
            add(f"blocks.{i}.ln2.gamma", d, fill=1.0)
            add(f"blocks.{i}.ln2.beta", d)
            add(f"blocks.{i}.mlp.w_in", f, d, std=0.02)
            add(f"blocks.{i}.mlp.b_in", f)
            add(f"blocks.{i}.mlp.w_out", d, f, std=out)
            add(f"blocks.{i}.mlp.b_out", d)
        add("ln_f.gamma", d, fill=1.0)
        add("ln_f.beta", d)
    return weights
