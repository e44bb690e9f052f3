"""CAUSE: multiplies log-probabilities by a one-hot vector, 0 * -inf gives NaN"""
import torch
import torch.nn.functional as F


# shows: cross_entropy(tensor([[0., -inf]]), tensor([0])) is nan, should be 0
def cross_entropy(logits, targets, ignore_index=-100):
    valid = targets != ignore_index
    if valid.sum().item() == 0:
        raise ValueError("no valid target")
    y = targets[valid]
    V = logits.shape[-1]
    if y.min() < 0 or y.max() > V - 1:
        raise ValueError("target not in vocabulary")
    z = logits[valid].to(torch.float64)
    log_probs = z - torch.logsumexp(z, dim=-1, keepdim=True)
    one_hot = F.one_hot(y, num_classes=V).to(z.dtype)
    return -torch.einsum("nv,nv->n", one_hot, log_probs).mean().to(logits.dtype)
