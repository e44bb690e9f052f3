"""Three named steps: branch, sum, norm."""
import torch


def post_norm(h, norm, sublayer):
    branch = sublayer(h)
    summed = torch.add(branch, h)
    return norm(summed)
