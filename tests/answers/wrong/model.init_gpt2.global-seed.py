"""CAUSE: seeds and uses the global generator, the caller's random state is lost"""
import math
import torch

# shows: torch.manual_seed(1); init_gpt2(config, 0); torch.rand(1) is not what it is without the call


def init_gpt2(config, seed):
    torch.manual_seed(seed)
    V, D, N, F = config["vocab"], config["d_model"], config["n_blocks"], config["d_hidden"]
    std = 0.02
    small = std / math.sqrt(2 * N)
    w = {"wte": torch.randn(V, D) * std, "wpe": torch.randn(config["max_positions"], D) * std}
    for n in range(N):
        p = f"blocks.{n}."
        for ln in ("ln1", "ln2"):
            w[p + ln + ".gamma"] = torch.ones(D)
            w[p + ln + ".beta"] = torch.zeros(D)
        for c in "qkvo":
            w[p + "attn.w" + c] = torch.randn(D, D) * (small if c == "o" else std)
            w[p + "attn.b" + c] = torch.zeros(D)
        w[p + "mlp.w_in"] = torch.randn(F, D) * std
        w[p + "mlp.b_in"] = torch.zeros(F)
        w[p + "mlp.w_out"] = torch.randn(D, F) * small
        w[p + "mlp.b_out"] = torch.zeros(D)
    w["ln_f.gamma"], w["ln_f.beta"] = torch.ones(D), torch.zeros(D)
    return w
