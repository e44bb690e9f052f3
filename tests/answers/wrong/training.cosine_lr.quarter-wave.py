"""CAUSE: formula: a quarter of a cosine, cos(pi/2 * progress), is used instead of half a wave moved up"""
import math


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    if step < warmup_steps:
        return max_lr * (step + 1) / warmup_steps
    if step > total_steps:
        return min_lr
    progress = (step - warmup_steps) / (total_steps - warmup_steps)
    return min_lr + (max_lr - min_lr) * math.cos(0.5 * math.pi * progress)
