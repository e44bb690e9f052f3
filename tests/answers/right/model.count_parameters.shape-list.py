"""Lists the shape of every tensor of the model and sums the products."""
from collections import Counter
from math import prod


def count_parameters(config):
    family = config["family"]
    v, d, f = config["vocab"], config["d_model"], config["d_hidden"]
    shapes = Counter()
    shapes[v, d] += 1 if config["tied"] else 2
    block = Counter()
    if family == "gpt2":
        shapes[config["max_positions"], d] += 1
        shapes[d,] += 2
        block.update([(d, d)] * 4 + [(d,)] * 4 + [(d,)] * 4 + [(f, d), (f,), (d, f), (d,)])
    elif family == "llama":
        kv = d // config["n_heads"] * config["n_kv_heads"]
        shapes[d,] += 1
        block.update([(d, d)] * 2 + [(kv, d)] * 2 + [(f, d)] * 2 + [(d, f)] + [(d,)] * 2)
    else:
        raise ValueError("family is gpt2 or llama")
    for shape, times in block.items():
        shapes[shape] += times * config["n_blocks"]
    return sum(times * prod(shape) for shape, times in shapes.items())
