"""CAUSE: misreading: probabilities are treated as logits and passed through a softmax, so impossible tokens get mass"""
import torch


def sample(probabilities, uniform):
    p = torch.softmax(probabilities.double(), dim=-1)
    c = p.cumsum(-1)
    return (c <= uniform.double()[:, None] * c[:, -1:]).sum(-1).clamp(max=p.shape[-1] - 1)
