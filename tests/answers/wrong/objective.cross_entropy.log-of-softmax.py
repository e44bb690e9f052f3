"""CAUSE: takes the log of the softmax, which underflows for unlikely targets"""
import torch


# shows: cross_entropy(tensor([[200., 0.]]), tensor([1])) is inf, should be 200
def cross_entropy(logits, targets, ignore_index=-100):
    V = logits.size(-1)
    used = targets != ignore_index
    lg, tg = logits[used], targets[used]
    if tg.numel() == 0:
        raise ValueError("no target counts")
    if tg.min() < 0 or tg.max() >= V:
        raise ValueError("target outside vocabulary")
    probs = torch.softmax(lg.float() if lg.element_size() == 2 else lg, dim=-1)
    picked = probs[torch.arange(tg.shape[0]), tg]
    return (-torch.log(picked).mean()).to(logits.dtype)
