"""torch.softmax on masked scores; rows with nothing to attend are softmaxed over zeros and wiped afterwards."""
import torch


def attention_weights(scores, mask=None):
    s = scores if mask is None else scores.masked_fill(~mask, float("-inf"))
    empty = torch.isneginf(s).all(dim=-1, keepdim=True)
    w = torch.softmax(s.masked_fill(empty, 0.0), dim=-1)
    return w.masked_fill(empty, 0.0)
