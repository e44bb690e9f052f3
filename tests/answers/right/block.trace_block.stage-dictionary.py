"""Starts from the width of the stream for all stages and overwrites those that differ; a python dict keeps the order."""
import torch


def trace_block(config):
    batch, seq = config["batch"], config["seq"]
    head_width = config["d_model"] // config["n_heads"]
    names = ("input norm1 q k v scores weights context attn_out residual1 "
             "norm2 gate up hidden mlp_out residual2").split()
    shapes = dict.fromkeys(names, torch.Size((batch, seq, config["d_model"])))
    for name in ("q", "context"):
        shapes[name] = torch.Size((batch, config["n_heads"], seq, head_width))
    for name in ("k", "v"):
        shapes[name] = torch.Size((batch, config["n_kv_heads"], seq, head_width))
    for name in ("scores", "weights"):
        shapes[name] = torch.Size((batch, config["n_heads"], seq, seq))
    for name in ("gate", "up", "hidden"):
        shapes[name] = torch.Size((batch, seq, config["d_hidden"]))
    return list(shapes.items())
