"""CAUSE: stores the MLP matrices (in, out), as the Conv1D of GPT-2 does; CAUSE: returns tensors that require a gradient"""
import math
import torch
import torch.nn as nn

# shows: d_model=8, d_hidden=20: mlp.w_in is (8, 20), should be (20, 8); wte.requires_grad is True


def init_gpt2(config, seed):
    gen = torch.Generator().manual_seed(seed)
    E, Hid = config["d_model"], config["d_hidden"]
    L = config["n_blocks"]

    def mat(a, b, scale=1.0):
        return nn.Parameter(torch.randn(a, b, generator=gen) * 0.02 * scale)

    def const(n, value):
        return nn.Parameter(torch.full((n,), value))

    sd = {"wte": mat(config["vocab"], E), "wpe": mat(config["max_positions"], E)}
    for l in range(L):
        k = f"blocks.{l}."
        sd[k + "ln1.gamma"], sd[k + "ln1.beta"] = const(E, 1.0), const(E, 0.0)
        sd[k + "ln2.gamma"], sd[k + "ln2.beta"] = const(E, 1.0), const(E, 0.0)
        for name in ("q", "k", "v", "o"):
            sd[k + "attn.w" + name] = mat(E, E, 1 / math.sqrt(2 * L) if name == "o" else 1.0)
            sd[k + "attn.b" + name] = const(E, 0.0)
        sd[k + "mlp.w_in"], sd[k + "mlp.b_in"] = mat(E, Hid), const(Hid, 0.0)
        sd[k + "mlp.w_out"], sd[k + "mlp.b_out"] = mat(Hid, E, 1 / math.sqrt(2 * L)), const(E, 0.0)
    sd["ln_f.gamma"], sd["ln_f.beta"] = const(E, 1.0), const(E, 0.0)
    return sd
