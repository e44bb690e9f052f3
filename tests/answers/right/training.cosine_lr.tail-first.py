"""A torch cosine in float64, the tail first."""
import torch


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    if step >= total_steps:
        return float(min_lr)
    if warmup_steps > step:
        return float(max_lr) / warmup_steps * (1 + step)
    x = torch.tensor(float(step - warmup_steps), dtype=torch.float64).div_(total_steps - warmup_steps)
    bump = x.mul(torch.pi).cos().add(1).div(2).item()
    return min_lr + bump * (max_lr - min_lr)
