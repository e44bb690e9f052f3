"""CAUSE: misreading: keys and values are projected to the full width, n_kv_heads is ignored"""
def forward_flops(config, seq):
    D, F, N, V = (config[k] for k in ("d_model", "d_hidden", "n_blocks", "vocab"))
    projections = 4 * 2 * seq * D * D
    attention = 2 * 2 * seq * seq * D
    mlp = 3 * 2 * seq * D * F
    return N * (projections + attention + mlp) + 2 * seq * D * V
