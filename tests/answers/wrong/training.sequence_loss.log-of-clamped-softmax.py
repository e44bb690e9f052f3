"""CAUSE: precision: log(softmax + 1e-9) caps the loss near 20.7 nats, so improbable and impossible targets give a finite wrong number"""
import torch


def sequence_loss(logits, tokens):
    if tokens.shape[1] < 2 or tokens.shape[0] == 0:
        raise ValueError("no target counts")
    work = logits.float() if logits.dtype in (torch.bfloat16, torch.float16) else logits
    p = torch.softmax(work[:, :-1], -1)
    picked = p.gather(-1, tokens[:, 1:, None])
    return -(picked + 1e-9).log().mean().to(logits.dtype)
