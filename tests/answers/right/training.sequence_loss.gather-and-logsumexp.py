"""Log-sum-exp by hand, targets picked with gather."""
import torch


def sequence_loss(logits, tokens):
    B, T, V = logits.shape
    if T < 2:
        raise ValueError(f"sequence_loss needs at least two tokens a row, got {T}")
    if B == 0:
        raise ValueError("sequence_loss: empty batch, no target counts")
    targets = tokens[:, 1:]
    if bool(((targets < 0) | (targets >= V)).any()):
        raise ValueError("sequence_loss: target outside the vocabulary")
    z = logits[:, :-1]
    if z.dtype in (torch.bfloat16, torch.float16):
        z = z.float()
    top = z.detach().amax(-1, keepdim=True)
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
    lse = (z - top).exp().sum(-1).log() + top.squeeze(-1)
    picked = z.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    nll = torch.where(picked == -torch.inf, torch.full_like(picked, torch.inf), lse - picked)
    return nll.mean().to(logits.dtype)
