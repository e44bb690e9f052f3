"""CAUSE: edge case: when sinks and recent units overlap an index appears twice"""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("n_sink + n_recent > budget")
    T = scores.shape[0]
    sinks = list(range(min(n_sink, T)))
    recent = list(range(max(0, T - n_recent), T))
    forced = sinks + recent
    rest = [i for i in sorted(range(T), key=lambda i: (-scores[i].item(), i)) if i not in forced]
    picked = (forced + rest)[: min(budget, T)]
    return torch.tensor(sorted(picked), dtype=torch.int64)
