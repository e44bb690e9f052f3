"""CAUSE: scales the output projections by sqrt(N), there are two of them in each block"""
import torch

# shows: n_blocks=8, d_model=64: std of attn.wo is 0.0071 instead of 0.005


def init_gpt2(config, seed):
    g = torch.Generator().manual_seed(seed)
    D, F, N = config["d_model"], config["d_hidden"], config["n_blocks"]
    shapes = {"wte": (config["vocab"], D), "wpe": (config["max_positions"], D)}
    for i in range(N):
        b = f"blocks.{i}."
        shapes.update({b + "ln1.gamma": (D,), b + "ln1.beta": (D,), b + "ln2.gamma": (D,), b + "ln2.beta": (D,)})
        for c in "qkvo":
            shapes[b + f"attn.w{c}"] = (D, D)
            shapes[b + f"attn.b{c}"] = (D,)
        shapes.update({b + "mlp.w_in": (F, D), b + "mlp.b_in": (F,), b + "mlp.w_out": (D, F), b + "mlp.b_out": (D,)})
    shapes.update({"ln_f.gamma": (D,), "ln_f.beta": (D,)})
    out = {}
    for name, shape in shapes.items():
        if name.endswith("gamma"):
            out[name] = torch.ones(shape)
        elif len(shape) == 1:
            out[name] = torch.zeros(shape)
        else:
            out[name] = torch.randn(shape, generator=g) * 0.02
            if name.endswith(("attn.wo", "mlp.w_out")):
                out[name] /= N ** 0.5
    return out
