"""A list of (rows, inner, columns, times) and one sum."""
def forward_flops(config, seq):
    D, H, G = config["d_model"], config["n_heads"], config["n_kv_heads"]
    K, F, N = D // H, config["d_hidden"], config["n_blocks"]
    matmuls = [
        (seq, D, D, N),
        (seq, D, G * K, 2 * N),
        (seq, K, seq, H * N),
        (seq, seq, K, H * N),
        (seq, D, D, N),
        (seq, D, F, 2 * N),
        (seq, F, D, N),
        (seq, D, config["vocab"], 1),
    ]
    return sum(2 * rows * inner * columns * times for rows, inner, columns, times in matmuls)
