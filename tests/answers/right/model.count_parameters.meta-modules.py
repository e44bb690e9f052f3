"""Builds the model out of nn modules on the meta device, without memory, and counts what parameters() yields."""
from torch import nn


def _block(family, d, f, kv):
    bias = family == "gpt2"
    norm = nn.LayerNorm if bias else nn.RMSNorm
    inner = [(d, f), (f, d)] if bias else [(d, f), (d, f), (f, d)]
    linear = [(d, d), (d, kv), (d, kv), (d, d)] + inner
    return nn.ModuleList(
        [norm(d, device="meta"), norm(d, device="meta")]
        + [nn.Linear(a, b, bias=bias, device="meta") for a, b in linear])


def count_parameters(config):
    family, d = config["family"], config["d_model"]
    if family not in ("gpt2", "llama"):
        raise ValueError(f"no such family: {family}")
    gpt2 = family == "gpt2"
    kv = d if gpt2 else config["n_kv_heads"] * (d // config["n_heads"])
    parts = [nn.Embedding(config["vocab"], d, device="meta"),
             (nn.LayerNorm if gpt2 else nn.RMSNorm)(d, device="meta")]
    if gpt2:
        parts.append(nn.Embedding(config["max_positions"], d, device="meta"))
    head = nn.Linear(d, config["vocab"], bias=False, device="meta")
    if config["tied"]:
        head.weight = parts[0].weight
    parts.append(head)
    parts += [_block(family, d, config["d_hidden"], kv) for _ in range(config["n_blocks"])]
    return sum(p.numel() for p in nn.ModuleList(parts).parameters())
