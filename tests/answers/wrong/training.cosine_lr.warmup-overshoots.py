"""CAUSE: off by one at the border: step == warmup_steps is still treated as warm-up and exceeds max_lr"""
import math


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    if warmup_steps and step <= warmup_steps:
        return max_lr * (step + 1) / warmup_steps
    if step >= total_steps:
        return min_lr
    frac = (step - warmup_steps) / (total_steps - warmup_steps)
    return min_lr + (max_lr - min_lr) * (1 + math.cos(math.pi * frac)) / 2
