"""Boolean one-hot and torch.where instead of gather; log1p over the other entries keeps tiny losses exact."""
import torch


def cross_entropy(logits, targets, ignore_index=-100):
    n_vocab = logits.shape[-1]
    used = (targets != ignore_index).reshape(-1)
    y = targets.reshape(-1)[used]
    if y.shape[0] == 0:
        raise ValueError("nothing to average")
    if bool((y.lt(0) | y.ge(n_vocab)).any()):
        raise ValueError("target id is too large or negative")
    z = logits.reshape(-1, n_vocab)[used].to(torch.float64)
    hit = y[:, None] == torch.arange(n_vocab)
    zero = torch.zeros_like(z)
    z_target = torch.where(hit, z, zero).sum(-1, keepdim=True)
    lost = torch.isneginf(z_target)
    diff = torch.where(hit, zero, z - torch.where(lost, torch.zeros_like(z_target), z_target))
    lift = diff.detach().amax(-1, keepdim=True)          # >= 0, for the target's own difference is 0
    others = torch.where(hit, zero, torch.exp(diff - lift)).sum(-1, keepdim=True)
    # log(1 + sum exp(diff)) = lift + log(exp(-lift) + others)
    loss = lift + torch.log1p(others + torch.expm1(-lift))
    loss = torch.where(lost, torch.full_like(loss, torch.inf), loss)
    return loss.mean().to(logits.dtype)
