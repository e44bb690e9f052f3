"""CAUSE: misreading: the cosine runs down to 0 and is cut off at min_lr, instead of ending at min_lr"""
import math


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    if step < warmup_steps:
        return max_lr * (step + 1) / warmup_steps
    if step >= total_steps:
        return min_lr
    p = (step - warmup_steps) / (total_steps - warmup_steps)
    return max(min_lr, max_lr * 0.5 * (1.0 + math.cos(p * math.pi)))
