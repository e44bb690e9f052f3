"""CAUSE: two mistakes: the cosine is stretched to total_steps - 1, one early, and after the end the rate is 0, not min_lr"""
import math


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    if step < warmup_steps:
        return max_lr * (step + 1) / warmup_steps
    if step >= total_steps:
        return 0.0
    progress = (step - warmup_steps) / max(1, total_steps - 1 - warmup_steps)
    return min_lr + 0.5 * (max_lr - min_lr) * (1 + math.cos(math.pi * progress))
