"""CAUSE: initializes wpe with std 0.01, as OpenAI's code did, the course says 0.02"""
import torch

# shows: max_positions=256, d_model=64: wpe.std() is 0.01


def init_gpt2(config, seed):
    gen = torch.Generator().manual_seed(seed)
    D, N, F = config["d_model"], config["n_blocks"], config["d_hidden"]
    rnd = lambda shape, s: s * torch.randn(shape, generator=gen)
    res = 0.02 * (2 * N) ** -0.5 if N > 0 else 0.02
    model = {}
    model["wte"] = rnd((config["vocab"], D), 0.02)
    model["wpe"] = rnd((config["max_positions"], D), 0.01)
    for n in range(N):
        p = "blocks." + str(n) + "."
        for x in "qkv":
            model[p + "attn.w" + x] = rnd((D, D), 0.02)
        model[p + "attn.wo"] = rnd((D, D), res)
        model[p + "mlp.w_in"] = rnd((F, D), 0.02)
        model[p + "mlp.w_out"] = rnd((D, F), res)
        for zero, size in [("attn.bq", D), ("attn.bk", D), ("attn.bv", D), ("attn.bo", D), ("mlp.b_in", F),
                           ("mlp.b_out", D), ("ln1.beta", D), ("ln2.beta", D)]:
            model[p + zero] = torch.zeros(size)
        model[p + "ln1.gamma"] = torch.ones(D)
        model[p + "ln2.gamma"] = torch.ones(D)
    model["ln_f.gamma"] = torch.ones(D)
    model["ln_f.beta"] = torch.zeros(D)
    return model
