"""Really runs a block on the meta device, where tensors have shapes and no numbers, and notes the shapes."""
import torch
import torch.nn.functional as F


def trace_block(config):
    b, t, d = config["batch"], config["seq"], config["d_model"]
    n, g, f = config["n_heads"], config["n_kv_heads"], config["d_hidden"]
    k_width = d // n
    log = []

    def note(stage, tensor):
        log.append((stage, tuple(tensor.shape)))
        return tensor

    def matrix(rows, columns):
        return torch.empty(rows, columns, device="meta")

    def heads(x, number):
        return x.reshape(b, t, number, k_width).transpose(1, 2)

    h = note("input", torch.empty(b, t, d, device="meta"))
    y = note("norm1", F.rms_norm(h, (d,)))
    q = note("q", heads(F.linear(y, matrix(n * k_width, d)), n))
    k = note("k", heads(F.linear(y, matrix(g * k_width, d)), g))
    v = note("v", heads(F.linear(y, matrix(g * k_width, d)), g))
    k, v = k.repeat_interleave(n // g, dim=1), v.repeat_interleave(n // g, dim=1)
    scores = note("scores", q @ k.transpose(-1, -2))
    shares = note("weights", scores.softmax(-1))
    context = note("context", shares @ v)
    out = note("attn_out", F.linear(context.transpose(1, 2).reshape(b, t, n * k_width), matrix(d, n * k_width)))
    h = note("residual1", h + out)
    y = note("norm2", F.rms_norm(h, (d,)))
    gate = note("gate", F.linear(y, matrix(f, d)))
    up = note("up", F.linear(y, matrix(f, d)))
    hidden = note("hidden", F.silu(gate) * up)
    out = note("mlp_out", F.linear(hidden, matrix(d, f)))
    note("residual2", h + out)
    return log
