"""CAUSE: wrong rounding: // in the warm-up makes the rate 0 until the last warm-up step"""
import math


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    if step < warmup_steps:
        return max_lr * ((step + 1) // warmup_steps)
    if step < total_steps:
        done = (step - warmup_steps) / (total_steps - warmup_steps)
        return min_lr + (max_lr - min_lr) * (math.cos(math.pi * done) + 1) / 2
    return min_lr
