"""CAUSE: forgotten edge case: the warm-up fraction is computed before it is known that there is a warm-up, ZeroDivisionError at 0"""
import math


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    warm = min(1.0, (step + 1) / warmup_steps)
    if warm < 1.0:
        return max_lr * warm
    progress = max(0.0, min(1.0, (step - warmup_steps) / (total_steps - warmup_steps)))
    return min_lr + 0.5 * (max_lr - min_lr) * (1 + math.cos(math.pi * progress))
