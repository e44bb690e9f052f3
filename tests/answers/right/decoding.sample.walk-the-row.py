"""A Python walk along each row, the last positive token as the fall-back."""
import math
import torch


def sample(probabilities, uniform):
    picks = []
    for row, u in zip(probabilities.tolist(), uniform.tolist()):
        threshold = u * math.fsum(row)
        mass, pick = 0.0, None
        for i, w in enumerate(row):
            if w <= 0:
                continue
            mass += w
            pick = i
            if mass > threshold:
                break
        picks.append(pick)
    return torch.tensor(picks, dtype=torch.int64)
