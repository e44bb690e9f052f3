"""Lists names and shapes first, then fills them by rules on the name, with a numpy generator."""
import numpy as np
import torch


def _shapes(config):
    d, f = config["d_model"], config["d_hidden"]
    yield "wte", (config["vocab"], d)
    yield "wpe", (config["max_positions"], d)
    block = {"ln1.gamma": (d,), "ln1.beta": (d,), "ln2.gamma": (d,), "ln2.beta": (d,),
             "mlp.w_in": (f, d), "mlp.b_in": (f,), "mlp.w_out": (d, f), "mlp.b_out": (d,)}
    for letter in "qkvo":
        block["attn.w" + letter] = (d, d)
        block["attn.b" + letter] = (d,)
    for n in range(config["n_blocks"]):
        for name, shape in block.items():
            yield f"blocks.{n}.{name}", shape
    yield "ln_f.gamma", (d,)
    yield "ln_f.beta", (d,)


def init_gpt2(config, seed):
    rng = np.random.default_rng(seed % 2 ** 63)
    weights = {}
    for name, shape in _shapes(config):
        last = name.rsplit(".", 1)[-1]
        if last == "gamma":
            value = np.ones(shape)
        elif last == "beta" or last.startswith("b"):
            value = np.zeros(shape)
        else:
            std = 0.02
            if last in ("wo", "w_out"):
                std /= np.sqrt(2 * config["n_blocks"])
            value = rng.standard_normal(shape, dtype=np.float32) * std
        weights[name] = torch.from_numpy(value.astype(np.float32))
    return weights
