"""Shift by the maximum, exponentiate, divide; two torch.where guards for slices without any finite entry."""
import torch


def softmax(logits, dim=-1):
    x = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    peak = x.amax(dim=dim, keepdim=True)
    peak = torch.where(torch.isneginf(peak), torch.zeros_like(peak), peak)
    e = torch.exp(x - peak.detach())
    total = e.sum(dim=dim, keepdim=True)
    return (e / torch.where(total == 0, torch.ones_like(total), total)).to(logits.dtype)
