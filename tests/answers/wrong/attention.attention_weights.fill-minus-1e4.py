"""CAUSE: masks with -1e4, not low enough when the scores are very negative themselves"""
import torch


# shows: scores [-1e4, -1e4], mask [T, F] gives [0.5, 0.5], should be [1, 0]
def attention_weights(scores, mask=None):
    # -1e4 is safe in half precision, see the GPT-2 code
    if mask is None:
        return torch.softmax(scores, dim=-1)
    w = torch.where(mask, scores, torch.full_like(scores, -1e4))
    w = torch.softmax(w, dim=-1)
    any_key = mask.any(dim=-1, keepdim=True)
    return w * any_key
