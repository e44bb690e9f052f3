"""A Python set a row, on a flat copy."""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("repetition_penalty: penalty <= 0")
    result = logits.detach().clone(memory_format=torch.contiguous_format)
    if result.numel():
        for row, ids in zip(result.view(-1, result.shape[-1]), tokens.reshape(-1, tokens.shape[-1]).tolist()):
            for t in set(ids):
                value = row[t].item()
                row[t] = value / penalty if value > 0 else value * penalty
    return result
