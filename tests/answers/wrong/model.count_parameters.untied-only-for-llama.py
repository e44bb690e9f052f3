"""CAUSE: takes GPT-2 as tied always and ignores tied = False there"""
# shows: gpt2 with tied=False: V*D too few


def count_parameters(config):
    V = config["vocab"]; D = config["d_model"]; N = config["n_blocks"]
    H = config["n_heads"]; F = config["d_hidden"]
    n = V * D
    if config["family"] == "gpt2":
        n += config["max_positions"] * D
        for _ in range(N):
            n += 2 * D                  # ln1
            n += 4 * (D * D + D)        # attention
            n += 2 * D                  # ln2
            n += F * D + F + D * F + D  # mlp
        n += 2 * D
    elif config["family"] == "llama":
        K = D // H
        for _ in range(N):
            n += D + D
            n += 2 * D * D + 2 * config["n_kv_heads"] * K * D
            n += 3 * D * F
        n += D
        if not config["tied"]:
            n += V * D
    return n
