"""Two functional linear layers with torch's tanh GELU between, in at least float32."""
import torch
import torch.nn.functional as F


def feed_forward(x, weights):
    work = torch.promote_types(x.dtype, torch.float32)
    w_in, b_in, w_out, b_out = (weights[key].to(work) for key in ("w_in", "b_in", "w_out", "b_out"))
    hidden = F.gelu(F.linear(x.to(work), w_in, b_in), approximate="tanh")
    return F.linear(hidden, w_out, b_out).to(x.dtype)
