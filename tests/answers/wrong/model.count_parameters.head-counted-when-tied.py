"""CAUSE: adds the V*D output matrix also when it is tied to the embedding; CAUSE: leaves out the final norm"""
# shows: GPT-2 small: 163,035,648 instead of 124,439,808; llama untied is D too small


def count_parameters(config):
    d, h = config["d_model"], config["d_hidden"]
    embedding = config["vocab"] * d
    lm_head = config["vocab"] * d
    if config["family"] == "gpt2":
        positions = config["max_positions"] * d
        block = (d * d + d) * 4 + (d * h + h) + (h * d + d) + 4 * d
        return embedding + positions + config["n_blocks"] * block + lm_head
    kv_width = config["n_kv_heads"] * (d // config["n_heads"])
    block = d * d * 2 + d * kv_width * 2 + d * h * 3 + 2 * d
    return embedding + config["n_blocks"] * block + lm_head
