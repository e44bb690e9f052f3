"""CAUSE: reports the context after merging the heads"""
# shows: context is (B, T, D), should be (B, H, T, K)


def trace_block(config):
    c = config
    b, t, d = c["batch"], c["seq"], c["d_model"]
    k = d // c["n_heads"]
    stages = []
    add = lambda name, *shape: stages.append((name, shape))
    add("input", b, t, d)
    add("norm1", b, t, d)
    add("q", b, c["n_heads"], t, k)
    add("k", b, c["n_kv_heads"], t, k)
    add("v", b, c["n_kv_heads"], t, k)
    for n in ("scores", "weights"):
        add(n, b, c["n_heads"], t, t)
    for n in ("context", "attn_out", "residual1", "norm2"):
        add(n, b, t, d)
    for n in ("gate", "up", "hidden"):
        add(n, b, t, c["d_hidden"])
    add("mlp_out", b, t, d)
    add("residual2", b, t, d)
    return stages
